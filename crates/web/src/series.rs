//! The catalogue page: all series and currency pairs, by topic.

use std::borrow::Cow;

use askama::Template;
use lastro_catalog::fold_label;
use lastro_model::{Series, Source, Topic};

use crate::chart::{Dot, Range, sparkline};
use crate::chart_subject::Subject;
use crate::data::Data;
use crate::frame::{Frame, encoded};
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};
use crate::{format, typed, words};

/// Longest search text, in characters.
const LONGEST_SEARCH: usize = 200;

/// The catalogue. The search text serves readers without scripts; otherwise a script filters the whole list in place.
#[derive(Debug)]
pub struct Catalogue {
    q: String,
}

#[derive(Template)]
#[template(path = "series.html")]
struct CatalogueHtml {
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

impl Catalogue {
    /// The rows that match a typed text; all of them if it is empty.
    pub fn matching(typed: &str) -> Self {
        Self { q: typed::shown(typed).chars().take(LONGEST_SEARCH).collect() }
    }

    pub fn is_whole(&self) -> bool {
        self.q.is_empty()
    }
}

impl Page for Catalogue {
    fn path(&self) -> Cow<'static, str> {
        if self.is_whole() { "/series".into() } else { format!("/series?q={}", encoded(&self.q)).into() }
    }

    fn state(&self, data: &Data<'_>) -> u64 {
        let stamps = Series::ALL.into_iter().map(|series| data.catalog.series[series].stamp);
        data.state(stamps.chain([data.catalog.fx.stamp]))
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        list(data, &self.q, Frame::new(data, reader, self.path())).render()
    }
}

fn list(data: &Data<'_>, q: &str, frame: Frame) -> CatalogueHtml {
    let (language, all_pairs) = (frame.language, data.catalog.fx.pairs());
    let t = &language.texts().series;
    let words: Vec<String> = fold_label(q).split_whitespace().map(str::to_owned).collect();
    let rows_of = |topic: Topic| {
        let series = Series::ALL.into_iter().filter(|series| series.about().topic == topic);
        let pairs = if topic == Topic::ExchangeRates { all_pairs } else { &[] };
        let subjects = pairs.iter().copied().map(Subject::Pair).chain(series.map(Subject::Series));
        // Only rows that match are rendered.
        let found = subjects.map(|subject| (subject, found_by(subject)));
        let found = found.filter(|(_, text)| words.iter().all(|word| text.contains(word.as_str())));
        found.map(|(subject, text)| row(data, subject, text, language)).collect::<Vec<Row>>()
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
    CatalogueHtml {
        frame,
        summary: t
            .summary
            .replace("{count}", &Series::ALL.len().to_string())
            .replace("{pairs}", &all_pairs.len().to_string()),
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
            let shown = words::name(about, Language::Portuguese);
            let text = fold_label(&format!(
                "{} {} {} {} {} {shown}",
                about.id, about.code, about.label, about.name, about.name_pt
            ));
            each_once(&text)
        }
        Subject::Pair(pair) => {
            let names = Language::ALL.map(|language| words::pair(pair, language)).join(" ");
            fold_label(&format!("{} {names} ptax fx", subject.id()))
        }
    }
}

/// The words of a text, each once: the name shown has most words of the official one.
fn each_once(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" ")
}

fn row(data: &Data<'_>, subject: Subject, folded: String, language: Language) -> Row {
    let plotted = subject.plotted(data.catalog, Range::OneYear, language);
    let (dots, newest) = (&plotted.dots, plotted.dots.last());
    let (id, stale) = match subject {
        Subject::Series(series) => {
            let part = &data.catalog.series[series];
            (series.about().id.to_owned(), data.is_late(series.into()) && !part.sample)
        }
        Subject::Pair(pair) => {
            let is_stale = data.is_late(Source::Fx) && !data.catalog.fx.sample;
            (pair.to_string(), is_stale)
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
        unit: plotted.unit_beside,
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
