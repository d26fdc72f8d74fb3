use std::collections::BTreeMap;
use std::sync::Arc;

use lastro_access::{Changed, Holder, Usage};
use lastro_model::{Day, Outcome, UsageCount};
use proptest::prelude::*;

use crate::{account_id, day};

const SELIC: &str = "GET /api/v1/market/selic";
const PLANS: &str = "GET /api/v1/plans";

fn holder(name: &str) -> Arc<Holder> {
    Arc::new(Holder::new(account_id(name)))
}

fn sorted(mut rows: Vec<UsageCount>) -> Vec<UsageCount> {
    rows.sort();
    rows
}

fn requests(rows: &[UsageCount]) -> Vec<u64> {
    rows.iter().map(|row| row.requests).collect()
}

/// Merges as the store does: absolute counts, the greatest stands.
#[derive(Default)]
struct Store(BTreeMap<(String, Day, String, Outcome), u64>);

impl Store {
    fn flush(&mut self, rows: &[UsageCount]) {
        for row in rows {
            let place = (row.account.to_string(), row.day, row.endpoint.clone(), row.outcome);
            let count = self.0.entry(place).or_default();
            *count = row.requests.max(*count);
        }
    }

    fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

#[test]
fn rows_hold_absolute_counts_of_what_changed() {
    let (usage, ana, today) = (Usage::new(), holder("aaaaaaaa"), day("2026-11-15"));
    usage.count(&ana, today, SELIC, Outcome::Ok);
    usage.count(&ana, today, SELIC, Outcome::Ok);
    usage.count(&ana, today, SELIC, Outcome::RateLimited);
    assert_eq!(usage.pending(), 3);
    let expected = |outcome, requests| UsageCount {
        account: account_id("aaaaaaaa"),
        day: today,
        endpoint: SELIC.to_owned(),
        outcome,
        requests,
    };
    let rows = sorted(usage.take_changed().rows);
    assert_eq!(rows, [expected(Outcome::Ok, 2), expected(Outcome::RateLimited, 1)]);
    assert_eq!(usage.pending(), 0);
    assert!(usage.take_changed().rows.is_empty());
    usage.count(&ana, today, SELIC, Outcome::Ok);
    assert_eq!(usage.take_changed().rows, [expected(Outcome::Ok, 3)]);
}

#[test]
fn what_was_put_back_is_reported_again_and_never_lower() {
    let (usage, ana, today) = (Usage::new(), holder("aaaaaaaa"), day("2026-11-15"));
    usage.count(&ana, today, SELIC, Outcome::Ok);
    let failed = usage.take_changed();
    usage.count(&ana, today, SELIC, Outcome::Ok);
    usage.put_back(failed);
    assert_eq!(usage.pending(), 2);
    let again = usage.take_changed();
    assert_eq!(requests(&again.rows), [2]);
    usage.put_back(again);
    assert_eq!(requests(&usage.take_changed().rows), [2]);
    assert_eq!(usage.pending(), 0);
}

#[test]
fn a_flush_on_demand_sees_what_a_running_flush_has_taken() {
    let (usage, ana, bob) = (Usage::new(), holder("aaaaaaaa"), holder("bbbbbbbb"));
    let today = day("2026-11-15");
    usage.count(&ana, today, SELIC, Outcome::Ok);
    usage.count(&bob, today, SELIC, Outcome::Ok);
    assert_eq!(requests(&usage.changed_of(&ana)), [1]);
    assert_eq!(usage.pending(), 2, "asking takes nothing away");
    let running = usage.take_changed();
    assert_eq!(requests(&usage.changed_of(&ana)), [1]);
    drop(running);
    drop(usage.take_changed());
    assert!(usage.changed_of(&ana).is_empty());
}

#[test]
fn days_before_yesterday_are_forgotten_and_young_ones_kept() {
    let (usage, ana) = (Usage::new(), holder("aaaaaaaa"));
    let first = day("2026-11-15");
    for offset in 0..4 {
        usage.count(&ana, first.plus_days(offset), SELIC, Outcome::Ok);
        drop(usage.take_changed());
    }
    let counted_for = |on: Day| {
        usage.count(&ana, on, SELIC, Outcome::Ok);
        let rows = usage.take_changed().rows;
        (rows[0].day, rows[0].requests)
    };
    let yesterday = first.plus_days(2);
    assert_eq!(counted_for(yesterday), (yesterday, 2), "its count goes on");
    assert_eq!(counted_for(first), (yesterday, 3), "a day that is over takes nothing more");
}

#[test]
fn one_wrong_day_does_not_stop_the_forgetting() {
    let (usage, ana, first) = (Usage::new(), holder("aaaaaaaa"), day("2026-11-15"));
    for counted in [day("2099-01-01"), first, first.plus_days(1), first.plus_days(2), first] {
        usage.count(&ana, counted, SELIC, Outcome::Ok);
        drop(usage.take_changed());
    }
    usage.count(&ana, first, SELIC, Outcome::Ok);
    assert_eq!(usage.take_changed().rows[0].day, first.plus_days(1));
}

#[test]
fn a_day_that_was_forgotten_never_starts_again_below_its_count() {
    let (usage, ana, mut store) = (Usage::new(), holder("aaaaaaaa"), Store::default());
    let old = day("2026-11-01");
    for counted in [old, old, old.plus_days(20), old, old.plus_days(20), old.plus_days(1)] {
        usage.count(&ana, counted, SELIC, Outcome::Ok);
        store.flush(&usage.take_changed().rows);
    }
    assert_eq!(store.total(), 6);
}

#[test]
fn an_unflushed_day_is_never_forgotten() {
    let (usage, ana, mut store) = (Usage::new(), holder("aaaaaaaa"), Store::default());
    let first = day("2026-11-15");
    for offset in 0..10 {
        usage.count(&ana, first.plus_days(offset), SELIC, Outcome::Ok);
        usage.put_back(usage.take_changed());
    }
    store.flush(&usage.take_changed().rows);
    assert_eq!((store.0.len(), store.total()), (10, 10));
}

#[test]
fn no_count_is_lost_or_doubled_when_threads_count_flush_and_fail() {
    const THREADS: usize = 4;
    const EACH: usize = 5000;
    let usage = Usage::new();
    let holders = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map(holder);
    let today = day("2026-11-15");
    let mut store = Store::default();
    std::thread::scope(|scope| {
        let counting: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (usage, holders) = (&usage, &holders);
                scope.spawn(move || {
                    for step in 0..EACH {
                        let outcome = Outcome::ALL[step % 5];
                        // The day turns on the way.
                        let day = today.plus_days((step / 1000) as i32);
                        let endpoint = if step % 2 == 0 { SELIC } else { PLANS };
                        usage.count(&holders[(step + thread) % 3], day, endpoint, outcome);
                    }
                })
            })
            .collect();
        let mut flushes = 0;
        while counting.iter().any(|thread| !thread.is_finished()) {
            flushes += 1;
            let changed = usage.take_changed();
            if flushes % 3 == 0 {
                usage.put_back(changed);
            } else {
                store.flush(&changed.rows);
            }
        }
    });
    store.flush(&usage.take_changed().rows);
    assert_eq!(usage.pending(), 0);
    assert_eq!(store.total(), (THREADS * EACH) as u64);
}

#[derive(Debug, Clone)]
enum Step {
    Count { holder: usize, day: i32, endpoint: &'static str },
    Take,
    Flush,
    PutBack,
}

fn step() -> impl Strategy<Value = Step> {
    let endpoint = prop_oneof![Just(SELIC), Just(PLANS)];
    prop_oneof![
        6 => (0usize..2, 0i32..6, endpoint).prop_map(|(holder, day, endpoint)| Step::Count { holder, day, endpoint }),
        2 => Just(Step::Take),
        1 => Just(Step::Flush),
        1 => Just(Step::PutBack),
    ]
}

proptest! {
    /// Flushes follow one another; each succeeds or is put back. Whatever the days, the sum is that of all requests.
    #[test]
    fn every_request_reaches_the_store_once(steps in prop::collection::vec(step(), 1..80)) {
        let (usage, holders) = (Usage::new(), ["aaaaaaaa", "bbbbbbbb"].map(holder));
        let (mut store, mut running, mut counted) = (Store::default(), Changed::default(), 0);
        for step in steps {
            match step {
                Step::Count { holder, day: offset, endpoint } => {
                    counted += 1;
                    usage.count(&holders[holder], day("2026-11-15").plus_days(offset), endpoint, Outcome::Ok);
                }
                Step::Take => {
                    store.flush(&running.rows);
                    running = usage.take_changed();
                }
                Step::Flush => {
                    store.flush(&running.rows);
                    running = Changed::default();
                }
                Step::PutBack => usage.put_back(std::mem::take(&mut running)),
            }
            let mut now = Store::default();
            now.0.clone_from(&store.0);
            holders.iter().for_each(|holder| now.flush(&usage.changed_of(holder)));
            prop_assert_eq!(now.total(), counted, "a flush on demand completes the store");
        }
        store.flush(&running.rows);
        store.flush(&usage.take_changed().rows);
        prop_assert_eq!(store.total(), counted);
        prop_assert_eq!(usage.pending(), 0);
    }
}
