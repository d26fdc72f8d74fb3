//! The catalogue of series, and what pages of series share.

use askama::Template;
use lastro_catalog::fold_label;
use lastro_model::{Day, Series, Source, Stamp, Topic};

use super::chart::{Dot, Shape, sparkline};
use super::frame::{Frame, PAGE_POLICY, Reader, draw, fresh, kept};
use super::front::{newest_year, version_of};
use super::language::Language;
use super::{format, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;
use crate::http::v1::health::is_stale;

#[derive(Template)]
#[template(path = "series.html")]
struct List {
    frame: Frame,
    summary: String,
    q: String,
    found: String,
    topics: Vec<TopicRows>,
}

struct TopicRows {
    id: &'static str,
    name: &'static str,
    rows: Vec<Row>,
}

struct Row {
    id: &'static str,
    name: &'static str,
    /// All that it is found by, folded, for the script that filters as one types.
    folded: String,
    frequency: &'static str,
    stale: bool,
    shape: &'static str,
    line: String,
    value: String,
    unit: &'static str,
    date: String,
    machine_date: String,
}

/// `q` is for readers without scripts; for the others the whole list is there and filtered in place.
pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let q = question.query.get("q")?.unwrap_or("").trim();
    if q.is_empty() {
        let stamps = Series::ALL.into_iter().map(|series| question.catalog.series[series].stamp);
        return kept(question, ("series", 0), state(stamps, question), |language| {
            draw(&list(question, "", language))
        });
    }
    let q: String = q.chars().take(200).collect();
    let reader = Reader::of(question);
    fresh(&reader, &list(question, &q, reader.language), PAGE_POLICY)
}

/// What a page of series is drawn from: these states, and whether sources are late or made up.
pub(super) fn state(stamps: impl IntoIterator<Item = Stamp>, question: &Question<'_>) -> u64 {
    let flags = question.freshness.iter().enumerate().fold(0u64, |flags, (place, source)| {
        let flag = u64::from(is_stale(source, question.now)) | u64::from(source.sample) << 1;
        flags.rotate_left(2) ^ flag ^ (place as u64) << 8
    });
    version_of(stamps).rotate_left(1) ^ flags
}

fn list(question: &Question<'_>, q: &str, language: Language) -> List {
    let t = &language.texts().series;
    let words: Vec<String> = fold_label(q).split_whitespace().map(str::to_owned).collect();
    let rows_of = |topic: Topic| {
        let series = Series::ALL.into_iter().filter(|series| series.about().topic == topic);
        let rows = series.map(|series| row(question, series, language));
        rows.filter(|row| words.iter().all(|word| row.folded.contains(word.as_str()))).collect::<Vec<Row>>()
    };
    let topics: Vec<TopicRows> = Topic::ALL
        .into_iter()
        .map(|topic| TopicRows { id: topic.id(), name: words::topic(topic, language), rows: rows_of(topic) })
        .filter(|topic| !topic.rows.is_empty())
        .collect();
    let found = match topics.iter().map(|topic| topic.rows.len()).sum::<usize>() {
        0 => t.found_none.to_owned(),
        1 => t.found_one.to_owned(),
        many => t.found_many.replace("{count}", &many.to_string()),
    };
    List {
        frame: Frame::new(question, language, "/series"),
        summary: t.summary.replace("{count}", &Series::ALL.len().to_string()),
        q: q.to_owned(),
        found,
        topics,
    }
}

fn row(question: &Question<'_>, series: Series, language: Language) -> Row {
    let (about, dots) = (series.about(), newest_year(question.catalog, series));
    let (shape, newest) = (Shape::of(about), dots.last());
    Row {
        id: about.id,
        name: words::name(about, language),
        folded: fold_label(&format!(
            "{} {} {} {} {}",
            about.id, about.code, about.label, about.name, about.name_pt
        )),
        frequency: words::frequency(about.frequency, language),
        stale: is_late(question, series) && !question.catalog.series[series].sample,
        shape: class_of(shape),
        line: sparkline(shape, &sparse(&dots)).map(|[line, _]| line).unwrap_or_default(),
        value: newest.map(|dot| format::value(dot.value, about.unit, language)).unwrap_or_default(),
        unit: words::unit(about.unit, language).trim_start_matches('%').trim(),
        date: newest.map(|dot| format::period(dot.day, about.frequency, language)).unwrap_or_default(),
        machine_date: newest.map(|dot| format::machine(dot.day, about.frequency)).unwrap_or_default(),
    }
}

/// Enough for a picture a hundred pixels wide.
fn sparse(dots: &[Dot]) -> Vec<Dot> {
    let every = dots.len().div_ceil(52).max(1);
    let mut kept: Vec<Dot> = dots.iter().step_by(every).copied().collect();
    kept.extend(dots.last().filter(|last| kept.last().is_none_or(|kept| kept.day != last.day)));
    kept
}

pub(super) fn is_late(question: &Question<'_>, series: Series) -> bool {
    let state = question.freshness.iter().find(|state| state.source == Source::Series(series));
    state.is_none_or(|state| is_stale(state, question.now))
}

/// How the style sheet calls a shape.
pub(super) const fn class_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Line => "line",
        Shape::Step => "step",
        Shape::Bars => "bars",
    }
}

/// The day from which on the newest value holds, if an older one is shown.
pub(super) fn unchanged_since(dots: &[Dot]) -> Option<Day> {
    let newest = dots.last()?;
    let place = dots.iter().rposition(|dot| dot.value != newest.value)?;
    dots.get(place + 1).map(|dot| dot.day)
}
