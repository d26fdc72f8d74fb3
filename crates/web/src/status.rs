//! The status page: freshness of every source, in words.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use askama::Template;
use jiff::Timestamp;
use lastro_model::{Now, Source, SourceState};

use crate::data::Data;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};
use crate::texts::StatusTexts;
use crate::{format, words};

#[derive(Debug)]
pub struct Status;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusHtml {
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

impl Page for Status {
    fn path(&self) -> Cow<'static, str> {
        "/status".into()
    }

    /// Digest of all that is shown, and of the current minute, since elapsed times are shown in minutes.
    fn state(&self, data: &Data<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        (data.now.unix_ms / 60_000).hash(&mut hasher);
        for state in data.freshness {
            let SourceState { sample, rows, newest_day, last_attempt, last_error, withheld, .. } = state;
            let shown = (sample, rows, newest_day, last_attempt, last_error.is_some(), withheld);
            (state.is_stale(data.now), shown).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        status(data, Frame::new(data, reader, self.path())).render()
    }
}

fn status(data: &Data<'_>, frame: Frame) -> StatusHtml {
    let language = frame.language;
    let t = &language.texts().status;
    let rows = |wanted: fn(&Source) -> bool| {
        let states = data.freshness.iter().filter(move |state| wanted(&state.source));
        states.map(|state| row(state, data.now, t, language)).collect::<Vec<Row>>()
    };
    let is_series = |source: &Source| matches!(source, Source::Series(_));
    let (verdict, verdict_class) = verdict(data.freshness, data.now, t);
    let now = data.now.timestamp();
    StatusHtml {
        frame,
        verdict,
        verdict_class,
        now: format!("{} {}", format::day(data.now.utc_day(), language), now.strftime("%H:%M UTC")),
        machine_now: now.strftime("%Y-%m-%dT%H:%MZ").to_string(),
        groups: vec![
            Group { id: "others", name: t.others, rows: rows(|source| !matches!(source, Source::Series(_))) },
            Group { id: "series", name: t.central_bank, rows: rows(is_series) },
        ],
    }
}

/// Summary of all sources: the worst state among them.
fn verdict(states: &[SourceState], now: Now, t: &StatusTexts) -> (String, &'static str) {
    let held = || states.iter().filter(|state| state.rows > 0);
    let late = held().filter(|state| !state.sample && state.is_stale(now)).count();
    let (is_sample, is_empty) = (held().any(|state| state.sample), held().count() < states.len());
    match late {
        0 if held().all(|state| state.sample) && is_sample => (t.all_sample.to_owned(), "sample"),
        0 if is_sample => (t.some_sample.to_owned(), "sample"),
        0 if is_empty => (t.some_empty.to_owned(), "sample"),
        0 => (t.all_fresh.to_owned(), "good"),
        1 => (t.one_late.to_owned(), "bad"),
        many => (t.some_late.replace("{count}", &many.to_string()), "bad"),
    }
}

fn row(state: &SourceState, now: Now, t: &'static StatusTexts, language: Language) -> Row {
    let (name, href) = named(state.source, t, language);
    let (word, class) = match (state.sample, state.is_stale(now)) {
        _ if state.rows == 0 => (t.empty, "sample"),
        (true, _) => (t.sample, "sample"),
        (false, true) => (t.late, "bad"),
        (false, false) => (t.fresh, "good"),
    };
    Row {
        name,
        href,
        newest: newest(state, language).unwrap_or_else(|| t.none.to_owned()),
        asked: state.last_attempt.map_or_else(|| t.never.to_owned(), |at| ago(at, now.timestamp(), t)),
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
        Source::Fx => (t.fx, "/series#exchange_rates".to_owned()),
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

/// Elapsed time in a suitable unit. A time in the future counts as now, since clocks differ.
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
    let (one, several) = match state.source {
        Source::Filings => (t.one_later, t.later),
        _ => (t.one_withheld, t.withheld),
    };
    let withheld = match state.withheld {
        0 => None,
        1 => Some(one.to_owned()),
        many => Some(several.replace("{count}", &many.to_string())),
    };
    failing.into_iter().chain(withheld).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use lastro_model::{Day, Edition, Series};

    use super::*;

    fn source(series: Series, rows: u64, newest: &str, sample: bool) -> SourceState {
        let newest_day = Day::parse(newest).ok();
        let never_filled = SourceState::never_filled(series.into());
        SourceState { edition: Edition(1), sample, rows, newest_day, ..never_filled }
    }

    #[test]
    fn verdict_reports_the_worst_state() {
        let day = Day::parse("2026-11-16").unwrap();
        let now = Now { monotonic_ns: 0, unix_ms: i64::from(day.number()) * 86_400_000 };
        let fresh = source(Series::Selic, 1, "2026-11-16", false);
        let late = source(Series::Cdi, 1, "2026-01-05", false);
        let empty = source(Series::Ipca, 0, "", false);
        let sample = source(Series::Inpc, 1, "2026-10-01", true);
        let t = &Language::English.texts().status;
        let told = |states: &[&SourceState]| {
            let states: Vec<SourceState> = states.iter().copied().cloned().collect();
            verdict(&states, now, t).0
        };
        assert_eq!(told(&[&fresh]), t.all_fresh);
        assert_eq!(told(&[&fresh, &empty]), t.some_empty);
        assert_eq!(told(&[&empty]), t.some_empty);
        assert_eq!(told(&[&fresh, &empty, &sample]), t.some_sample);
        assert_eq!(told(&[&sample]), t.all_sample);
        assert_eq!(told(&[&fresh, &empty, &sample, &late]), t.one_late);
        assert_eq!(told(&[&late, &late]), t.some_late.replace("{count}", "2"));
    }
}
