//! Age of timestamps read from the store.
//!
//! A clock that was once ahead leaves timestamps in the future. They must not count as fresh: otherwise a wait for
//! them to expire takes years.

use jiff::Timestamp;

/// Largest clock difference between machines that share a database.
const CLOCKS_DIFFER_MS: i64 = 60_000;

/// The age in milliseconds; `None` for a timestamp in the future.
pub fn age_ms(at: Timestamp, now_ms: i64) -> Option<i64> {
    let age = now_ms.saturating_sub(at.as_millisecond());
    (age >= -CLOCKS_DIFFER_MS).then_some(age.max(0))
}

/// Whether `wait_ms` have passed since `at`, or its age is unknown.
pub fn is_over(at: Timestamp, wait_ms: i64, now_ms: i64) -> bool {
    age_ms(at, now_ms).is_none_or(|age| age >= wait_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn future_timestamps_have_no_age() {
        let at = Timestamp::from_millisecond(1_000_000).unwrap();
        assert_eq!(age_ms(at, 1_005_000), Some(5_000));
        assert_eq!(age_ms(at, 941_000), Some(0), "clocks differ");
        assert_eq!(age_ms(at, 939_000), None);
        assert!(is_over(at, 5_000, 1_005_000) && !is_over(at, 5_001, 1_005_000));
        assert!(is_over(at, i64::MAX, 0), "a clock was ahead");
    }

    proptest! {
        #[test]
        fn no_clock_panics(at: i64, now_ms: i64) {
            if let Ok(at) = Timestamp::from_millisecond(at) {
                prop_assert!(age_ms(at, now_ms).is_none_or(|age| age >= 0));
            }
        }
    }
}
