//! Durations counted in buckets, for the operator's metrics.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

/// Upper bounds of the buckets, in microseconds. One more bucket holds all longer durations.
pub const BOUNDS_US: [u64; 13] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000, 10_000_000, 60_000_000];
const BUCKETS: usize = BOUNDS_US.len() + 1;

/// A histogram that any thread may add to. A duration costs two additions.
#[derive(Debug, Default)]
pub struct Histogram {
    counts: [AtomicU64; BUCKETS],
    total_us: AtomicU64,
}

/// The state of a histogram, or the sum of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distribution {
    /// One for each of [`BOUNDS_US`], and a last one for longer durations. Not cumulative.
    pub counts: [u64; BUCKETS],
    pub total_us: u64,
}

impl Histogram {
    pub fn record_ns(&self, elapsed_ns: u64) {
        let elapsed_us = elapsed_ns / 1000;
        let bucket = BOUNDS_US.partition_point(|bound| *bound < elapsed_us);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.total_us.fetch_add(elapsed_us, Ordering::Relaxed);
    }

    pub fn read(&self) -> Distribution {
        Distribution {
            counts: self.counts.each_ref().map(|count| count.load(Ordering::Relaxed)),
            total_us: self.total_us.load(Ordering::Relaxed),
        }
    }
}

impl Distribution {
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl AddAssign for Distribution {
    fn add_assign(&mut self, other: Self) {
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
        self.total_us += other.total_us;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for elapsed_us in [0, 50, 51, 60_000_000, 60_000_001] {
            histogram.record_ns(elapsed_us * 1000);
        }
        let read = histogram.read();
        assert_eq!((read.counts[0], read.counts[1], read.counts[12], read.counts[13]), (2, 1, 1, 1));
        assert_eq!((read.count(), read.total_us), (5, 120_000_102));
    }

    #[test]
    fn distributions_add_up() {
        let histogram = Histogram::default();
        histogram.record_ns(2_000_000);
        let mut sum = histogram.read();
        sum += histogram.read();
        assert_eq!((sum.count(), sum.counts[5], sum.total_us), (2, 2, 4_000));
    }
}
