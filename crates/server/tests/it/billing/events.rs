//! Stripe's events: signatures, repetitions, losses, and the daily check that makes up for them.

use lastro_model::{AccountId, Plan};
use lastro_store::faulty::Operation;
use serde_json::{Value, json};

use super::stripe::Trouble;
use super::{SECRET, Shop, deliver, event, is_ready, plan, signature, switch_on};
use crate::app::{id_of, soon};

/// Delivers what Stripe has made, in any order and with every event twice.
async fn deliver_in_disorder(shop: &Shop) {
    let mut events: Vec<Value> =
        std::mem::take(&mut shop.stripe().events).iter().map(|(kind, object)| event(kind, object)).collect();
    events.extend(events.clone());
    fastrand::shuffle(&mut events);
    for event in &events {
        deliver(&shop.app, event).await.expect(200);
    }
}

#[tokio::test]
async fn only_signed_events_of_now_are_taken() {
    let shop = Shop::open().await;
    let (key, _) = shop.paid("gold").await;
    let (kind, object) = shop.stripe().events[0].clone();
    let (body, now) = (event(&kind, &object).to_string(), shop.app.timestamp().as_second());
    let good = signature(SECRET, now, &body);
    let old = format!("v1={}", "0".repeat(64));
    for bad in [
        String::new(),
        signature("whsec_other", now, &body),
        signature("hunter2", now, &body),
        signature(SECRET, now - 301, &body),
        signature(SECRET, now + 301, &body),
        signature(SECRET, now, "{}"),
        good.replace("v1=", "v0="),
    ] {
        let asking = shop.app.post("/billing/stripe", body.clone()).header("stripe-signature", &bad);
        asking.send().await.expect(400);
    }
    assert_eq!(shop.plan(&key).await, "free");
    let rolled = good.replace(",v1=", &format!(",{old},v1="));
    shop.app.post("/billing/stripe", body).header("stripe-signature", &rolled).send().await.expect(200);
    assert_eq!(shop.plan(&key).await, "gold");
    let large = " ".repeat(256 * 1024 + 1);
    shop.app.post("/billing/stripe", large).header("stripe-signature", &good).send().await.expect(413);
}

#[tokio::test]
async fn events_cost_no_quota_and_need_no_key() {
    let shop = Shop::open().await;
    for _ in 0..40 {
        deliver(&shop.app, &event("charge.succeeded", &json!({"customer": "cus_1"}))).await.expect(200);
    }
    shop.app.get("/health").send().await.expect(200);
}

#[tokio::test]
async fn strange_events_change_nothing() {
    let shop = Shop::open().await;
    let asked = shop.stripe().calls.len();
    for (kind, object) in [
        ("customer.subscription.updated", json!({"customer": "../prices"})),
        ("customer.subscription.updated", json!({"customer": 7})),
        ("customer.subscription.updated", json!({})),
        ("charge.refunded", json!({"customer": "cus_1"})),
        ("checkout.session.expired", json!({"id": "cs_unknown"})),
    ] {
        deliver(&shop.app, &event(kind, &object)).await.expect(200);
    }
    for strange in [
        json!({"id": "evt_1", "type": "x"}),
        json!({"id": "evt_1", "type": "invoice.paid"}),
        json!({"id": "evt_2", "type": "invoice.paid", "data": 7}),
        json!({"id": "evt_3", "type": "invoice.paid", "data": {"object": []}}),
        json!({"id": "evt_4", "type": "checkout.session.expired", "data": {"object": {"id": 7}}}),
        json!({"id": 5, "type": "invoice.paid", "data": {"object": {"customer": "cus_1"}}}),
        json!({"type": "invoice.paid", "data": null}),
    ] {
        deliver(&shop.app, &strange).await.expect(200);
    }
    assert_eq!(shop.stripe().calls.len(), asked, "Stripe was not asked");
    let (_, metrics) = shop.app.admin("/metrics").await;
    assert!(metrics.contains(r#"{type="invoice.paid",outcome="ignored"} 5"#), "{metrics}");
    assert!(!metrics.contains(r#"{type="invoice.paid",outcome="failed"} 1"#), "{metrics}");
    for nothing in [json!({"id": "evt_1"}), json!([]), json!({"type": 7})] {
        deliver(&shop.app, &nothing).await.expect(400);
    }
    deliver(&shop.app, &event("invoice.paid", &json!({"customer": "cus_stranger"}))).await.expect(200);
    assert!(shop.app.plain.list_billing().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_known_event_asks_nobody() {
    let shop = Shop::open().await;
    let (_, _) = shop.paid("gold").await;
    let (kind, object) = shop.stripe().events[0].clone();
    let event = event(&kind, &object);
    deliver(&shop.app, &event).await.expect(200);
    let asked = shop.stripe().calls.len();
    deliver(&shop.app, &event).await.expect(200);
    assert_eq!(shop.stripe().calls.len(), asked);
    shop.app.advance_seconds(41 * 86_400);
    soon(async || !shop.app.plain.knows_billing_event(event["id"].as_str().unwrap()).await.unwrap()).await;
}

#[tokio::test]
async fn the_plan_follows_the_status() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    for (status, expected) in [
        ("past_due", "gold"),
        ("unpaid", "free"),
        ("active", "gold"),
        ("paused", "free"),
        ("trialing", "gold"),
        ("canceled", "free"),
    ] {
        shop.stripe().change(&subscription, |subscription| subscription.status = status);
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, expected, "{status}");
    }
}

#[tokio::test]
async fn an_incomplete_payment_gives_nothing_and_takes_nothing() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Bronze).await;
    let checkout = shop.begin(&key, "gold").await;
    let subscription = shop.stripe().complete(&checkout, "incomplete").unwrap();
    shop.deliver().await;
    assert_eq!(shop.plan(&key).await, "bronze");
    shop.stripe().change(&subscription, |subscription| subscription.status = "active");
    shop.deliver().await;
    assert_eq!(shop.plan(&key).await, "gold");
}

#[tokio::test]
async fn a_changed_price_changes_the_plan_and_an_unknown_one_does_not() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    for (price, expected) in
        [("price_platinum", "platinum"), ("price_stranger", "platinum"), ("price_bronze", "bronze")]
    {
        shop.stripe().change(&subscription, |subscription| subscription.price = price.to_owned());
        shop.deliver().await;
        assert_eq!(shop.plan(&key).await, expected, "{price}");
    }
}

#[tokio::test]
async fn the_operators_plan_stands_until_the_status_changes() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    shop.app.elsewhere().await.set_plan(id_of(&key), Plan::Platinum, None).await.unwrap();
    soon(async || shop.plan(&key).await == "platinum").await;
    let customer = shop.stripe().subscriptions[&subscription].customer.clone();
    deliver(&shop.app, &event("invoice.paid", &json!({ "customer": customer }))).await.expect(200);
    assert_eq!(shop.plan(&key).await, "platinum");
    shop.stripe().change(&subscription, |subscription| subscription.status = "past_due");
    shop.deliver().await;
    assert_eq!(shop.plan(&key).await, "gold");
}

#[tokio::test]
async fn a_price_that_moves_to_another_plan_takes_its_payers_along() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    let moved = shop.app.beside(|setup| {
        switch_on(setup, &shop.stripe);
        setup.settings.billing.stripe_prices = "platinum=price_gold,bronze=price_bronze".parse().unwrap();
    });
    let moved = moved.await;
    is_ready(&moved).await;
    let customer = shop.stripe().subscriptions[&subscription].customer.clone();
    let hint = || event("invoice.paid", &json!({ "customer": customer }));
    deliver(&moved, &hint()).await.expect(200);
    assert_eq!(plan(&moved, &key).await, "platinum");
    shop.app.elsewhere().await.set_plan(id_of(&key), Plan::Bronze, None).await.unwrap();
    deliver(&moved, &hint()).await.expect(200);
    soon(async || plan(&moved, &key).await == "bronze").await;
}

#[tokio::test]
async fn what_an_earlier_version_applied_is_not_applied_again() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    shop.app.elsewhere().await.set_plan(id_of(&key), Plan::Platinum, None).await.unwrap();
    let mut state = shop.app.plain.billing(AccountId(id_of(&key))).await.unwrap().unwrap();
    assert_eq!(state.applied, Some(format!("{subscription} active price_gold gold")));
    state.applied = Some(format!("{subscription} active price_gold"));
    let customer = state.customer.clone();
    shop.app.plain.record_billing(state, None).await.unwrap().unwrap();
    deliver(&shop.app, &event("invoice.paid", &json!({ "customer": customer }))).await.expect(200);
    soon(async || shop.plan(&key).await == "platinum").await;
    let state = shop.app.plain.billing(AccountId(id_of(&key))).await.unwrap().unwrap();
    assert_eq!(state.applied, Some(format!("{subscription} active price_gold gold")));
}

#[tokio::test]
async fn plan_and_status_are_shown_together_on_all_replicas() {
    let shop = Shop::open().await;
    let deaf = shop.deaf_replica().await;
    let (key, _) = shop.paid("gold").await;
    assert_eq!(plan(&deaf, &key).await, "free");
    shop.deliver().await;
    let shown = deaf.get("/api/v1/billing").key(&key).send().await.expect(200).json();
    assert_eq!((&shown["plan"], &shown["status"]), (&"gold".into(), &"active".into()));
}

#[tokio::test]
async fn order_and_repetition_change_nothing() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    for status in ["past_due", "unpaid", "canceled", "active"] {
        shop.stripe().change(&subscription, |subscription| subscription.status = status);
    }
    deliver_in_disorder(&shop).await;
    assert_eq!(shop.plan(&key).await, "gold");
}

#[tokio::test]
async fn a_failed_event_is_a_5xx_and_succeeds_again() {
    let shop = Shop::open().await;
    let (key, _) = shop.paid("gold").await;
    let (kind, object) = shop.stripe().events[0].clone();
    let event = event(&kind, &object);
    for operation in [Operation::KnowsBillingEvent, Operation::FindBilling, Operation::RecordBilling] {
        shop.app.faults.fail_next(operation);
        deliver(&shop.app, &event).await.expect(503);
        assert_eq!(shop.plan(&key).await, "free");
    }
    shop.stripe.trouble([Trouble::Status(500), Trouble::Status(429)]);
    deliver(&shop.app, &event).await.expect(503);
    shop.app.faults.fail_next(Operation::RememberBillingEvent);
    deliver(&shop.app, &event).await.expect(503);
    deliver(&shop.app, &event).await.expect(200);
    assert_eq!(shop.plan(&key).await, "gold");
}

#[tokio::test]
async fn a_plan_is_in_force_on_all_replicas() {
    let shop = Shop::open().await;
    let other = shop.app.beside(|setup| switch_on(setup, &shop.stripe)).await;
    is_ready(&other).await;
    let (key, subscription) = shop.paid("gold").await;
    assert_eq!(plan(&other, &key).await, "free");
    let events: Vec<Value> =
        std::mem::take(&mut shop.stripe().events).iter().map(|(kind, object)| event(kind, object)).collect();
    let (here, there) = tokio::join!(deliver(&shop.app, &events[0]), deliver(&other, &events[1]));
    here.expect(200);
    there.expect(200);
    soon(async || plan(&other, &key).await == "gold" && shop.plan(&key).await == "gold").await;
    shop.stripe().change(&subscription, |subscription| subscription.status = "canceled");
    let (kind, object) = shop.stripe().events.pop().unwrap();
    deliver(&other, &event(&kind, &object)).await.expect(200);
    soon(async || plan(&other, &key).await == "free" && shop.plan(&key).await == "free").await;
}
