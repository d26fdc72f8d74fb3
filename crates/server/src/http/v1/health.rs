//! The health of the service, and the age of its data.

use lastro_background::jobs::supervisor::FailingJob;
use lastro_calc::Check;
use lastro_catalog::Catalog;
use lastro_model::{Now, SourceState, Withheld};
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
    since: jiff::Timestamp,
}

/// A failed check: a series is mislabelled, or its publisher erred. Still served: the values are the publisher's.
#[derive(Serialize)]
struct BrokenCheck {
    name: &'static str,
    series: Vec<&'static str>,
}

/// The freshness of one source.
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
    withheld: u64,
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
    first_seen: jiff::Timestamp,
}

pub fn health(question: &Question<'_>) -> Result<Reply, ApiError> {
    let jobs = question.jobs.failing(question.now);
    let failure = question.writes.failure();
    Reply::of(&Health {
        status: if jobs.is_empty() && failure.is_none() { "ok" } else { "degraded" },
        version: crate::VERSION,
        commit: crate::COMMIT,
        sample: question.freshness.iter().any(|state| state.sample),
        sources: question.freshness.iter().map(|state| freshness(state, question.now)).collect(),
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
        withheld: state.withheld,
        withheld_points: state.newest_withheld.iter().map(withheld_point).collect(),
        stale: state.is_stale(now),
    }
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
