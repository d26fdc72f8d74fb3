//! The schedule inside `serve`: each source is synchronised at its publisher's pace, a little off the hour.
//!
//! Each source has its own job, so that a hanging publisher delays no other. If several processes share a database,
//! the lease of a source admits one of them.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use lastro_model::age::age_ms;
use lastro_model::{About, Day, Frequency, Now, Source, SourceState, brasilia_day, brasilia_minute};
use sha2::{Digest, Sha256};

use crate::result::{SyncError, Synchronised};
use crate::sync::{Synchronizer, holds_no_official_data};

/// Polls between attempts while another process synchronises a source: trying to take its lease costs a write.
const POLLS_LEFT_OUT: u32 = 10;
const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// The polling interval of a source.
struct Interval {
    /// Time from a success to the next request.
    every_ms: i64,
    /// Only within these hours of the day in Brasília, and not on weekends; `None` for any time.
    office_hours: Option<(i64, i64)>,
}

/// At most a day including [`varied`].
const ONCE_A_DAY: Interval = Interval { every_ms: 20 * HOUR_MS, office_hours: None };

fn interval(state: &SourceState, today: Day) -> Interval {
    match state.source {
        Source::Series(series) => by_rhythm(series.about(), state.newest_day, today),
        // The closing rates come at about 13:10.
        Source::Fx => Interval { every_ms: 30 * MINUTE_MS, office_hours: Some((13, 20)) },
        Source::Companies | Source::Tickers => Interval { every_ms: 24 * HOUR_MS, office_hours: None },
        Source::Filings => Interval { every_ms: 4 * HOUR_MS, office_hours: None },
    }
}

/// The interval of a series. Daily series are requested through the day, and monthly ones too when the next value is
/// due. Otherwise one request a day finds corrections and early values.
fn by_rhythm(about: &About, newest: Option<Day>, today: Day) -> Interval {
    if about.frequency.is_daily() || about.grows_by_day() {
        return Interval { every_ms: HOUR_MS, office_hours: Some((6, 20)) };
    }
    if newest.is_some_and(|newest| is_awaited(about, newest, today)) {
        return Interval { every_ms: HOUR_MS, office_hours: Some((8, 20)) };
    }
    ONCE_A_DAY
}

/// Days before the expected date from which a value is awaited.
const EARLY_DAYS: i32 = 3;
/// Days after the expected date up to which a value is requested hourly; after that the series may have ended.
const LATE_DAYS: i32 = 30;

/// Whether the month after the newest one is expected about today.
fn is_awaited(about: &About, newest: Day, today: Day) -> bool {
    let due = newest.minus_months(-1).plus_days(about.lag_days);
    let awaited = due.plus_days(-EARLY_DAYS)..=due.plus_days(LATE_DAYS);
    about.frequency == Frequency::Months && awaited.contains(&today)
}

/// Whether a source is due. `failures` counts consecutive failures; `jitter` from 0 to 1 is fixed for this process.
pub fn is_due(state: &SourceState, failures: u32, jitter: f64, now: Now) -> bool {
    // A time in the future was written by a clock that was ahead, and counts as never.
    let since = |at: Option<jiff::Timestamp>| at.and_then(|at| age_ms(at, now.unix_ms)).unwrap_or(i64::MAX);
    let jitter = (jitter + place(state.source)).fract();
    if failures > 0 {
        // Five minutes, then ten, … up to three hours.
        let pause = ((5 * MINUTE_MS) << (failures - 1).min(6)).min(3 * HOUR_MS);
        return since(state.last_attempt) >= varied(pause, jitter);
    }
    if holds_no_official_data(state) || state.last_success.is_none() {
        return true;
    }
    let interval = interval(state, brasilia_day(now.unix_ms));
    let open = interval.office_hours.is_none_or(|hours| is_open(state.source, hours, now));
    // A day and a half is too long at any hour: the machine may have been asleep through office hours.
    let overdue = since(state.last_success) >= 36 * HOUR_MS;
    (open || overdue) && since(state.last_success) >= varied(interval.every_ms, jitter)
}

/// Whether office hours are open. For each series they start and end a little later, at its own minute.
fn is_open(source: Source, (from, to): (i64, i64), now: Now) -> bool {
    let later = match source {
        Source::Series(_) => (place(source) * LATEST_OPENING_MS as f64) as i64,
        _ => 0,
    };
    let moment = now.unix_ms - later;
    (from..to).contains(&(brasilia_minute(moment) / 60)) && !brasilia_day(moment).is_weekend()
}

const LATEST_OPENING_MS: i64 = 50 * MINUTE_MS;

/// A fixed position of each source from 0 to 1, which spreads the sources over time.
fn place(source: Source) -> f64 {
    let [high, low, ..]: [u8; 32] = Sha256::digest(source.name()).into();
    f64::from(u16::from_be_bytes([high, low])) / f64::from(u16::MAX)
}

/// Adds up to a fifth, so that many servers do not send requests in step.
fn varied(interval_ms: i64, jitter: f64) -> i64 {
    interval_ms + (interval_ms as f64 * 0.2 * jitter) as i64
}

/// The process whose data is kept fresh.
pub trait Observer: Send + Sync {
    /// The source states in memory, without a store access.
    fn known_states(&self) -> Arc<Vec<SourceState>>;
    /// Receives the result of a synchronisation.
    fn ended(&self, source: Source, result: &Result<Synchronised, SyncError>);
}

/// Waits for the given number of polls.
pub type Pause = dyn Fn(u32) -> BoxFuture<'static, ()> + Send + Sync;

/// Keeps one source fresh until `stop` is ready. `jitter` from 0 to 1 is fixed for this process.
pub async fn keep_fresh(
    observer: &dyn Observer,
    sync: &Synchronizer,
    source: Source,
    jitter: f64,
    pause: &Pause,
    stop: impl Future<Output = ()>,
) {
    let watch = Watch { observer, sync, source, jitter, failures: 0, left: false };
    tokio::select! {
        () = stop => {}
        () = watch.keep_fresh(pause) => {}
    }
    sync.release(source).await;
}

/// The watch over one source.
struct Watch<'a> {
    observer: &'a dyn Observer,
    sync: &'a Synchronizer,
    source: Source,
    jitter: f64,
    /// Consecutive failures.
    failures: u32,
    /// The last attempt was skipped because the publisher was down.
    left: bool,
}

impl Watch<'_> {
    async fn keep_fresh(mut self, pause: &Pause) {
        loop {
            let is_elsewhere = self.synchronise_if_due().await == Polled::Elsewhere;
            pause(if is_elsewhere { POLLS_LEFT_OUT } else { 1 }).await;
        }
    }

    async fn synchronise_if_due(&mut self) -> Polled {
        let now = self.sync.clock.now();
        let (failures, jitter) = (self.failures, self.jitter);
        let due = |state: &SourceState| is_due(state, failures, jitter, now);
        let is_known = self.left && self.sync.turns.is_down(self.source, &*self.sync.clock);
        if is_known || !self.is_due_now(due).await {
            return Polled::Done;
        }
        let result = match self.sync.run_if(self.source, due).await {
            Ok(None) => return Polled::Done,
            Err(SyncError::Elsewhere(_)) => return Polled::Elsewhere,
            Ok(Some(synchronised)) => Ok(synchronised),
            Err(error) => Err(error),
        };
        self.observer.ended(self.source, &result);
        self.left = matches!(result, Err(SyncError::Left(_)));
        // A skipped source waits only for the publisher, not for its own earlier failures.
        self.failures = if result.is_ok() || self.left { 0 } else { self.failures + 1 };
        Polled::Done
    }

    /// Checks the states in memory first, then the store, which is up to date and decides.
    async fn is_due_now(&self, due: impl Fn(&SourceState) -> bool) -> bool {
        let due =
            |states: &[SourceState]| states.iter().any(|state| state.source == self.source && due(state));
        due(&self.observer.known_states())
            && self.sync.store.source_states().await.is_ok_and(|states| due(&states))
    }
}

#[derive(PartialEq, Eq)]
enum Polled {
    /// Everything due was done.
    Done,
    /// Another process is synchronising the source.
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use lastro_model::Edition;
    use lastro_model::Series;

    fn at(text: &str) -> Now {
        Now { monotonic_ns: 0, unix_ms: text.parse::<Timestamp>().unwrap().as_millisecond() }
    }

    fn state(source: Source, last_success: Option<&str>, last_attempt: Option<&str>) -> SourceState {
        let time = |text: Option<&str>| text.map(|text| text.parse().unwrap());
        SourceState {
            source,
            edition: Edition(1),
            sample: false,
            rows: 1,
            newest_day: None,
            last_success: time(last_success),
            last_attempt: time(last_attempt),
            last_error: None,
            rejects: 0,
            withheld: 0,
            newest_withheld: Vec::new(),
        }
    }

    #[test]
    fn future_times_count_as_due() {
        let ahead = Some("2027-11-16T12:00:00-03:00");
        for source in Source::ALL {
            let state = state(source, ahead, ahead);
            for failures in [0, 1, 40] {
                assert!(
                    is_due(&state, failures, 1.0, at("2026-11-15T03:00:00-03:00")),
                    "{source}, {failures}"
                );
            }
        }
        let a_moment_ahead = state(Source::Filings, Some("2026-11-16T12:00:10-03:00"), None);
        assert!(!is_due(&a_moment_ahead, 0, 0.0, at("2026-11-16T12:00:00-03:00")), "clocks differ");
    }

    #[test]
    fn never_synchronised_sources_are_due_at_once() {
        let sample = SourceState { sample: true, ..state(Source::Fx, None, None) };
        assert!(is_due(&sample, 0, 0.5, at("2026-11-15T03:00:00-03:00")));
    }

    /// The process jitter that delays this source by the given share of the maximum.
    fn jitter(source: Source, delay: f64) -> f64 {
        (1.0 + delay - place(source)).fract()
    }

    #[test]
    fn rates_are_due_through_the_business_day() {
        let source = Source::Series(Series::Selic);
        let selic = state(source, Some("2026-11-16T09:00:00-03:00"), None);
        let [soonest, latest] = [0.001, 0.999].map(|delay| jitter(source, delay));
        assert!(!is_due(&selic, 0, soonest, at("2026-11-16T09:59:00-03:00")));
        assert!(is_due(&selic, 0, soonest, at("2026-11-16T10:01:00-03:00")));
        assert!(!is_due(&selic, 0, latest, at("2026-11-16T10:11:00-03:00")), "jitter delays");
        assert!(is_due(&selic, 0, latest, at("2026-11-16T10:12:00-03:00")));
        assert!(!is_due(&selic, 0, 0.0, at("2026-11-16T23:00:00-03:00")), "night");
        let friday = state(source, Some("2026-11-13T19:30:00-03:00"), None);
        assert!(!is_due(&friday, 0, 0.0, at("2026-11-14T12:00:00-03:00")), "Saturday");
        assert!(is_due(&friday, 0, 0.0, at("2026-11-16T08:00:00-03:00")), "Monday");
    }

    /// Whether the source is requested again two hours after a success at ten on this day, as it is when a value is
    /// due.
    fn is_asked_often(series: Series, newest: &str, day: &str) -> bool {
        let at_ten = format!("{day}T10:00:00-03:00");
        let newest_day = Some(Day::parse(newest).unwrap());
        let state = SourceState { newest_day, ..state(series.into(), Some(&at_ten), None) };
        is_due(&state, 0, 0.5, at(&format!("{day}T12:00:00-03:00")))
    }

    #[test]
    fn monthly_series_are_due_hourly_when_awaited() {
        // October is published about the tenth of November.
        for (newest, day, often) in [
            ("2026-09-01", "2026-10-20", false),
            ("2026-09-01", "2026-11-05", false),
            ("2026-09-01", "2026-11-06", true),
            ("2026-09-01", "2026-11-10", true),
            ("2026-09-01", "2026-12-09", true),
            ("2026-09-01", "2026-12-10", false),
            ("2026-10-01", "2026-11-10", false),
        ] {
            assert_eq!(is_asked_often(Series::Ipca, newest, day), often, "{newest} on {day}");
        }
        assert!(is_asked_often(Series::SelicMonth, "2026-11-01", "2026-11-18"), "its month grows by the day");
        assert!(!is_asked_often(Series::InflationTarget, "2026-01-01", "2026-11-18"));
    }

    #[test]
    fn series_not_awaited_are_due_once_a_day() {
        for series in [Series::Ipca, Series::InflationTarget] {
            let newest_day = Some(Day::parse("2026-10-01").unwrap());
            let state =
                SourceState { newest_day, ..state(series.into(), Some("2026-11-13T10:00:00-03:00"), None) };
            assert!(!is_due(&state, 0, 0.5, at("2026-11-14T05:59:00-03:00")));
            assert!(is_due(&state, 0, 0.5, at("2026-11-14T10:00:00-03:00")), "a Saturday");
        }
    }

    #[test]
    fn due_series_are_spread_over_minutes() {
        let opening = |series: &Series| {
            let state = state((*series).into(), Some("2026-11-13T19:00:00-03:00"), None);
            let monday = at("2026-11-16T00:00:00-03:00").unix_ms;
            let is_due = |minute: &i64| {
                let unix_ms = monday + minute * MINUTE_MS;
                is_open(state.source, (8, 20), Now { monotonic_ns: 0, unix_ms })
            };
            (0..24 * 60).find(is_due).unwrap()
        };
        let mut in_a_minute = std::collections::BTreeMap::new();
        for minute in Series::ALL.iter().map(opening) {
            *in_a_minute.entry(minute).or_insert(0) += 1;
        }
        assert!(in_a_minute.keys().all(|minute| (480..=530).contains(minute)), "{in_a_minute:?}");
        assert!(in_a_minute.values().all(|series| *series <= 6), "{in_a_minute:?}");
    }

    #[test]
    fn fx_is_due_after_the_closing() {
        let fx = state(Source::Fx, Some("2026-11-16T18:00:00-03:00"), None);
        assert!(!is_due(&fx, 0, 0.0, at("2026-11-17T12:30:00-03:00")));
        assert!(is_due(&fx, 0, 0.0, at("2026-11-17T13:15:00-03:00")));
    }

    #[test]
    fn failures_wait_longer_and_longer() {
        let failed =
            state(Source::Filings, Some("2026-11-16T01:00:00-03:00"), Some("2026-11-16T12:00:00-03:00"));
        let soonest = jitter(Source::Filings, 0.0);
        assert!(!is_due(&failed, 1, soonest, at("2026-11-16T12:04:00-03:00")));
        assert!(is_due(&failed, 1, soonest, at("2026-11-16T12:05:00-03:00")));
        assert!(!is_due(&failed, 3, soonest, at("2026-11-16T12:19:00-03:00")));
        assert!(is_due(&failed, 40, soonest, at("2026-11-16T15:00:00-03:00")));
    }
}
