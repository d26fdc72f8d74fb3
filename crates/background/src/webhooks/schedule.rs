//! Rules for retrying a delivery, giving up a message and disabling a webhook. Time is always an argument.

use jiff::{SignedDuration, Timestamp};
use lastro_model::Failing;

/// Pauses after the first failure, the second, and so on. The failure after the last pause gives the message up.
pub const RETRIES: [SignedDuration; 9] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(14),
    SignedDuration::from_hours(20),
    SignedDuration::from_hours(24),
];

/// Largest fraction by which jitter lengthens a pause.
const JITTER: f64 = 0.2;

/// The longest wait that a receiver may request.
const LONGEST_ASKED: SignedDuration = SignedDuration::from_hours(24);

/// Time of uninterrupted failures after which a webhook is disabled.
const HOPELESS_AFTER: SignedDuration = SignedDuration::from_hours(5 * 24);

/// Gap after which a failure starts a new run. It is longer than any pause above.
const RUN_ENDS_AFTER: SignedDuration = SignedDuration::from_hours(48);

/// The time of the retry after the `tries`-th failure of a message in a row; `None` after the last.
///
/// `jitter` is a number from 0 to 1. `asked` is the minimum wait that the receiver requested.
pub fn next(tries: u32, now: Timestamp, jitter: f64, asked: Option<SignedDuration>) -> Option<Timestamp> {
    let planned = RETRIES.get(tries.checked_sub(1)? as usize)?;
    let stretched = planned.mul_f64(1.0 + JITTER * jitter.clamp(0.0, 1.0));
    now.checked_add(stretched.max(asked.unwrap_or_default())).ok()
}

/// Parses `Retry-After`, seconds or a date, capped at [`LONGEST_ASKED`].
pub fn retry_after(value: &str, now: Timestamp) -> Option<SignedDuration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        // A number too large to parse exceeds the longest wait.
        let seconds = value.parse().unwrap_or(i64::MAX);
        return Some(SignedDuration::from_secs(seconds).min(LONGEST_ASKED));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    Some(date.timestamp().duration_since(now).clamp(SignedDuration::ZERO, LONGEST_ASKED))
}

/// The run of failures that a failure at `now` belongs to.
pub fn run(before: Option<Failing>, now: Timestamp) -> Failing {
    match before {
        Some(run) if now.duration_since(run.last) <= RUN_ENDS_AFTER => {
            Failing { since: run.since, last: now }
        }
        _ => Failing { since: now, last: now },
    }
}

pub fn is_hopeless(run: Failing) -> bool {
    run.last.duration_since(run.since) >= HOPELESS_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_793_620_800 + seconds).unwrap()
    }

    #[test]
    fn a_message_is_tried_ten_times_in_three_days_and_given_up() {
        let (mut now, mut pauses) = (at(0), Vec::new());
        for tries in 1.. {
            let Some(next) = next(tries, now, 0.0, None) else { break };
            pauses.push(next.duration_since(now).as_secs());
            now = next;
        }
        assert_eq!(pauses, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    }

    #[test]
    fn a_run_of_failures_is_hopeless_after_five_days() {
        let mut run_so_far = None;
        for hour in 0..=120 {
            let failing = run(run_so_far, at(hour * 3_600));
            assert_eq!(is_hopeless(failing), hour == 120, "after {hour} hours");
            run_so_far = Some(failing);
        }
    }

    #[test]
    fn a_failure_long_after_the_last_one_begins_a_new_run() {
        let old = Failing { since: at(0), last: at(3 * 86_400) };
        assert_eq!(
            run(Some(old), at(30 * 86_400)),
            Failing { since: at(30 * 86_400), last: at(30 * 86_400) }
        );
        assert!(!is_hopeless(run(Some(old), at(30 * 86_400))));
    }

    #[test]
    fn retry_after_lengthens_the_wait_within_bounds() {
        let wait = |value: &str| {
            next(1, at(0), 0.0, retry_after(value, at(0))).unwrap().duration_since(at(0)).as_secs()
        };
        assert_eq!(wait("120"), 120);
        assert_eq!(wait(" 1 "), 5, "never sooner than planned");
        assert_eq!(wait("99999999999999999999"), 86_400);
        assert_eq!(wait("604800"), 86_400);
        assert_eq!(wait("Mon, 02 Nov 2026 12:10:00 GMT"), 600);
        assert_eq!(wait("Mon, 02 Nov 1994 12:10:00 GMT"), 5);
        for nonsense in ["", "soon", "-5", "1.5", "1793620800Z"] {
            assert_eq!(retry_after(nonsense, at(0)), None, "{nonsense}");
        }
    }

    proptest! {
        #[test]
        fn jitter_lengthens_a_pause_by_a_fifth_at_most(tries in 1u32..=9, jitter in 0.0f64..1.0) {
            let planned = RETRIES[tries as usize - 1];
            let pause = next(tries, at(0), jitter, None).unwrap().duration_since(at(0));
            prop_assert!(pause >= planned && pause <= planned.mul_f64(1.2));
        }

        #[test]
        fn no_header_panics(value in ".{0,40}") {
            let _ = retry_after(&value, at(0));
        }
    }
}
