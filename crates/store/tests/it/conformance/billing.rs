//! The payments of accounts: written over the version that was read, together with the plan.

use jiff::Timestamp;
use lastro_model::{AccountId, Plan, SubscriptionStatus};
use lastro_store::{BillingDue, BillingState, Store, StoreError};

use super::Place;
use crate::specimen::{at, key_id, new_key};

fn account(number: u32) -> AccountId {
    AccountId(key_id(number))
}

pub(crate) fn paying(number: u32, checked_at: Timestamp) -> BillingState {
    BillingState {
        customer: Some(format!("cus_{number}")),
        checkout: Some(format!("cs_{number}")),
        subscription: Some("sub_1".to_owned()),
        status: SubscriptionStatus::Active,
        price: Some("price_gold".to_owned()),
        period_end: Some(at(900)),
        cancel_at_period_end: true,
        applied: Some("sub_1 active price_gold".to_owned()),
        ..BillingState::new(account(number), checked_at)
    }
}

async fn store_with_keys(place: &impl Place, keys: u32) -> std::sync::Arc<dyn Store> {
    let store = place.open().await;
    for number in 1..=keys {
        store.insert_key(new_key(number)).await.unwrap();
    }
    store
}

pub(crate) async fn a_billing_state_is_returned_as_recorded(place: &impl Place) {
    let store = store_with_keys(place, 2).await;
    assert_eq!(store.billing(account(1)).await.unwrap(), None);
    let keys = store.record_billing(paying(1, at(5)), Some(Plan::Gold)).await.unwrap().unwrap();
    assert_eq!(
        keys.iter().map(|key| (key.id, key.account.plan)).collect::<Vec<_>>(),
        [(key_id(1), Plan::Gold)]
    );
    let stored = BillingState { version: 1, ..paying(1, at(5)) };
    let elsewhere = place.open().await;
    assert_eq!(elsewhere.billing(account(1)).await.unwrap().as_ref(), Some(&stored));
    assert_eq!(elsewhere.find_billing("cus_1", None).await.unwrap().as_ref(), Some(&stored));
    assert_eq!(elsewhere.find_billing("cus_9", Some("cs_1")).await.unwrap().as_ref(), Some(&stored));
    assert_eq!(elsewhere.find_billing("cus_9", Some("cs_9")).await.unwrap(), None);
    assert_eq!(elsewhere.list_billing().await.unwrap(), [stored]);
    assert_eq!(elsewhere.count_billing().await.unwrap(), [(SubscriptionStatus::Active, 1)]);
    let plan = elsewhere.key(key_id(2)).await.unwrap().unwrap().account.plan;
    assert_eq!(plan, new_key(2).account.plan, "other accounts are left alone");
}

pub(crate) async fn a_stale_billing_state_changes_nothing(place: &impl Place) {
    let store = store_with_keys(place, 1).await;
    store.record_billing(paying(1, at(5)), Some(Plan::Gold)).await.unwrap().unwrap();
    let stale = paying(1, at(6));
    assert_eq!(store.record_billing(stale, Some(Plan::Platinum)).await.unwrap(), None);
    let read = store.billing(account(1)).await.unwrap().unwrap();
    let ended = BillingState { status: SubscriptionStatus::Canceled, ..read };
    let first = store.record_billing(ended.clone(), Some(Plan::Free)).await.unwrap();
    assert_eq!(first.unwrap()[0].account.plan, Plan::Free);
    assert_eq!(store.record_billing(ended, Some(Plan::Bronze)).await.unwrap(), None);
    assert_eq!(store.key(key_id(1)).await.unwrap().unwrap().account.plan, Plan::Free);
}

pub(crate) async fn billing_without_a_new_plan_renews_no_key(place: &impl Place) {
    let store = store_with_keys(place, 1).await;
    store.set_plan(key_id(1), Plan::Gold, Some(Some(7))).await.unwrap();
    let before = store.key(key_id(1)).await.unwrap();
    let same = store.record_billing(paying(1, at(5)), Some(Plan::Gold)).await.unwrap();
    assert_eq!(same, Some(Vec::new()));
    assert_eq!(store.key(key_id(1)).await.unwrap(), before);
    let read = store.billing(account(1)).await.unwrap().unwrap();
    let changed = store.record_billing(read, Some(Plan::Bronze)).await.unwrap().unwrap();
    assert_eq!(changed[0].account.rate_limit, Some(7), "an agreed limit stays");
}

pub(crate) async fn billing_ends_with_its_account(place: &impl Place) {
    let store = store_with_keys(place, 1).await;
    let unknown = store.record_billing(paying(9, at(5)), None).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    store.record_billing(paying(1, at(5)), None).await.unwrap();
    store.erase(key_id(1), at(6)).await.unwrap();
    assert_eq!(store.list_billing().await.unwrap(), []);
}

pub(crate) async fn accounts_with_billing_are_not_removed_as_unused(place: &impl Place) {
    let store = place.open().await;
    for number in 1..=2 {
        let mut key = new_key(number);
        (key.self_registered, key.account.plan) = (true, Plan::Free);
        store.insert_key(key).await.unwrap();
    }
    store.record_billing(paying(1, at(5)), None).await.unwrap();
    assert_eq!(store.remove_unused_keys(at(1_000_000_000), at(1_000_000_000), 10).await.unwrap(), 1);
    assert!(store.key(key_id(1)).await.unwrap().is_some());
}

pub(crate) async fn due_billing_is_what_can_still_change(place: &impl Place) {
    let store = store_with_keys(place, 5).await;
    let open = |number| BillingState {
        checkout: Some(format!("cs_{number}")),
        ..BillingState::new(account(number), at(10))
    };
    let subscribed = |number, status| BillingState { checkout: None, status, ..paying(number, at(10)) };
    for state in [
        open(1),
        subscribed(2, SubscriptionStatus::PastDue),
        subscribed(3, SubscriptionStatus::Canceled),
        subscribed(4, SubscriptionStatus::Unpaid),
    ] {
        store.record_billing(state, None).await.unwrap();
    }
    let due = async |checkouts, subscriptions, after: Option<u32>, limit| {
        let due = BillingDue {
            checkouts_before: at(checkouts),
            subscriptions_before: at(subscriptions),
            after: after.map(account),
            limit,
        };
        let found = store.billing_due(due).await.unwrap();
        found.into_iter().map(|state| state.account).collect::<Vec<_>>()
    };
    assert_eq!(due(11, 11, None, 9).await, [1, 2, 4].map(account));
    assert_eq!(due(10, 11, None, 9).await, [2, 4].map(account));
    assert_eq!(due(11, 10, None, 9).await, [account(1)]);
    assert_eq!(due(11, 11, Some(1), 1).await, [account(2)]);
}

pub(crate) async fn billing_events_are_known_until_forgotten(place: &impl Place) {
    let store = place.open().await;
    for (id, second) in [("evt_1", 1), ("evt_1", 9), ("evt_2", 5)] {
        store.remember_billing_event(id, at(second)).await.unwrap();
    }
    assert!(store.knows_billing_event("evt_1").await.unwrap());
    assert_eq!(store.forget_billing_events(at(5)).await.unwrap(), 1);
    assert!(!store.knows_billing_event("evt_1").await.unwrap());
    assert!(store.knows_billing_event("evt_2").await.unwrap());
}

pub(crate) async fn an_account_is_erased_only_with_the_billing_that_was_read(place: &impl Place) {
    let store = store_with_keys(place, 2).await;
    assert_eq!(store.erase_if_billing_is(key_id(1), at(9), 1).await.unwrap(), None);
    store.record_billing(paying(1, at(5)), None).await.unwrap().unwrap();
    for wrong in [0, 2] {
        assert_eq!(store.erase_if_billing_is(key_id(1), at(9), wrong).await.unwrap(), None);
    }
    assert!(
        store.key(key_id(1)).await.unwrap().is_some() && store.billing(account(1)).await.unwrap().is_some()
    );
    let erased = store.erase_if_billing_is(key_id(1), at(9), 1).await.unwrap().unwrap();
    assert_eq!((erased.account, erased.keys.as_slice()), (account(1), [key_id(1)].as_slice()));
    assert!(store.erase_if_billing_is(key_id(2), at(9), 0).await.unwrap().is_some(), "one who never paid");
    assert!(store.list_keys().await.unwrap().is_empty() && store.list_billing().await.unwrap().is_empty());
    assert_eq!(store.erase_if_billing_is(key_id(1), at(9), 0).await, Err(StoreError::NotFound));
}
