//! Clocks. Time is passed as an argument; only the server's wiring reads a real clock.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Day;

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Monotonic nanoseconds from an arbitrary start, used for limits.
    pub monotonic_ns: u64,
    /// Milliseconds since 1970 UTC, used wherever a time is shown.
    pub unix_ms: i64,
}

impl Now {
    /// The UTC day, by which usage is counted.
    pub fn utc_day(self) -> Day {
        let days = self.unix_ms.div_euclid(86_400_000);
        i32::try_from(days)
            .ok()
            .and_then(Day::from_number)
            .unwrap_or_else(|| Day::from(jiff::civil::date(1970, 1, 1)))
    }

    /// The wall-clock time, or the Unix epoch if it is out of range.
    pub fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.unix_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    pub fn unix_seconds(self) -> i64 {
        self.unix_ms.div_euclid(1000)
    }
}

/// Brasília is three hours behind UTC all year: there is no summer time since 2019.
const BRASILIA_BEHIND_UTC_MS: i64 = 3 * 3_600_000;

/// The day in Brasília.
pub fn brasilia_day(unix_ms: i64) -> Day {
    Now { monotonic_ns: 0, unix_ms: unix_ms - BRASILIA_BEHIND_UTC_MS }.utc_day()
}

/// The time of day in Brasília, in whole minutes since midnight.
pub fn brasilia_minute(unix_ms: i64) -> i64 {
    (unix_ms - BRASILIA_BEHIND_UTC_MS).div_euclid(60_000).rem_euclid(24 * 60)
}

pub trait Clock: Send + Sync + std::fmt::Debug {
    fn now(&self) -> Now;

    /// The monotonic clock alone, for measuring durations.
    fn monotonic_ns(&self) -> u64 {
        self.now().monotonic_ns
    }
}

/// A clock that only moves when advanced, so that a test covers a week of limits in a millisecond.
#[derive(Debug)]
pub struct ManualClock {
    elapsed_ns: AtomicU64,
    started_unix_ms: i64,
}

impl ManualClock {
    pub const fn starting_at(unix_ms: i64) -> Self {
        Self { elapsed_ns: AtomicU64::new(0), started_unix_ms: unix_ms }
    }

    pub fn advance(&self, by: std::time::Duration) {
        self.elapsed_ns.fetch_add(by.as_nanos() as u64, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Now {
        let elapsed = self.elapsed_ns.load(Ordering::SeqCst);
        Now { monotonic_ns: elapsed, unix_ms: self.started_unix_ms + (elapsed / 1_000_000) as i64 }
    }
}
