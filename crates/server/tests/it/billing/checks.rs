//! The daily check, which makes up for lost events: one account's failure stops no other's.

use lastro_model::{AccountId, Plan};

use super::Shop;
use super::stripe::Trouble;
use crate::app::{id_of, soon};

#[tokio::test]
async fn lost_events_are_made_up_for_by_the_daily_check() {
    let shop = Shop::open().await;
    let (paid, subscription) = shop.paid("gold").await;
    let abandoned = shop.app.ample_key(Plan::Free).await;
    let checkout = shop.begin(&abandoned, "gold").await;
    shop.app.advance_seconds(3601);
    soon(async || shop.plan(&paid).await == "gold").await;
    shop.stripe().change(&subscription, |subscription| subscription.status = "canceled");
    shop.stripe().checkouts.get_mut(&checkout).unwrap().status = "expired";
    // A check that was under way may have noted an account as checked after that: the next one is a day later.
    soon(async || {
        shop.app.advance_seconds(3601);
        shop.plan(&paid).await == "free"
    })
    .await;
    let states = async || shop.app.plain.list_billing().await.unwrap();
    soon(async || states().await.iter().all(|state| state.checkout.is_none())).await;
    assert_eq!(shop.plan(&abandoned).await, "free");
}

#[tokio::test]
async fn one_refused_account_does_not_stop_the_check_of_others() {
    let shop = Shop::open().await;
    let (first, _) = shop.paid("gold").await;
    let (second, _) = shop.paid("gold").await;
    let missing = {
        let ids = if id_of(&first) < id_of(&second) { (&first, &second) } else { (&second, &first) };
        let state = shop.app.plain.billing(AccountId(id_of(ids.0))).await.unwrap().unwrap();
        shop.stripe().checkouts.remove(&state.checkout.unwrap());
        ids.1.clone()
    };
    shop.app.advance_seconds(3601);
    soon(async || shop.plan(&missing).await == "gold").await;
}

/// Keys that have paid for Gold, with their subscriptions, in the order in which they are checked.
async fn payers(shop: &Shop, number: usize) -> Vec<(String, String)> {
    let mut payers = Vec::new();
    for _ in 0..number {
        payers.push(shop.paid("gold").await);
        shop.deliver().await;
    }
    payers.sort_by_key(|(key, _)| id_of(key));
    payers
}

/// Waits longer than usual: each failure takes a while, because a call is made twice.
async fn patiently(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..500 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it did not come true within ten seconds");
}

/// A subscription ends, and nobody tells us.
fn cancel_in_silence(shop: &Shop, subscription: &str) {
    shop.stripe().change(subscription, |subscription| subscription.status = "canceled");
    shop.stripe().events.clear();
}

#[tokio::test]
async fn one_account_that_always_fails_stops_no_other_check() {
    let shop = Shop::open().await;
    let payers = payers(&shop, 2).await;
    let failing = shop.stripe().subscriptions[&payers[0].1].customer.clone();
    shop.stripe().failing.insert(failing.clone());
    for (_, subscription) in &payers {
        cancel_in_silence(&shop, subscription);
    }
    shop.app.advance_seconds(86_401);
    soon(async || shop.plan(&payers[1].0).await == "free").await;
    assert_eq!(shop.plan(&payers[0].0).await, "gold");
    let failures = "lastro_billing_check_failures_total 0\n";
    soon(async || !shop.app.admin("/metrics").await.1.contains(failures)).await;
    shop.stripe().failing.clear();
    soon(async || shop.plan(&payers[0].0).await == "free").await;
}

#[tokio::test]
async fn many_accounts_that_always_fail_stop_nobody_either() {
    let shop = Shop::open().await;
    let payers = payers(&shop, 7).await;
    let (key, subscription) = &payers[6];
    for (_, failing) in &payers[..6] {
        let customer = shop.stripe().subscriptions[failing].customer.clone();
        shop.stripe().failing.insert(customer);
    }
    cancel_in_silence(&shop, subscription);
    shop.app.advance_seconds(86_401);
    patiently(async || shop.plan(key).await == "free").await;
}

#[tokio::test]
async fn a_round_ends_without_stripe_and_the_next_one_goes_on() {
    let shop = Shop::open().await;
    payers(&shop, 8).await;
    // Two attempts for each of six accounts: the first five end the round, and the next one begins with the sixth.
    shop.stripe.trouble([Trouble::Status(500); 12]);
    shop.app.advance_seconds(86_401);
    let all_checked = async || {
        let states = shop.app.plain.list_billing().await.unwrap();
        states.iter().all(|state| shop.app.timestamp().as_second() - state.checked_at.as_second() < 3600)
    };
    patiently(all_checked).await;
    patiently(async || {
        shop.app.admin("/metrics").await.1.contains("lastro_billing_check_failures_total 2\n")
    })
    .await;
}
