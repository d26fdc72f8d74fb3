//! The health of the service, and the age of its data.

use jiff::Timestamp;
use lastro_background::jobs::supervisor::FailingJob;
use lastro_calc::Check;
use lastro_catalog::Catalog;
use lastro_model::{Now, Source, SourceState, Withheld};
use serde::Serialize;

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    commit: &'static str,
    sample: bool,
    sources: Vec<Freshness>,
    /// Failing jobs; left out while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    jobs: Vec<FailingJob>,
    /// The state of the database; left out while it can be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    storage: Option<Storage>,
    /// Identities between series that do not hold; left out while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken_checks: Vec<BrokenCheck>,
}

/// A database that cannot be written. The reason is for the operator only.
#[derive(Serialize)]
struct Storage {
    writable: bool,
    since: Timestamp,
}

/// A failed check: a series is mislabelled, or its publisher erred. Still served: the values are the publisher's.
#[derive(Serialize)]
struct BrokenCheck {
    name: &'static str,
    series: Vec<&'static str>,
}

/// Bytes for the errors of all sources: even if each of them fails, all is under 20 kB.
const ERRORS: usize = 3_900;

/// The freshness of one source. A series has the members that can say nothing only if they say something.
#[derive(Serialize)]
struct Freshness {
    source: &'static str,
    edition: u64,
    sample: bool,
    rows: u64,
    newest_date: Option<String>,
    last_success: Option<Timestamp>,
    last_attempt: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejects: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withheld_points: Vec<WithheldPoint>,
    stale: bool,
}

/// A point that is published but withheld, and the reason.
#[derive(Serialize)]
struct WithheldPoint {
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<String>,
    reason: String,
    first_seen: Timestamp,
}

pub fn health(question: &Question<'_>) -> Result<Reply, ApiError> {
    let jobs = question.jobs.failing(question.now);
    let failure = question.writes.failure();
    let errors = question.freshness.iter().filter(|state| state.last_error.is_some()).count();
    let longest = ERRORS / errors.max(1);
    Reply::of(&Health {
        status: if jobs.is_empty() && failure.is_none() { "ok" } else { "degraded" },
        version: crate::VERSION,
        commit: crate::COMMIT,
        sample: question.freshness.iter().any(|state| state.sample),
        sources: question.freshness.iter().map(|state| freshness(state, question.now, longest)).collect(),
        jobs,
        storage: failure.map(|failure| Storage { writable: false, since: failure.since }),
        broken_checks: broken_checks(question.catalog),
    })
}

fn broken_checks(catalog: &Catalog) -> Vec<BrokenCheck> {
    let broken = |check: &Check| BrokenCheck {
        name: check.name,
        series: check.series.iter().map(|series| series.about().id).collect(),
    };
    catalog.identities().filter(|check| !check.holds).map(broken).collect()
}

fn freshness(state: &SourceState, now: Now, longest_error: usize) -> Freshness {
    let is_series = matches!(state.source, Source::Series(_));
    let count = |count: u64| (count > 0 || !is_series).then_some(count);
    let error = state.last_error.as_deref().map(|error| shortened(error, longest_error));
    Freshness {
        source: state.source.name(),
        edition: state.edition.0,
        sample: state.sample,
        rows: state.rows,
        newest_date: state.newest_day.map(|day| day.to_string()),
        last_success: state.last_success.map(whole_seconds),
        last_attempt: state.last_attempt.map(whole_seconds),
        last_error: (error.is_some() || !is_series).then_some(error),
        rejects: count(state.rejects),
        withheld: count(state.withheld),
        withheld_points: state.newest_withheld.iter().map(withheld_point).collect(),
        stale: state.is_stale(now),
    }
}

fn whole_seconds(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// The end of a text that is longer: the reason, which follows what was asked for. The log has all of it.
fn shortened(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let start = text.ceil_char_boundary(text.len() + "…".len() - longest);
    format!("…{}", &text[start..])
}

fn withheld_point(withheld: &Withheld) -> WithheldPoint {
    let Withheld { point, first_seen, reason } = withheld;
    WithheldPoint {
        date: point.day().to_string(),
        pair: point.pair().map(|pair| pair.to_string()),
        reason: reason.clone(),
        first_seen: *first_seen,
    }
}

#[cfg(test)]
mod tests {
    use lastro_model::{Day, Edition};

    use super::*;

    /// The sources when every publisher has failed for long, as they are told.
    fn failing_sources() -> Vec<Freshness> {
        let at = "2026-11-02T12:00:00.123Z".parse().unwrap();
        let now = Now { monotonic_ns: 0, unix_ms: 1_793_620_800_000 };
        let failing = |source| SourceState {
            edition: Edition(1_234),
            rows: 12_345,
            newest_day: Day::parse("2020-11-02").ok(),
            last_success: Some(at),
            last_attempt: Some(at),
            last_error: Some(format!("{}não", "não há resposta ".repeat(20))),
            ..SourceState::never_filled(source)
        };
        let longest = ERRORS / Source::ALL.len();
        Source::ALL.iter().map(|source| freshness(&failing(*source), now, longest)).collect()
    }

    #[test]
    fn all_sources_fit_when_each_of_them_fails() {
        let told = failing_sources();
        let size = serde_json::to_string(&told).unwrap().len();
        assert!(size < 19_700, "{size} bytes, and some for the rest");
        let errors = told.iter().map(|source| source.last_error.clone().flatten().unwrap());
        assert!(errors.clone().all(|error| error.starts_with('…') && error.ends_with("resposta não")));
    }

    #[test]
    fn a_series_has_no_member_that_says_nothing() {
        let now = Now { monotonic_ns: 0, unix_ms: 0 };
        let told = |source| {
            let state = SourceState::never_filled(source);
            serde_json::to_value(freshness(&state, now, ERRORS)).unwrap()
        };
        for source in Source::ALL {
            let told = told(source);
            for member in ["last_error", "rejects", "withheld"] {
                assert_eq!(told.get(member).is_none(), matches!(source, Source::Series(_)), "{told}");
            }
        }
    }
}
