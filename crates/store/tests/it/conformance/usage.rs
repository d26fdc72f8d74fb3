use lastro_model::{AccountId, Day, Outcome, UsageCount};
use lastro_store::Store;

use super::Place;
use crate::specimen::*;

fn count(account: u32, on: &str, endpoint: &str, outcome: Outcome, requests: u64) -> UsageCount {
    UsageCount {
        account: AccountId(key_id(account)),
        day: day(on),
        endpoint: endpoint.to_owned(),
        outcome,
        requests,
    }
}

fn selic(on: &str, requests: u64) -> UsageCount {
    count(1, on, "GET /api/v1/market/selic", Outcome::Ok, requests)
}

async fn of_first(store: &dyn Store, from: &str, to: &str) -> Vec<UsageCount> {
    let (from, to): (Day, Day) = (day(from), day(to));
    store.usage(AccountId(key_id(1)), from, to).await.unwrap()
}

pub(crate) async fn a_repeated_batch_is_added_once(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let refused = count(1, "2026-10-30", "GET /api/v1/market/selic", Outcome::RateLimited, 2);
    for (sequence, requests) in [(1, 3), (1, 3), (2, 4), (2, 4), (1, 3), (5, 10)] {
        let batch = [selic("2026-10-30", requests), refused.clone()];
        there.add_usage("boot", sequence, at(0), &batch).await.unwrap();
    }
    let kept = of_first(&*here, "2026-10-01", "2026-10-31").await;
    let refused = UsageCount { requests: 6, ..refused };
    assert_eq!(kept, [selic("2026-10-30", 17), refused], "each number once, and none that was passed over");
}

pub(crate) async fn counts_of_several_processes_add_up(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    here.add_usage("boot a", 1, at(0), &[selic("2026-10-30", 3)]).await.unwrap();
    there.add_usage("boot b", 1, at(0), &[selic("2026-10-30", 4)]).await.unwrap();
    here.add_usage("boot a", 2, at(0), &[selic("2026-10-30", 2)]).await.unwrap();
    let other = count(2, "2026-10-30", "GET /api/v1/market/selic", Outcome::Ok, 100);
    there.add_usage("boot b", 2, at(0), &[other]).await.unwrap();
    assert_eq!(of_first(&*here, "2026-10-30", "2026-10-30").await, [selic("2026-10-30", 9)]);
}

pub(crate) async fn usage_can_be_added_for_any_day(place: &impl Place) {
    let store = place.open().await;
    // Days as from a clock that was ahead and then corrected.
    let days = ["2026-10-30", "2031-01-01", "2026-10-30", "2026-10-29"];
    for (sequence, on) in (1..).zip(days) {
        store.add_usage("boot", sequence, at(0), &[selic(on, 1)]).await.unwrap();
    }
    let kept = of_first(&*store, "2026-01-01", "2031-12-31").await;
    assert_eq!(kept, [selic("2026-10-29", 1), selic("2026-10-30", 2), selic("2031-01-01", 1)]);
}

pub(crate) async fn a_forgotten_process_can_keep_counting(place: &impl Place) {
    let store = place.open().await;
    store.add_usage("idle", 7, at(0), &[selic("2026-10-30", 1)]).await.unwrap();
    store.add_usage("busy", 9, at(50), &[selic("2026-10-30", 1)]).await.unwrap();
    assert_eq!(store.forget_usage_flushes(at(50)).await.unwrap(), 1);
    store.add_usage("idle", 8, at(60), &[selic("2026-10-30", 1)]).await.unwrap();
    store.add_usage("busy", 9, at(60), &[selic("2026-10-30", 1)]).await.unwrap();
    assert_eq!(of_first(&*store, "2026-10-30", "2026-10-30").await, [selic("2026-10-30", 3)]);
}

pub(crate) async fn usage_includes_both_end_days(place: &impl Place) {
    let store = place.open().await;
    let days = ["2026-10-27", "2026-10-28", "2026-10-29", "2026-10-30"];
    store.add_usage("boot", 1, at(0), &days.map(|on| selic(on, 1))).await.unwrap();
    let inside = of_first(&*store, "2026-10-28", "2026-10-29").await;
    assert_eq!(inside, [selic("2026-10-28", 1), selic("2026-10-29", 1)]);
}

pub(crate) async fn last_used_returns_the_last_day(place: &impl Place) {
    let store = place.open().await;
    let account = AccountId(key_id(1));
    assert_eq!(store.last_used(account).await.unwrap(), None);
    store.add_usage("boot", 1, at(0), &[selic("2026-10-30", 1), selic("2026-10-28", 9)]).await.unwrap();
    assert_eq!(store.last_used(account).await.unwrap(), Some(day("2026-10-30")));
}
