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

pub async fn a_repeated_flush_changes_nothing(place: &impl Place) {
    let store = place.open().await;
    let refused = count(1, "2026-10-30", "GET /api/v1/market/selic", Outcome::RateLimited, 2);
    for requests in [3, 7, 7, 5] {
        store.add_usage("boot", &[selic("2026-10-30", requests), refused.clone()]).await.unwrap();
    }
    store.add_usage("boot", &[]).await.unwrap();
    let kept = of_first(&*store, "2026-10-01", "2026-10-31").await;
    assert_eq!(kept, [selic("2026-10-30", 7), refused], "a late flush of an older state counts for nothing");
}

pub async fn counts_of_several_boots_add_up(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    here.add_usage("boot a", &[selic("2026-10-30", 3)]).await.unwrap();
    there.add_usage("boot b", &[selic("2026-10-30", 4)]).await.unwrap();
    here.add_usage("boot a", &[selic("2026-10-30", 5)]).await.unwrap();
    let other = count(2, "2026-10-30", "GET /api/v1/market/selic", Outcome::Ok, 100);
    there.add_usage("boot b", &[other]).await.unwrap();
    assert_eq!(of_first(&*here, "2026-10-30", "2026-10-30").await, [selic("2026-10-30", 9)]);
}

pub async fn both_ends_of_the_days_asked_for_belong_to_them(place: &impl Place) {
    let store = place.open().await;
    let days = ["2026-10-27", "2026-10-28", "2026-10-29", "2026-10-30"];
    store.add_usage("boot", &days.map(|on| selic(on, 1))).await.unwrap();
    let inside = of_first(&*store, "2026-10-28", "2026-10-29").await;
    assert_eq!(inside, [selic("2026-10-28", 1), selic("2026-10-29", 1)]);
}

pub async fn the_last_day_of_use_is_known(place: &impl Place) {
    let store = place.open().await;
    let account = AccountId(key_id(1));
    assert_eq!(store.last_used(account).await.unwrap(), None);
    store.add_usage("boot", &[selic("2026-10-30", 1), selic("2026-10-28", 9)]).await.unwrap();
    assert_eq!(store.last_used(account).await.unwrap(), Some(day("2026-10-30")));
}
