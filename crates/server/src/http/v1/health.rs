//! Whether the service answers, and how old what it answers with is.

use lastro_model::{Day, Now, Source};
use lastro_store::SourceState;
use serde::Serialize;

use crate::error::ApiError;
use crate::http::reply::Reply;
use crate::http::routes::Question;
use crate::jobs::supervisor::FailingJob;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    sample: bool,
    sources: Vec<Freshness>,
    /// Those that fail; left out while all are well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    jobs: Vec<FailingJob>,
}

/// How fresh one source is.
#[derive(Serialize)]
struct Freshness {
    source: &'static str,
    edition: u64,
    sample: bool,
    rows: u64,
    newest_date: Option<String>,
    last_success: Option<jiff::Timestamp>,
    last_attempt: Option<jiff::Timestamp>,
    last_error: Option<String>,
    rejects: u64,
    stale: bool,
}

pub fn health(question: &Question<'_>) -> Result<Reply, ApiError> {
    let jobs = question.jobs.failing(question.now);
    Reply::of(&Health {
        status: if jobs.is_empty() { "ok" } else { "degraded" },
        version: crate::VERSION,
        sample: question.freshness.iter().any(|state| state.sample),
        sources: question.freshness.iter().map(|state| freshness(state, question.now)).collect(),
        jobs,
    })
}

fn freshness(state: &SourceState, now: Now) -> Freshness {
    Freshness {
        source: state.source.name(),
        edition: state.edition.0,
        sample: state.sample,
        rows: state.rows,
        newest_date: state.newest_day.map(|day| day.to_string()),
        last_success: state.last_success,
        last_attempt: state.last_attempt,
        last_error: state.last_error.clone(),
        rejects: state.rejects,
        stale: is_stale(state, now),
    }
}

/// A source is stale when its newest day is further back than its publisher ever leaves it.
///
/// A new company is registered now and then; the registry is as fresh as its last synchronisation. Without a day to go by,
/// a source is stale only if it is empty: that the sample is a sample is told apart.
pub fn is_stale(state: &SourceState, now: Now) -> bool {
    let newest = match state.source {
        Source::Companies => state.last_success.and_then(utc_day),
        _ => state.newest_day,
    };
    let age = newest.map(|newest| now.utc_day().number() - newest.number());
    age.map_or(state.rows == 0, |age| age > longest_silence_days(state.source))
}

fn utc_day(at: jiff::Timestamp) -> Option<Day> {
    let days = at.as_second().div_euclid(86_400);
    i32::try_from(days).ok().and_then(Day::from_number)
}

/// Calendar days from one publication to the next, with the longest holidays, and a day in hand.
const fn longest_silence_days(source: Source) -> i32 {
    match source {
        Source::Selic => 3,
        Source::Cdi | Source::Fx | Source::Companies => 7,
        // A month's value comes about the tenth of the next and is dated the month's first day.
        Source::Ipca => 75,
        Source::Filings => 14,
    }
}
