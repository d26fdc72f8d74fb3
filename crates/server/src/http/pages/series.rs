//! The catalogue page: all series and currency pairs, by topic.

use askama::Template;
use http::StatusCode;
use lastro_catalog::fold_label;
use lastro_model::{Series, Source, Topic};

use super::chart::{Dot, Range, sparkline};
use super::frame::{Frame, Reader, draw, encoded};
use super::keeping::{drawn_for_one, kept};
use super::language::Language;
use super::state::{self, is_late};
use super::subject::Subject;
use super::{format, typed, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

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
    href: String,
    /// Id used in the API.
    id: String,
    name: String,
    /// Searchable text, folded, for the script that filters while the reader types.
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

/// The catalogue. `q` serves readers without scripts; otherwise a script filters the whole list in place.
pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let q = typed::shown(question.query.get("q")?.unwrap_or(""));
    if q.is_empty() {
        let stamps = Series::ALL.into_iter().map(|series| question.catalog.series[series].stamp);
        let stamps = stamps.chain([question.catalog.fx.stamp]);
        return kept(question, "/series", state::of(stamps, question), |language| {
            draw(&list(question, "", language))
        });
    }
    let q: String = q.chars().take(200).collect();
    drawn_for_one(question, &Reader::of(question), |language| {
        Ok((draw(&list(question, &q, language))?, StatusCode::OK))
    })
}

fn list(question: &Question<'_>, q: &str, language: Language) -> List {
    let t = &language.texts().series;
    let words: Vec<String> = fold_label(q).split_whitespace().map(str::to_owned).collect();
    let rows_of = |topic: Topic| {
        let series = Series::ALL.into_iter().filter(|series| series.about().topic == topic);
        let pairs = if topic == Topic::ExchangeRates { question.catalog.fx.pairs() } else { &[] };
        let subjects = pairs.iter().copied().map(Subject::Pair).chain(series.map(Subject::Series));
        // Only rows that match are rendered.
        let found = subjects.map(|subject| (subject, found_by(subject)));
        let found = found.filter(|(_, text)| words.iter().all(|word| text.contains(word.as_str())));
        found.map(|(subject, text)| row(question, subject, text, language)).collect::<Vec<Row>>()
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
    let path = if q.is_empty() { "/series".to_owned() } else { format!("/series?q={}", encoded(q)) };
    let pairs = question.catalog.fx.pairs().len();
    List {
        frame: Frame::new(question, language, path),
        summary: t
            .summary
            .replace("{count}", &Series::ALL.len().to_string())
            .replace("{pairs}", &pairs.to_string()),
        q: q.to_owned(),
        found,
        topics,
    }
}

/// Searchable text of a row, folded.
fn found_by(subject: Subject) -> String {
    match subject {
        Subject::Series(series) => {
            let about = series.about();
            fold_label(&format!(
                "{} {} {} {} {}",
                about.id, about.code, about.label, about.name, about.name_pt
            ))
        }
        Subject::Pair(pair) => {
            let names = Language::ALL.map(|language| words::pair(pair, language)).join(" ");
            fold_label(&format!("{} {names} ptax fx", subject.id()))
        }
    }
}

fn row(question: &Question<'_>, subject: Subject, folded: String, language: Language) -> Row {
    let plotted = subject.plotted(question.catalog, Range::OneYear, language);
    let (dots, newest) = (&plotted.dots, plotted.dots.last());
    let (id, unit, stale) = match subject {
        Subject::Series(series) => {
            let (about, part) = (series.about(), &question.catalog.series[series]);
            let unit = words::unit(about.unit, language).trim_start_matches('%').trim();
            (about.id.to_owned(), unit, is_late(question, series.into()) && !part.sample)
        }
        Subject::Pair(pair) => {
            let is_stale = is_late(question, Source::Fx) && !question.catalog.fx.sample;
            (pair.to_string(), plotted.unit_text, is_stale)
        }
    };
    Row {
        href: subject.path(),
        id,
        name: plotted.name.clone(),
        folded,
        frequency: words::frequency(plotted.frequency, language),
        stale,
        shape: plotted.shape.class(),
        line: sparkline(plotted.shape, &sparse(dots)).map(|[line, _]| line).unwrap_or_default(),
        value: newest.map(|dot| format::value(dot.value, plotted.unit, language)).unwrap_or_default(),
        unit,
        date: newest.map(|dot| format::period(dot.day, plotted.frequency, language)).unwrap_or_default(),
        machine_date: newest.map(|dot| format::machine(dot.day, plotted.frequency)).unwrap_or_default(),
    }
}

/// Thins the dots for a picture a hundred pixels wide. The last is always kept.
fn sparse(dots: &[Dot]) -> Vec<Dot> {
    let every = dots.len().div_ceil(52).max(1);
    let mut kept: Vec<Dot> = dots.iter().step_by(every).copied().collect();
    kept.extend(dots.last().filter(|last| kept.last().is_none_or(|kept| kept.day != last.day)));
    kept
}
