//! The health of the service, and the age of its data.

use lastro_calc::Check;
use lastro_catalog::Catalog;
use lastro_ingest::age::age_ms;
use lastro_model::{About, Frequency, Now, Source, Withheld};
use lastro_store::SourceState;
use serde::Serialize;

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;
use crate::jobs::supervisor::FailingJob;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    sample: bool,
    sources: Vec<Freshness>,
    /// Failing jobs; left out while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    jobs: Vec<FailingJob>,
    /// Identities between series that do not hold; left out while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken_checks: Vec<BrokenCheck>,
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
    Reply::of(&Health {
        status: if jobs.is_empty() { "ok" } else { "degraded" },
        version: crate::VERSION,
        sample: question.freshness.iter().any(|state| state.sample),
        sources: question.freshness.iter().map(|state| freshness(state, question.now)).collect(),
        jobs,
        broken_checks: broken_checks(question.catalog),
    })
}

fn broken_checks(catalog: &Catalog) -> Vec<BrokenCheck> {
    let told = |check: &Check| BrokenCheck {
        name: check.name,
        series: check.series.iter().map(|series| series.about().id).collect(),
    };
    catalog.identities().filter(|check| !check.holds).map(told).collect()
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
        stale: is_stale(state, now),
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

/// Whether a source is stale: its newest day is older than its publisher's longest gap between publications.
///
/// Companies are registered now and then, forms are renewed once a year, and a future day says nothing about today:
/// such sources are as fresh as their last synchronisation. Without one, a source is stale only if it is empty:
/// samples are marked separately.
pub fn is_stale(state: &SourceState, now: Now) -> bool {
    let past_day = state.newest_day.filter(|newest| *newest <= now.utc_day());
    match (state.source, past_day, state.last_success) {
        (Source::Companies | Source::Tickers, _, Some(success)) | (_, None, Some(success)) => {
            age_ms(success, now.unix_ms)
                .is_none_or(|age| age / DAY_MS > longest_silence_days(state.source).into())
        }
        (Source::Companies | Source::Tickers, ..) | (_, None, None) => state.rows == 0,
        (_, Some(newest), _) => now.utc_day().number() - newest.number() > longest_silence_days(state.source),
    }
}

const DAY_MS: i64 = 24 * 3_600_000;

/// Calendar days from one publication to the next, including the longest holidays, with a day to spare.
const fn longest_silence_days(source: Source) -> i32 {
    match source {
        Source::Series(series) => {
            let About { frequency, lag_days, .. } = series.about();
            // Just before the next value is published, the newest one is as old as the next one's period and lag.
            frequency.longest_period_days() + *lag_days + margin_days(*frequency)
        }
        Source::Fx | Source::Companies | Source::Tickers => 7,
        Source::Filings => 14,
    }
}

/// Days by which a value may be later than its rule.
const fn margin_days(frequency: Frequency) -> i32 {
    match frequency {
        Frequency::CalendarDays => 2,
        // Carnival or Easter, including the weekend.
        Frequency::BusinessDays => 5,
        // Strikes and holidays have moved releases by a week.
        Frequency::Months => 10,
        // A target may be set once for years to come.
        Frequency::Years => 366,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::{Day, Edition, Series};

    fn is_stale_on(series: Series, newest: &str, today: &str) -> bool {
        let day = |text| Day::parse(text).unwrap();
        let state = SourceState {
            source: series.into(),
            edition: Edition(1),
            sample: false,
            rows: 1,
            newest_day: Some(day(newest)),
            last_success: None,
            last_attempt: None,
            last_error: None,
            rejects: 0,
            withheld: 0,
            newest_withheld: Vec::new(),
        };
        is_stale(&state, Now { monotonic_ns: 0, unix_ms: i64::from(day(today).number()) * DAY_MS })
    }

    #[test]
    fn staleness_depends_on_the_series_frequency() {
        for (series, newest, fresh, stale) in [
            (Series::Selic, "2026-11-10", "2026-11-13", "2026-11-14"),
            (Series::Cdi, "2026-02-13", "2026-02-20", "2026-02-21"),
            // September is the newest until about the tenth of November.
            (Series::Ipca, "2026-09-01", "2026-11-20", "2026-11-21"),
            (Series::Igpdi, "2026-10-01", "2026-12-17", "2026-12-18"),
            (Series::IbcBr, "2026-08-01", "2026-11-26", "2026-11-27"),
            (Series::HouseholdDebt, "2026-07-01", "2026-11-09", "2026-11-10"),
            (Series::SelicMonth, "2026-10-01", "2026-11-12", "2026-11-13"),
            (Series::InflationTarget, "2025-01-01", "2027-01-03", "2027-01-04"),
        ] {
            assert!(!is_stale_on(series, newest, fresh), "{series:?} on {fresh}");
            assert!(is_stale_on(series, newest, stale), "{series:?} on {stale}");
        }
    }
}
