use lastro_model::{AccountId, KeyChange, KeyDigest, NewKey, Outcome, Plan, UsageCount};
use lastro_store::{Erased, Store, StoreError};

use super::Place;
use crate::specimen::*;

/// A self-registered key, created at the second of its number.
fn registered(number: u32) -> NewKey {
    NewKey { self_registered: true, ..new_key(number) }
}

async fn use_once(store: &dyn Store, number: u32, sequence: u64) {
    let count = UsageCount {
        account: AccountId(key_id(number)),
        day: day("2026-10-30"),
        endpoint: "GET /health".to_owned(),
        outcome: Outcome::Ok,
        requests: 1,
    };
    store.add_usage("boot", sequence, at(0), &[count]).await.unwrap();
}

async fn kept(store: &dyn Store) -> Vec<lastro_model::KeyId> {
    store.list_keys().await.unwrap().into_iter().map(|key| key.id).collect()
}

pub(crate) async fn erasing_a_person_leaves_only_usage_counts(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let webhook = listening(&*here).await;
    here.insert_key(new_key(2)).await.unwrap();
    here.rotate(key_id(1), key_id(3), KeyDigest([3; 32]), at(10), at(20)).await.unwrap();
    here.record_delivery(message(1, &webhook.id), settlement_attempt(), true).await.unwrap();
    use_once(&*here, 1, 1).await;
    let before = there.counters().await.unwrap().key_revision;

    let erased = here.erase(key_id(3), at(30)).await.unwrap();
    let account = AccountId(key_id(1));
    let keys = vec![key_id(1), key_id(3)];
    assert_eq!(erased, Erased { account, keys: keys.clone(), webhooks: 1, wiped: true });
    assert_eq!(kept(&*there).await, [key_id(2)]);
    assert_eq!(there.webhook(&webhook.id).await.unwrap(), None);
    assert_eq!(there.deliveries(&webhook.id, 10, 0).await.unwrap().total, 0);
    assert_eq!(there.usage(account, day("2026-10-01"), day("2026-10-31")).await.unwrap().len(), 1);
    let removed: Vec<_> =
        (before + 1..).zip(keys).map(|(revision, id)| KeyChange::Removed { id, revision }).collect();
    assert_eq!(there.keys_since(before, 10).await.unwrap(), removed, "who keeps up hears of it");
    assert_eq!(here.erase(key_id(3), at(31)).await, Err(StoreError::NotFound));
}

pub(crate) async fn a_removal_is_reported_until_forgotten(place: &impl Place) {
    let store = place.open().await;
    for number in 1..=2 {
        store.insert_key(new_key(number)).await.unwrap();
        store.erase(key_id(number), at(i64::from(number))).await.unwrap();
    }
    assert_eq!(store.forget_removed_keys(at(2)).await.unwrap(), 1);
    let told = store.keys_since(0, 10).await.unwrap();
    assert_eq!(told.iter().map(KeyChange::id).collect::<Vec<_>>(), [key_id(2)]);
    assert_eq!(store.counters().await.unwrap().key_revision, 4, "no number is given twice");
}

pub(crate) async fn changes_and_removals_share_one_order_and_limit(place: &impl Place) {
    let store = place.open().await;
    for number in 1..=4 {
        store.insert_key(new_key(number)).await.unwrap();
    }
    store.erase(key_id(2), at(5)).await.unwrap();
    store.set_plan(key_id(1), Plan::Gold, None).await.unwrap();
    store.erase(key_id(4), at(6)).await.unwrap();
    let (mut seen, mut revision) = (Vec::new(), 0);
    loop {
        let page = store.keys_since(revision, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 2 && page.is_sorted_by_key(KeyChange::revision));
        revision = last.revision();
        seen.extend(page.iter().map(|change| (change.id(), matches!(change, KeyChange::Removed { .. }))));
    }
    let expected = [(key_id(3), false), (key_id(2), true), (key_id(1), false), (key_id(4), true)];
    assert_eq!(seen, expected);
}

pub(crate) async fn unused_registered_keys_are_removed(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    for number in 1..=5 {
        here.insert_key(registered(number)).await.unwrap();
    }
    here.insert_key(new_key(6)).await.unwrap();
    use_once(&*here, 1, 1).await;
    here.set_plan(key_id(2), Plan::Bronze, None).await.unwrap();
    here.rotate(key_id(3), key_id(30), KeyDigest([3; 32]), at(99), at(99)).await.unwrap();

    assert_eq!(there.remove_unused_keys(at(4), at(100), 10).await.unwrap(), 0, "none is old enough");
    assert_eq!(there.remove_unused_keys(at(5), at(100), 10).await.unwrap(), 1);
    let left = [1, 2, 3, 5, 6, 30].map(key_id);
    assert_eq!(kept(&*here).await, left, "used, upgraded, made anew, young and the operator's stay");
    assert_eq!(here.remove_unused_keys(at(100), at(100), 1).await.unwrap(), 1, "no more than asked for");
    assert_eq!(here.remove_unused_keys(at(100), at(100), 1).await.unwrap(), 1);
    assert_eq!(here.remove_unused_keys(at(100), at(100), 1).await.unwrap(), 0);
    assert_eq!(kept(&*there).await, [1, 2, 6].map(key_id));
}

pub(crate) async fn a_key_that_was_used_once_is_never_removed(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(registered(1)).await.unwrap();
    store.insert_key(registered(2)).await.unwrap();
    // Two accounts in one batch, each of them twice.
    let count = |number: u32, outcome| UsageCount {
        account: AccountId(key_id(number)),
        day: day("2026-10-30"),
        endpoint: "GET /health".to_owned(),
        outcome,
        requests: 1,
    };
    let counts = [(1, Outcome::Ok), (2, Outcome::Ok), (1, Outcome::RateLimited), (2, Outcome::RateLimited)];
    store.add_usage("boot", 1, at(0), &counts.map(|(number, outcome)| count(number, outcome))).await.unwrap();
    assert_eq!(store.remove_unused_keys(at(1_000_000), at(1_000_000), 10).await.unwrap(), 0);
}
