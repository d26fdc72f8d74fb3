use std::sync::atomic::{AtomicU32, Ordering};

use lastro_access::{Holder, Ring, Verdict};
use proptest::prelude::*;

use crate::{MINUTE, SECOND, account_id, randomness};

/// A simple and slow reference implementation of the limit.
#[derive(Default)]
struct Model(Vec<u64>);

impl Model {
    fn used(&self, window: u64, now: u64) -> u32 {
        self.0.iter().filter(|at| now - **at < window).count() as u32
    }

    fn verdict(&self, admitted: bool, limit: u32, window: u64, now: u64) -> Verdict {
        let remaining = |now| limit.saturating_sub(self.used(window, now));
        // Values change only when an instant leaves the window.
        let mut changes: Vec<u64> =
            self.0.iter().map(|at| at + window).filter(|moment| *moment > now).collect();
        changes.sort_unstable();
        let full = changes.last().copied();
        let next = changes.into_iter().find(|moment| remaining(*moment) > remaining(now));
        let wait = |moment: Option<u64>| moment.map_or(0, |moment| moment - now);
        Verdict {
            admitted,
            limit,
            remaining: remaining(now),
            next_ns: if limit == 0 { window } else { wait(next) },
            full_ns: wait(full),
        }
    }

    fn take(&mut self, limit: u32, window: u64, now: u64) -> Verdict {
        let admitted = self.used(window, now) < limit;
        if admitted {
            self.0.push(now);
        }
        self.verdict(admitted, limit, window, now)
    }

    fn peek(&self, limit: u32, window: u64, now: u64) -> Verdict {
        self.verdict(self.used(window, now) < limit, limit, window, now)
    }
}

/// Maps a random number to a burst, a trickle or a pause of about the window's length.
fn gap(drawn: u32, window: u64) -> u64 {
    let rest = u64::from(drawn / 11) << 8;
    match drawn % 11 {
        0..4 => 0,
        4..8 => rest % (window / 8),
        8..10 => rest % window,
        _ => window - 1 + rest % 3,
    }
}

fn assert_no_window_exceeds(limit: usize, window: u64, admitted: &[u64]) {
    for span in admitted.windows(limit + 1) {
        assert!(span[limit] - span[0] >= window, "{} admitted within a window: {span:?}", span.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn ring_matches_reference_even_when_limits_change(
        steps in prop::collection::vec((any::<u32>(), 0u32..12, 0u8..10), 1..60)
    ) {
        let (window, mut now, mut limit) = (1000, 0, 5);
        let (mut ring, mut model) = (Ring::new(), Model::default());
        for (drawn, other_limit, action) in steps {
            now += gap(drawn, window);
            if action == 0 {
                limit = other_limit;
            }
            prop_assert_eq!(ring.peek(limit, window, now), model.peek(limit, window, now));
            prop_assert_eq!(ring.is_idle(window, now), model.used(window, now) == 0);
            if action > 1 {
                prop_assert_eq!(ring.take(limit, window, now), model.take(limit, window, now));
            }
        }
    }

    #[test]
    fn no_window_ever_holds_more_than_the_limit(
        limit in 1u32..40, draws in prop::collection::vec(any::<u32>(), 1..200)
    ) {
        let (mut ring, mut now, mut admitted) = (Ring::new(), 0, Vec::new());
        for drawn in draws {
            now += gap(drawn, MINUTE);
            if ring.take(limit, MINUTE, now).admitted {
                admitted.push(now);
            }
        }
        assert_no_window_exceeds(limit as usize, MINUTE, &admitted);
    }

    #[test]
    fn retry_after_admits_and_reset_restores_the_quota(
        limit in 1u32..60, later_limit in 1u32..60, draws in prop::collection::vec(any::<u32>(), 1..120),
        unix_ms in 1_700_000_000_000i64..1_900_000_000_000
    ) {
        let (mut ring, mut now) = (Ring::new(), 0);
        for drawn in draws {
            now += gap(drawn, MINUTE);
            ring.take(limit, MINUTE, now);
        }
        let told = ring.peek(later_limit, MINUTE, now);
        let after_retry = now + told.retry_after_seconds() * SECOND;
        prop_assert!(ring.clone().take(later_limit, MINUTE, after_retry).admitted);

        let wait_ms = told.reset_unix_seconds(unix_ms) * 1000 - unix_ms;
        let after_reset = now + u64::try_from(wait_ms).unwrap() * 1_000_000;
        prop_assert_eq!(ring.peek(later_limit, MINUTE, after_reset).remaining, later_limit);
        for _ in 0..later_limit {
            prop_assert!(ring.take(later_limit, MINUTE, after_reset).admitted);
        }
        prop_assert!(!ring.take(later_limit, MINUTE, after_reset).admitted);
    }

    #[test]
    fn a_clock_that_jumps_neither_panics_nor_frees_quota(
        limit in 1u32..8, times in prop::collection::vec(0u64..4000, 1..120), window in 1u64..1500
    ) {
        let (mut ring, mut highest, mut highest_admitted) = (Ring::new(), 0, 0);
        let mut admitted: Vec<(u64, u64)> = Vec::new();
        for now in times {
            highest = highest.max(now);
            let verdict = ring.take(limit, window, now);
            prop_assert!(ring.clone().take(limit, window, now + verdict.next_ns).admitted);
            if verdict.admitted {
                highest_admitted = highest_admitted.max(now);
                admitted.push((highest_admitted, highest));
            }
        }
        for span in admitted.windows(limit as usize + 1) {
            prop_assert!(span[limit as usize].1 - span[0].0 >= window);
        }
    }

    #[test]
    fn give_back_undoes_take(
        limit in prop::sample::select(vec![1u32, 3, 30, 20_000]),
        steps in prop::collection::vec((0u64..30_000_000_000, any::<bool>()), 1..60),
    ) {
        const WINDOW: u64 = 60_000_000_000;
        let (mut ring, mut without, mut now) = (Ring::new(), Ring::new(), 0);
        for (gap, refused) in steps {
            // More than a slot apart, so that both rings keep the same entries.
            now += gap + 2_000_000;
            let taken = ring.take(limit, WINDOW, now);
            if taken.admitted && refused {
                let after = ring.give_back(limit, WINDOW, now);
                prop_assert_eq!(after, without.peek(limit, WINDOW, now));
            } else if taken.admitted {
                prop_assert_eq!(without.take(limit, WINDOW, now), taken);
            }
        }
    }

    #[test]
    fn no_number_panics(
        steps in prop::collection::vec((any::<u32>(), prop_oneof![Just(u64::MAX), any::<u64>()]), 1..20),
        window in prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], unix_ms: i64
    ) {
        let mut ring = Ring::new();
        for (limit, now) in steps {
            let verdict = ring.take(limit, window, now);
            let _ = (verdict.retry_after_seconds(), verdict.reset_unix_seconds(unix_ms), ring.peek(limit, window, now));
        }
    }
}

#[test]
fn large_limit_is_exact_to_the_millisecond() {
    let (limit, window) = (10_001, MINUTE);
    let slot = 1_000_000;
    let (mut ring, mut random, mut now) = (Ring::new(), randomness(11), 0);
    let mut admitted: Vec<u64> = Vec::new();
    for step in 0..40_000 {
        let mut bytes = [0; 4];
        random(&mut bytes);
        // Bursts of 500 within a millisecond or so, then a pause of up to four seconds.
        let drawn = u64::from(u32::from_le_bytes(bytes));
        now += if step % 500 == 0 { drawn % (4 * SECOND) } else { drawn % 3000 };
        let within = |span: u64| admitted.len() - admitted.partition_point(|at| now - at >= span);
        let (least, most) = (within(window) as u32, within(window + slot) as u32);
        let remaining = ring.peek(limit, window, now).remaining;
        assert!((limit - most..=limit - least).contains(&remaining));
        if ring.take(limit, window, now).admitted {
            admitted.push(now);
        }
    }
    assert!(admitted.len() > 20_000, "the pattern must reach beyond one quota");
    assert!(admitted.len() < 40_000, "and some must be refused");
    assert_no_window_exceeds(limit as usize, window, &admitted);
}

#[test]
fn units_of_one_slot_expire_with_its_latest() {
    let (limit, mut ring) = (20_000, Ring::new());
    ring.take(limit, MINUTE, 100_000);
    while ring.take(limit, MINUTE, 900_000).remaining > 0 {}
    let refused = ring.take(limit, MINUTE, MINUTE + 899_999);
    assert_eq!((refused.admitted, refused.next_ns), (false, 1));
    assert_eq!(ring.take(limit, MINUTE, MINUTE + 900_000).remaining, limit - 1);
}

#[test]
fn the_first_request_leaves_29_of_30() {
    let mut ring = Ring::new();
    let untouched = Verdict { admitted: true, limit: 30, remaining: 30, next_ns: 0, full_ns: 0 };
    assert_eq!(ring.peek(30, MINUTE, 5), untouched);
    let first = ring.take(30, MINUTE, 5);
    assert_eq!(first, Verdict { admitted: true, limit: 30, remaining: 29, next_ns: MINUTE, full_ns: MINUTE });
    assert_eq!((first.next_seconds(), first.reset_unix_seconds(1_000)), (60, 61));
    assert_eq!(first.reset_unix_seconds(1_001), 62);
}

#[test]
fn retry_after_rounds_up_to_at_least_one_second() {
    let mut ring = Ring::new();
    ring.take(1, MINUTE, 0);
    let refused = ring.take(1, MINUTE, MINUTE - 1);
    assert!(!refused.admitted);
    assert_eq!((refused.next_ns, refused.retry_after_seconds()), (1, 1));
    assert_eq!(ring.take(1, MINUTE, SECOND - 1).retry_after_seconds(), 60);
    assert!(ring.take(1, MINUTE, MINUTE).admitted);
}

#[test]
fn a_limit_of_zero_admits_nobody() {
    let mut ring = Ring::new();
    for now in [0, MINUTE, 10 * MINUTE] {
        let verdict = ring.take(0, MINUTE, now);
        assert_eq!((verdict.admitted, verdict.remaining, verdict.retry_after_seconds()), (false, 0, 60));
    }
}

#[test]
fn concurrent_threads_admit_exactly_the_limit() {
    let holder = Holder::new(account_id("abcdefgh"));
    let admitted = AtomicU32::new(0);
    let start = std::sync::Barrier::new(200);
    std::thread::scope(|scope| {
        for thread in 0..200 {
            let (holder, admitted, start) = (&holder, &admitted, &start);
            scope.spawn(move || {
                start.wait();
                if holder.take(100, thread).admitted {
                    admitted.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(admitted.into_inner(), 100);
    assert_eq!(holder.peek(100, 200).remaining, 0);
}
