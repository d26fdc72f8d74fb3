//! Opening checkouts and the portal.

use futures_util::future::join_all;
use lastro_model::Plan;
use lastro_store::faulty::Operation;

use super::Shop;
use super::stripe::{KEY, Trouble};
use crate::answer::Answer;
use crate::app::id_of;

#[tokio::test]
async fn a_paid_checkout_gives_its_plan_to_the_same_key() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    let before = shop.app.get("/api/v1/billing").key(&key).send().await.expect(200).json();
    let none = serde_json::json!({"plan": "free", "status": "none", "current_period_end": null, "cancel_at_period_end": false});
    assert_eq!(before, none);
    let checkout = shop.begin(&key, "gold").await;
    let form = shop.stripe().checkouts[&checkout].form.clone();
    let account = id_of(&key).to_string();
    for (name, value) in [
        ("mode", "subscription"),
        ("line_items[0][price]", "price_gold"),
        ("line_items[0][quantity]", "1"),
        ("client_reference_id", &account),
        ("customer_email", "test@example.com"),
        ("success_url", "https://data.example/billing/success"),
        ("cancel_url", "https://data.example/billing/cancel"),
        ("metadata[account]", &account),
        ("subscription_data[metadata][account]", &account),
    ] {
        assert_eq!(form.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(form.len(), 9, "{form:?}");
    assert_eq!(shop.plan(&key).await, "free", "nothing is paid yet");
    shop.stripe().pay(&checkout).unwrap();
    shop.deliver().await;
    assert_eq!(shop.plan(&key).await, "gold");
    let after = shop.app.get("/api/v1/billing").key(&key).send().await.expect(200).json();
    let active = serde_json::json!({"plan": "gold", "status": "active", "current_period_end": "2026-12-02T12:00:00Z", "cancel_at_period_end": false});
    assert_eq!(after, active);
}

#[tokio::test]
async fn a_new_checkout_expires_the_one_before() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    let first = shop.begin(&key, "gold").await;
    let second = shop.begin(&key, "platinum").await;
    assert_eq!(shop.stripe().checkouts[&first].status, "expired");
    assert_eq!(shop.stripe().open_checkouts(), std::slice::from_ref(&second));
    shop.deliver().await;
    shop.stripe().pay(&second).unwrap();
    shop.deliver().await;
    assert_eq!(shop.plan(&key).await, "platinum");
}

#[tokio::test]
async fn a_subscriber_is_led_to_the_portal() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    // The events are lost.
    shop.stripe().events.clear();
    for status in ["active", "past_due", "incomplete", "unpaid", "paused"] {
        shop.stripe().change(&subscription, |subscription| subscription.status = status);
        let url = shop.checkout(&key, "platinum").await.expect(201).json()["url"].clone();
        assert_eq!(url, "https://billing.stripe.invalid/p/1", "{status}");
    }
    shop.stripe().change(&subscription, |subscription| subscription.status = "canceled");
    let again = shop.begin(&key, "bronze").await;
    let (checkout, customer) = {
        let state = shop.stripe();
        (state.checkouts[&again].clone(), state.subscriptions[&subscription].customer.clone())
    };
    assert_eq!(checkout.form.get("customer"), Some(&customer), "the same customer as before");
    assert!(!checkout.form.contains_key("customer_email"));
    assert_eq!(shop.plan(&key).await, "free");
}

#[tokio::test]
async fn a_lost_payment_is_learnt_at_the_next_checkout() {
    let shop = Shop::open().await;
    let (key, _) = shop.paid("gold").await;
    shop.stripe().events.clear();
    assert_eq!(shop.plan(&key).await, "free");
    let url = shop.checkout(&key, "gold").await.expect(201).json()["url"].clone();
    assert_eq!(url, "https://billing.stripe.invalid/p/1");
    assert_eq!(shop.plan(&key).await, "gold");
}

#[tokio::test]
async fn the_portal_needs_a_customer() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    shop.app.post("/api/v1/billing/portal", "").key(&key).send().await.expect(404);
    let (key, _) = shop.paid("gold").await;
    shop.deliver().await;
    let url = shop.app.post("/api/v1/billing/portal", "").key(&key).send().await.expect(201).json();
    assert_eq!(url["url"], "https://billing.stripe.invalid/p/1");
    let call = shop.stripe().calls.last().unwrap().clone();
    assert_eq!(call.form["return_url"], "https://data.example/usage");
}

#[tokio::test]
async fn plans_that_are_not_sold_are_refused() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    for body in [r#"{"plan":"free"}"#, r#"{"plan":"lead"}"#, r#"{"plan":1}"#, "{}", "", "[]"] {
        shop.app.post("/api/v1/billing/checkout", body).key(&key).send().await.expect(400);
    }
    shop.app.post("/api/v1/billing/checkout", r#"{"plan":"gold"}"#).send().await.expect(401);
    assert!(shop.stripe().checkouts.is_empty());
}

#[tokio::test]
async fn a_call_that_fails_once_is_repeated_without_effect() {
    let shop = Shop::open().await;
    for trouble in
        [Trouble::Cut, Trouble::Silence, Trouble::Status(409), Trouble::Status(429), Trouble::Status(500)]
    {
        let key = shop.app.ample_key(Plan::Free).await;
        let before = shop.stripe().checkouts.len();
        shop.stripe.trouble([trouble]);
        shop.begin(&key, "gold").await;
        assert_eq!(shop.stripe().checkouts.len(), before + 1, "{trouble:?}");
    }
}

#[tokio::test]
async fn an_unreachable_stripe_is_a_clear_503() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    shop.stripe.trouble([Trouble::Status(503), Trouble::Cut]);
    let message = shop.checkout(&key, "gold").await.expect_error(503);
    assert!(message.contains("payments are not available"), "{message}");
    shop.begin(&key, "gold").await;
}

#[tokio::test]
async fn only_addresses_of_the_web_are_handed_on() {
    let shop = Shop::open().await;
    let (subscriber, _) = shop.paid("gold").await;
    shop.deliver().await;
    let key = shop.app.ample_key(Plan::Free).await;
    for bad in ["javascript:alert(1)", "data:text/html,x", "//x", "/usage", "ftp://x", ""] {
        // A new allowance for each.
        shop.app.advance_seconds(601);
        shop.stripe().address = Some(bad.to_owned());
        shop.checkout(&key, "gold").await.expect(503);
        shop.checkout(&subscriber, "gold").await.expect(503);
        shop.app.post("/api/v1/billing/portal", "").key(&subscriber).send().await.expect(503);
    }
    // The stand-in is called by http, like its pages.
    for good in ["https://pay.example/c/1", "http://127.0.0.1/c/1"] {
        shop.stripe().address = Some(good.to_owned());
        assert_eq!(shop.checkout(&key, "gold").await.expect(201).json()["url"], good);
    }
}

#[tokio::test]
async fn a_checkout_that_cannot_be_recorded_is_given_to_nobody() {
    let shop = Shop::open().await;
    let key = shop.app.ample_key(Plan::Free).await;
    shop.app.faults.fail_next(Operation::RecordBilling);
    shop.checkout(&key, "gold").await.expect(503);
    let recorded = shop.begin(&key, "gold").await;
    assert!(shop.stripe().open_checkouts().contains(&recorded));
}

#[tokio::test]
async fn concurrent_checkouts_leave_one_open() {
    let shop = Shop::open().await;
    let other = shop.app.beside(|setup| super::switch_on(setup, &shop.stripe)).await;
    super::is_ready(&other).await;
    let key = shop.app.ample_key(Plan::Free).await;
    let body = r#"{"plan":"gold"}"#;
    let path = "/api/v1/billing/checkout";
    let asking = (0..8).map(|number| [&shop.app, &other][number % 2].post(path, body).key(&key).send());
    let answers = join_all(asking).await;
    let url = |answer: Answer| match answer.status {
        429 => None,
        _ => Some(answer.expect(201).json()["url"].as_str().unwrap().to_owned()),
    };
    let urls: Vec<String> = answers.into_iter().filter_map(url).collect();
    let given: Vec<&str> = urls.iter().map(|url| url.rsplit('/').next().unwrap()).collect();
    let open = shop.stripe().open_checkouts();
    assert!(!given.is_empty());
    assert_eq!(
        given.iter().filter(|id| open.iter().any(|open| open == *id)).count(),
        1,
        "{given:?} {open:?}"
    );
}

#[tokio::test]
async fn a_second_request_of_an_account_waits_and_others_do_not() {
    let shop = Shop::open().await;
    let (slow, other) = (shop.app.ample_key(Plan::Free).await, shop.app.ample_key(Plan::Free).await);
    shop.stripe.trouble([Trouble::Silence]);
    let asked = shop.stripe().calls.len();
    let meanwhile = async {
        while shop.stripe().calls.len() == asked {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        for _ in 0..20 {
            let refused = shop.checkout(&slow, "gold").await.expect(429);
            assert_eq!(refused.header("retry-after"), "5");
        }
        shop.app.post("/api/v1/billing/portal", "").key(&slow).send().await.expect(429);
        shop.begin(&other, "gold").await;
    };
    let (slowly, ()) = tokio::join!(shop.checkout(&slow, "gold"), meanwhile);
    slowly.expect(201);
}

#[tokio::test]
async fn an_account_has_ten_checkouts_in_ten_minutes() {
    let shop = Shop::open().await;
    let (key, other) = (shop.app.ample_key(Plan::Free).await, shop.app.ample_key(Plan::Free).await);
    for _ in 0..10 {
        shop.begin(&key, "gold").await;
    }
    let asked = shop.stripe().calls.len();
    shop.checkout(&key, "gold").await.expect(429);
    assert_eq!(shop.stripe().calls.len(), asked);
    shop.begin(&other, "gold").await;
    shop.app.advance_seconds(601);
    shop.begin(&key, "gold").await;
}

#[tokio::test]
async fn a_key_that_was_revoked_elsewhere_begins_no_checkout() {
    let shop = Shop::open().await;
    let (deaf, key) = (shop.deaf_replica().await, shop.app.ample_key(Plan::Free).await);
    deaf.get("/health").key(&key).send().await.expect(200);
    shop.app.plain.revoke(id_of(&key), shop.app.timestamp()).await.unwrap();
    deaf.get("/health").key(&key).send().await.expect(200);
    deaf.post("/api/v1/billing/checkout", r#"{"plan":"gold"}"#).key(&key).send().await.expect(401);
    assert!(shop.stripe().checkouts.is_empty());
}

#[tokio::test]
async fn a_key_in_its_grace_is_not_one_that_a_payer_has_left() {
    let shop = Shop::open().await;
    let (old, _) = shop.paid("gold").await;
    shop.deliver().await;
    let rotated = shop.app.post("/api/v1/keys/rotate", "").key(&old).send().await.expect(201).json();
    let new = rotated["api_key"].as_str().unwrap();
    let told = shop.app.request(reqwest::Method::DELETE, "/api/v1/keys/current").key(new).send().await;
    assert!(told.expect(200).json()["message"].as_str().unwrap().contains("subscription goes on"));
}

#[tokio::test]
async fn revoking_the_last_key_of_a_payer_says_so() {
    let shop = Shop::open().await;
    let (key, subscription) = shop.paid("gold").await;
    shop.deliver().await;
    let told = shop.app.request(reqwest::Method::DELETE, "/api/v1/keys/current").key(&key).send().await;
    assert!(told.expect(200).json()["message"].as_str().unwrap().contains("subscription goes on"));
    let (key, other) = shop.paid("gold").await;
    shop.deliver().await;
    assert_ne!(subscription, other);
    shop.stripe().change(&other, |subscription| subscription.status = "canceled");
    shop.deliver().await;
    shop.app.request(reqwest::Method::DELETE, "/api/v1/keys/current").key(&key).send().await.expect(204);
}

#[tokio::test]
async fn secrets_are_shown_nowhere() {
    let shop = Shop::open().await;
    let shown = format!("{:?} {:?}", shop.app.service.app.billing, shop.app.service);
    assert!(!shown.contains("hunter2") && KEY.contains("hunter2"));
    let (_, metrics) = shop.app.admin("/metrics").await;
    assert!(!metrics.contains("hunter2"));
}
