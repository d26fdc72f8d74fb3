//! How fresh every source is, in words.

use askama::Template;
use jiff::Timestamp;
use lastro_model::Source;
use lastro_store::SourceState;

use super::frame::{Frame, PAGE_POLICY, Reader, fresh};
use super::language::Language;
use super::texts::StatusTexts;
use super::{format, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;
use crate::http::v1::health::is_stale;

#[derive(Template)]
#[template(path = "status.html")]
struct Status {
    frame: Frame,
    verdict: String,
    verdict_class: &'static str,
    now: String,
    machine_now: String,
    groups: Vec<Group>,
}

struct Group {
    id: &'static str,
    name: &'static str,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    href: String,
    newest: String,
    asked: String,
    rows: String,
    state: &'static str,
    class: &'static str,
    note: String,
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let reader = Reader::of(question);
    fresh(&reader, &status(question, reader.language), PAGE_POLICY)
}

fn status(question: &Question<'_>, language: Language) -> Status {
    let t = &language.texts().status;
    let rows = |wanted: fn(&Source) -> bool| {
        let states = question.freshness.iter().filter(move |state| wanted(&state.source));
        states.map(|state| row(state, question, t, language)).collect::<Vec<Row>>()
    };
    let is_series = |source: &Source| matches!(source, Source::Series(_));
    let (verdict, verdict_class) = verdict(question, t);
    let now = question.now.timestamp();
    Status {
        frame: Frame::new(question, language, "/status"),
        verdict,
        verdict_class,
        now: format!("{} {}", format::day(question.now.utc_day(), language), now.strftime("%H:%M UTC")),
        machine_now: now.strftime("%Y-%m-%dT%H:%MZ").to_string(),
        groups: vec![
            Group { id: "others", name: t.others, rows: rows(|source| !matches!(source, Source::Series(_))) },
            Group { id: "series", name: t.central_bank, rows: rows(is_series) },
        ],
    }
}

fn verdict(question: &Question<'_>, t: &StatusTexts) -> (String, &'static str) {
    let late =
        question.freshness.iter().filter(|state| !state.sample && is_stale(state, question.now)).count();
    let all_sample = question.freshness.iter().all(|state| state.sample);
    match late {
        _ if all_sample => (t.all_sample.to_owned(), "sample"),
        0 => (t.all_fresh.to_owned(), "good"),
        1 => (t.one_late.to_owned(), "bad"),
        many => (t.some_late.replace("{count}", &many.to_string()), "bad"),
    }
}

fn row(state: &SourceState, question: &Question<'_>, t: &'static StatusTexts, language: Language) -> Row {
    let (name, href) = named(state.source, t, language);
    let (word, class) = match (state.sample, is_stale(state, question.now)) {
        _ if state.rows == 0 => (t.empty, "sample"),
        (true, _) => (t.sample, "sample"),
        (false, true) => (t.late, "bad"),
        (false, false) => (t.fresh, "good"),
    };
    Row {
        name,
        href,
        newest: newest(state, language).unwrap_or_else(|| t.none.to_owned()),
        asked: state
            .last_attempt
            .map_or_else(|| t.never.to_owned(), |at| ago(at, question.now.timestamp(), t)),
        rows: format::number(state.rows, language),
        state: word,
        class,
        note: note(state, t),
    }
}

fn named(source: Source, t: &'static StatusTexts, language: Language) -> (&'static str, String) {
    match source {
        Source::Series(series) => {
            (words::name(series.about(), language), format!("/series/{}", series.about().id))
        }
        Source::Fx => (t.fx, String::new()),
        Source::Companies => (t.companies, String::new()),
        Source::Tickers => (t.tickers, String::new()),
        Source::Filings => (t.filings, String::new()),
    }
}

fn newest(state: &SourceState, language: Language) -> Option<String> {
    let day = state.newest_day?;
    Some(match state.source {
        Source::Series(series) => format::period(day, series.about().frequency, language),
        _ => format::day(day, language),
    })
}

/// How long ago, by the largest unit that says something. A time to come is now: clocks differ.
fn ago(then: Timestamp, now: Timestamp, t: &StatusTexts) -> String {
    let minutes = (now.as_second() - then.as_second()).max(0) / 60;
    let (text, count) = match minutes {
        0 => (t.now, 0),
        1..120 => (t.minutes_ago, minutes),
        120..2880 => (t.hours_ago, minutes / 60),
        _ => (t.days_ago, minutes / 1440),
    };
    text.replace("{count}", &count.to_string())
}

fn note(state: &SourceState, t: &StatusTexts) -> String {
    let failing = state.last_error.as_ref().map(|_| t.failing.to_owned());
    let withheld = (state.withheld > 0).then(|| t.withheld.replace("{count}", &state.withheld.to_string()));
    failing.into_iter().chain(withheld).collect::<Vec<_>>().join(" ")
}
