use std::collections::BTreeMap;
use std::sync::Arc;

use lastro_access::{Batch, Holder, Usage};
use lastro_model::{Day, Outcome, UsageCount};
use proptest::prelude::*;

use crate::{account_id, day};

const SELIC: &str = "GET /api/v1/market/selic";
const PLANS: &str = "GET /api/v1/plans";

fn holder(name: &str) -> Arc<Holder> {
    Arc::new(Holder::new(account_id(name)))
}

fn sorted(batch: &Batch) -> Vec<UsageCount> {
    let mut rows = batch.rows.clone();
    rows.sort();
    rows
}

type Place = (String, Day, String, Outcome);

/// A model of the store: adds each batch once, by its number.
#[derive(Default)]
struct Store {
    counts: BTreeMap<Place, u64>,
    last_sequence: u64,
}

impl Store {
    fn add(&mut self, batch: &Batch) {
        if batch.sequence <= self.last_sequence {
            return;
        }
        self.last_sequence = batch.sequence;
        for row in &batch.rows {
            *self.counts.entry(place(row)).or_default() += row.requests;
        }
    }

    fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

fn place(row: &UsageCount) -> Place {
    (row.account.to_string(), row.day, row.endpoint.clone(), row.outcome)
}

#[test]
fn a_batch_holds_what_was_counted_since_the_one_before() {
    let (usage, ana, today) = (Usage::new(), holder("aaaaaaaa"), day("2026-11-15"));
    usage.count(&ana, today, SELIC, Outcome::Ok);
    usage.count(&ana, today, SELIC, Outcome::Ok);
    usage.count(&ana, today, SELIC, Outcome::RateLimited);
    assert_eq!(usage.unflushed(), 3);
    let expected = |outcome, requests| UsageCount {
        account: account_id("aaaaaaaa"),
        day: today,
        endpoint: SELIC.to_owned(),
        outcome,
        requests,
    };
    let first = usage.take().unwrap();
    assert_eq!(sorted(&first), [expected(Outcome::Ok, 2), expected(Outcome::RateLimited, 1)]);
    assert_eq!(usage.unflushed(), 3, "it may be lost until the store has it");
    usage.settle(&first);
    assert_eq!((usage.unflushed(), usage.take()), (0, None));
    usage.count(&ana, today, SELIC, Outcome::Ok);
    let second = usage.take().unwrap();
    assert_eq!((second.sequence, &*second.rows), (first.sequence + 1, &[expected(Outcome::Ok, 1)][..]));
}

#[test]
fn unsettled_batch_is_returned_again_unchanged() {
    let (usage, ana, today) = (Usage::new(), holder("aaaaaaaa"), day("2026-11-15"));
    usage.count(&ana, today, SELIC, Outcome::Ok);
    assert_eq!(usage.under_way(), None);
    let failed = usage.take().unwrap();
    usage.count(&ana, today, SELIC, Outcome::Ok);
    assert_eq!(usage.take(), Some(Arc::clone(&failed)));
    assert_eq!(usage.under_way(), Some(Arc::clone(&failed)));
    usage.settle(&failed);
    usage.settle(&failed);
    assert_eq!(usage.unflushed(), 1);
    assert_eq!(usage.take().unwrap().sequence, failed.sequence + 1);
}

#[test]
fn holder_without_counts_may_be_dropped() {
    let (usage, ana, today) = (Usage::new(), holder("aaaaaaaa"), day("2026-11-15"));
    assert!(!ana.has_uncollected_usage());
    usage.count(&ana, today, SELIC, Outcome::Ok);
    assert!(ana.has_uncollected_usage());
    let batch = usage.take().unwrap();
    assert!(!ana.has_uncollected_usage(), "the batch has them");
    usage.count(&ana, today, SELIC, Outcome::Ok);
    assert!(ana.has_uncollected_usage());
    usage.settle(&batch);
    assert_eq!(Arc::strong_count(&ana), 2, "the book holds it as long as it has something");
    drop(usage.take());
    assert_eq!(Arc::strong_count(&ana), 1);
}

#[test]
fn counts_keep_their_day_when_the_clock_jumps() {
    let (usage, ana, mut store) = (Usage::new(), holder("aaaaaaaa"), Store::default());
    let days = ["2026-11-15", "2099-01-01", "2026-11-15", "2026-11-01", "2026-11-16", "2026-11-01"].map(day);
    for counted in days {
        usage.count(&ana, counted, SELIC, Outcome::Ok);
        let batch = usage.take().unwrap();
        store.add(&batch);
        usage.settle(&batch);
    }
    let by_day =
        |on: &str| store.counts.iter().filter(|(place, _)| place.1 == day(on)).map(|(_, n)| n).sum::<u64>();
    assert_eq!(["2026-11-01", "2026-11-15", "2026-11-16", "2099-01-01"].map(by_day), [2, 2, 1, 1]);
}

#[test]
fn counts_are_exact_with_concurrent_failing_flushes() {
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
                        // The day changes on the way.
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
            let Some(batch) = usage.take() else { continue };
            // Lost before the write, written with the reply lost, or written.
            if flushes % 3 > 0 {
                store.add(&batch);
            }
            if flushes % 3 > 1 {
                usage.settle(&batch);
            }
        }
    });
    while let Some(batch) = usage.take() {
        store.add(&batch);
        usage.settle(&batch);
    }
    assert_eq!(usage.unflushed(), 0);
    assert_eq!(store.total(), (THREADS * EACH) as u64);
}

#[derive(Debug, Clone)]
enum Step {
    Count {
        holder: usize,
        day: i32,
        endpoint: &'static str,
        outcome: Outcome,
    },
    /// The batch reaches the store, and the reply arrives.
    Flush,
    /// The batch does not reach the store.
    Fail,
    /// The batch reaches the store, and the reply is lost.
    FailUnheard,
}

fn step() -> impl Strategy<Value = Step> {
    let count = (
        0usize..2,
        -3i32..3,
        prop_oneof![Just(SELIC), Just(PLANS)],
        prop::sample::select(Outcome::ALL.to_vec()),
    );
    prop_oneof![
        6 => count.prop_map(|(holder, day, endpoint, outcome)| Step::Count { holder, day, endpoint, outcome }),
        2 => Just(Step::Flush),
        1 => Just(Step::Fail),
        1 => Just(Step::FailUnheard),
    ]
}

proptest! {
    /// The store ends with every request counted once, on any days and with any failures of flushes.
    #[test]
    fn every_request_reaches_the_store_once(steps in prop::collection::vec(step(), 1..80)) {
        let (usage, holders) = (Usage::new(), ["aaaaaaaa", "bbbbbbbb"].map(holder));
        let (mut store, mut counted) = (Store::default(), BTreeMap::<Place, u64>::new());
        for step in steps {
            match step {
                Step::Count { holder, day: offset, endpoint, outcome } => {
                    let (holder, on) = (&holders[holder], day("2026-11-15").plus_days(offset));
                    usage.count(holder, on, endpoint, outcome);
                    let place = (holder.account().to_string(), on, endpoint.to_owned(), outcome);
                    *counted.entry(place).or_default() += 1;
                }
                Step::Flush => if let Some(batch) = usage.take() {
                    store.add(&batch);
                    usage.settle(&batch);
                },
                Step::Fail => drop(usage.take()),
                Step::FailUnheard => if let Some(batch) = usage.take() {
                    store.add(&batch);
                },
            }
            prop_assert!(usage.unflushed() >= counted.values().sum::<u64>() - store.total());
        }
        while let Some(batch) = usage.take() {
            store.add(&batch);
            usage.settle(&batch);
        }
        prop_assert_eq!(&store.counts, &counted);
        prop_assert_eq!(usage.unflushed(), 0);
        prop_assert!(holders.iter().all(|holder| !holder.has_uncollected_usage()));
    }
}
