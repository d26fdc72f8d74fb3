//! `lastro billing`, and erasing or revoking somebody who pays.

use lastro_model::{AccountId, KeyId, SubscriptionStatus};
use lastro_store::BillingState;
use serde_json::Value;

use super::Home;
use crate::app::id_of;
use crate::billing::stripe::{KEY, Stripe, Subscription, Trouble};

/// A key whose account has a subscription, here and at Stripe.
async fn paying_key(home: &Home, stripe: &Stripe) -> KeyId {
    let key = id_of(&home.new_key("gold", &[]));
    let store = lastro_store::open_existing(&home.url()).await.unwrap();
    let state = BillingState {
        customer: Some("cus_1".to_owned()),
        subscription: Some("sub_1".to_owned()),
        status: SubscriptionStatus::Active,
        price: Some("price_gold".to_owned()),
        ..BillingState::new(AccountId(key), jiff::Timestamp::UNIX_EPOCH)
    };
    store.record_billing(state, None).await.unwrap();
    let subscription = Subscription {
        customer: "cus_1".to_owned(),
        account: key.to_string(),
        status: "active",
        price: "price_gold".to_owned(),
        created: 1,
    };
    stripe.state().subscriptions.insert("sub_1".to_owned(), subscription);
    key
}

#[tokio::test]
async fn payments_are_listed_and_shown() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let free = id_of(&home.new_key("free", &[])).to_string();
    let key = paying_key(&home, &stripe).await.to_string();
    let listed: Value = serde_json::from_str(&home.must(&["billing", "list", "--json"])).unwrap();
    assert_eq!((&listed[0]["account"], &listed[0]["status"]), (&key.clone().into(), &"active".into()));
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert!(home.must(&["billing", "list"]).contains("cus_1"));
    let shown: Value = serde_json::from_str(&home.must(&["billing", "show", &key, "--json"])).unwrap();
    assert_eq!((&shown["plan"], &shown["subscription"]), (&"gold".into(), &"sub_1".into()));
    assert!(home.must(&["billing", "show", &key]).contains("price_gold"));
    let never = home.run(&["billing", "show", &free]);
    assert!(!never.succeeded() && never.stderr.contains("never begun to pay"), "{}", never.stderr);
}

#[tokio::test]
async fn erasing_a_payer_cancels_first_or_fails() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = paying_key(&home, &stripe).await.to_string();
    let refused = home.run(&["keys", "erase", &key]);
    assert!(!refused.succeeded() && refused.stderr.contains("--stripe-key-file"), "{}", refused.stderr);
    std::fs::write(home.file("key"), KEY).unwrap();
    let erase = ["keys", "erase", &key, "--stripe-key-file", "key", "--stripe-url", &stripe.url()];
    stripe.trouble([Trouble::Status(500), Trouble::Cut]);
    let refused = home.run(&erase);
    assert!(!refused.succeeded() && refused.stderr.contains("nothing was erased"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
    assert!(home.must(&["keys", "list"]).contains(&key));
    home.must(&erase);
    assert_eq!(stripe.state().subscriptions["sub_1"].status, "canceled");
    assert!(!home.must(&["keys", "list"]).contains(&key));
}

#[tokio::test]
async fn revoking_the_last_key_of_a_payer_warns() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = paying_key(&home, &stripe).await.to_string();
    let revoked = home.run(&["keys", "revoke", &key]);
    assert!(revoked.succeeded() && revoked.stderr.contains("still pays"), "{}", revoked.stderr);
    let free = id_of(&home.new_key("free", &[])).to_string();
    assert!(!home.run(&["keys", "revoke", &free]).stderr.contains("still pays"));
}

#[test]
fn half_of_the_payment_settings_is_refused() {
    let home = Home::new();
    let refusal = home.refusal(&["--stripe-prices", "gold=price_1"]);
    assert!(refusal.contains("--stripe-key-file"), "{refusal}");
    let refusal = home.refusal(&["--stripe-prices", "free=price_1"]);
    assert!(refusal.contains("bronze, gold and platinum"), "{refusal}");
}
