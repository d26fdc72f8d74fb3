use lastro_model::{AccountId, Day, Outcome, UsageCount};
use lastro_store::{Store, StoreError};

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

pub async fn folding_changes_no_report(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let refused = |on, requests| count(1, on, "GET /api/v1/market/selic", Outcome::RateLimited, requests);
    let days = ["2026-10-28", "2026-10-29", "2026-10-30"];
    for (boot, requests) in [("boot a", 3), ("boot b", 4), ("boot c", 50)] {
        here.add_usage(boot, &days.map(|on| selic(on, requests))).await.unwrap();
        here.add_usage(boot, &days.map(|on| refused(on, 1))).await.unwrap();
    }
    let other = count(2, "2026-10-28", "GET /api/v1/market/selic", Outcome::Ok, 100);
    here.add_usage("boot a", std::slice::from_ref(&other)).await.unwrap();
    let report = of_first(&*there, "2026-10-01", "2026-10-31").await;
    assert_eq!(report.iter().map(|count| count.requests).sum::<u64>(), 3 * 60);

    for (before, merged) in
        [("2026-10-28", 0), ("2026-10-29", 7), ("2026-10-29", 0), ("2026-10-30", 6), ("2026-10-30", 0)]
    {
        assert_eq!(here.fold_usage(day(before)).await.unwrap(), merged, "days before {before}");
        assert_eq!(of_first(&*there, "2026-10-01", "2026-10-31").await, report);
    }
    let of_other = there.usage(other.account, day("2026-10-01"), day("2026-10-31")).await.unwrap();
    assert_eq!(of_other, [other]);
    assert_eq!(there.last_used(AccountId(key_id(1))).await.unwrap(), Some(day("2026-10-30")));
    let live = days.map(|on| selic(on, 60));
    here.add_usage("boot c", &live[2..]).await.unwrap();
    let today = of_first(&*there, "2026-10-30", "2026-10-30").await;
    assert_eq!(today, [selic("2026-10-30", 67), refused("2026-10-30", 3)], "a day left out goes on");
}

pub async fn a_flush_after_folding_counts_nothing_twice(place: &impl Place) {
    let store = place.open().await;
    store.add_usage("boot", &[selic("2026-10-28", 7), selic("2026-10-29", 1)]).await.unwrap();
    store.fold_usage(day("2026-10-29")).await.unwrap();
    let repeated = [selic("2026-10-28", 7), selic("2026-10-29", 2)];
    let unseen_endpoint = count(1, "2026-10-28", "GET /api/v1/market/cdi", Outcome::Ok, 1);
    for _ in 0..2 {
        store.add_usage("boot", &repeated).await.unwrap();
        store.add_usage("boot", std::slice::from_ref(&unseen_endpoint)).await.unwrap();
        store.fold_usage(day("2026-10-29")).await.unwrap();
    }
    assert_eq!(of_first(&*store, "2026-10-01", "2026-10-31").await, repeated);
}

pub async fn a_boot_that_was_away_while_others_were_folded_is_counted(place: &impl Place) {
    let store = place.open().await;
    store.add_usage("boot a", &[selic("2026-10-28", 7)]).await.unwrap();
    store.fold_usage(day("2026-10-30")).await.unwrap();
    for requests in [4, 5, 5] {
        store.add_usage("boot b", &[selic("2026-10-28", requests)]).await.unwrap();
    }
    assert_eq!(of_first(&*store, "2026-10-28", "2026-10-28").await, [selic("2026-10-28", 12)]);
    assert_eq!(store.fold_usage(day("2026-10-30")).await.unwrap(), 1);
    store.add_usage("boot b", &[selic("2026-10-28", 5)]).await.unwrap();
    assert_eq!(of_first(&*store, "2026-10-28", "2026-10-28").await, [selic("2026-10-28", 12)]);
}

pub async fn usage_without_the_name_of_a_boot_is_refused(place: &impl Place) {
    let store = place.open().await;
    let refused = store.add_usage("", &[selic("2026-10-28", 7)]).await;
    assert!(matches!(refused, Err(StoreError::Unsupported(_))), "it would be merged with the folded counts");
    assert!(of_first(&*store, "2026-10-28", "2026-10-28").await.is_empty());
}
