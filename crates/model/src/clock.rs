//! Time is an argument. Only the server's wiring reads a real clock.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Day;

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Nanoseconds that only grow, from an arbitrary start: what limits are counted with.
    pub monotonic_ns: u64,
    /// Milliseconds since 1970 UTC: what people are told.
    pub unix_ms: i64,
}

impl Now {
    /// The day in UTC, as usage is counted.
    pub fn utc_day(self) -> Day {
        let days = self.unix_ms.div_euclid(86_400_000);
        i32::try_from(days)
            .ok()
            .and_then(Day::from_number)
            .unwrap_or_else(|| Day::from(jiff::civil::date(1970, 1, 1)))
    }

    /// The time of day. A clock that shows no time that can be told shows the beginning of time.
    pub fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.unix_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    pub fn unix_seconds(self) -> i64 {
        self.unix_ms.div_euclid(1000)
    }
}

pub trait Clock: Send + Sync + std::fmt::Debug {
    fn now(&self) -> Now;

    /// The growing clock alone, for who only wants to know how long something took.
    fn monotonic_ns(&self) -> u64 {
        self.now().monotonic_ns
    }
}

/// A clock that stands still until it is moved: a week of limits in a millisecond of test.
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
