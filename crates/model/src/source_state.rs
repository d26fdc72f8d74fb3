//! The state of a source, and whether its data is stale.

use jiff::Timestamp;

use crate::age::age_ms;
use crate::{About, Day, Edition, Frequency, Now, Source, Withheld};

/// The state of a source, without its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    pub source: Source,
    /// Zero until the first publication.
    pub edition: Edition,
    /// The rows are made up, not official.
    pub sample: bool,
    pub rows: u64,
    /// The latest day of any row; for companies, the latest registration.
    pub newest_day: Option<Day>,
    /// The last synchronisation that succeeded. Filling in a sample does not count.
    pub last_success: Option<Timestamp>,
    pub last_attempt: Option<Timestamp>,
    /// The error message of the last attempt, if it failed.
    pub last_error: Option<String>,
    /// Number of rows that could not be read, in all files of the source.
    pub rejects: u64,
    /// Number of points that upstream published and that are not yet trusted, and of filings of days to come.
    pub withheld: u64,
    /// The newest withheld points, a few at most.
    pub newest_withheld: Vec<Withheld>,
}

impl SourceState {
    pub fn never_filled(source: Source) -> Self {
        Self {
            source,
            edition: Edition(0),
            sample: false,
            rows: 0,
            newest_day: None,
            last_success: None,
            last_attempt: None,
            last_error: None,
            rejects: 0,
            withheld: 0,
            newest_withheld: Vec::new(),
        }
    }

    /// Whether the source is stale: its newest day is older than its publisher's longest gap between publications.
    ///
    /// Companies are registered now and then, forms are renewed once a year, and a future day says nothing about
    /// today: such sources are as fresh as their last synchronisation. Without one, a source is stale only if it is
    /// empty: samples are marked separately.
    pub fn is_stale(&self, now: Now) -> bool {
        let past_day = self.newest_day.filter(|newest| *newest <= now.utc_day());
        match (self.source, past_day, self.last_success) {
            (Source::Companies | Source::Tickers, _, Some(success)) | (_, None, Some(success)) => {
                age_ms(success, now.unix_ms)
                    .is_none_or(|age| age / DAY_MS > longest_silence_days(self.source).into())
            }
            (Source::Companies | Source::Tickers, ..) | (_, None, None) => self.rows == 0,
            (_, Some(newest), _) => {
                now.utc_day().number() - newest.number() > longest_silence_days(self.source)
            }
        }
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
    use crate::Series;

    fn is_stale_on(series: Series, newest: &str, today: &str) -> bool {
        let day = |text| Day::parse(text).unwrap();
        let state = SourceState {
            edition: Edition(1),
            rows: 1,
            newest_day: Some(day(newest)),
            ..SourceState::never_filled(series.into())
        };
        state.is_stale(Now { monotonic_ns: 0, unix_ms: i64::from(day(today).number()) * DAY_MS })
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
