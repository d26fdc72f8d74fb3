//! Payments, with a stand-in for Stripe: checkouts, events, lost events, failures, and the plan that comes of them.

mod checkouts;
mod checks;
mod customers;
mod events;
pub(crate) mod histories;
mod pages;
pub(crate) mod stripe;

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use lastro::setup::Setup;
use lastro_model::{AccountId, Plan, SubscriptionStatus, hex};
use lastro_store::BillingState;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::answer::Answer;
use crate::app::{TestApp, id_of, soon};
use stripe::{KEY, State, Stripe};

pub(crate) const SECRET: &str = "whsec_hunter2";

/// Turns payments on.
pub(crate) fn switch_on(setup: &mut Setup, stripe: &Stripe) {
    let directory = setup.common.pepper_file.as_ref().unwrap().parent().unwrap().to_owned();
    let file = |name: &str, content: &str| {
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        Some(path)
    };
    setup.settings.pages.public_url = Some("https://data.example".parse().unwrap());
    let billing = &mut setup.settings.billing;
    billing.stripe.stripe_key_file = file("stripe-key", KEY);
    billing.stripe.stripe_url = stripe.url();
    billing.stripe_webhook_secret_file = file("stripe-secret", SECRET);
    billing.stripe_prices = "bronze=price_bronze,gold=price_gold,platinum=price_platinum".parse().unwrap();
    billing.poll_interval = Duration::from_millis(20);
    billing.timeout = Duration::from_millis(500);
}

/// Gives the account of a key a customer with a subscription, as if it had paid.
pub(crate) async fn give_customer(app: &TestApp, key: &str) {
    let account = AccountId(id_of(key));
    let state = BillingState {
        customer: Some(format!("cus_{account}")),
        subscription: Some("sub_1".to_owned()),
        status: SubscriptionStatus::Active,
        ..BillingState::new(account, app.timestamp())
    };
    app.plain.record_billing(state, None).await.unwrap();
}

pub(crate) async fn is_ready(app: &TestApp) {
    let billing = app.service.app.billing.as_ref().unwrap();
    soon(async || billing.offers().is_some()).await;
}

/// A service with payments, and the stand-in.
struct Shop {
    app: TestApp,
    stripe: Stripe,
}

impl Shop {
    async fn open() -> Self {
        let stripe = Stripe::open();
        let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
        is_ready(&app).await;
        Self { app, stripe }
    }

    /// Another replica, which hears of no change of a key.
    async fn deaf_replica(&self) -> TestApp {
        let change = |setup: &mut Setup| {
            switch_on(setup, &self.stripe);
            setup.settings.poll_interval = Duration::from_secs(3600);
        };
        let replica = self.app.beside(change).await;
        is_ready(&replica).await;
        replica
    }

    fn stripe(&self) -> std::sync::MutexGuard<'_, State> {
        self.stripe.state()
    }

    async fn checkout(&self, key: &str, plan: &str) -> Answer {
        let body = json!({ "plan": plan }).to_string();
        self.app.post("/api/v1/billing/checkout", body).key(key).send().await
    }

    /// Opens a checkout and returns its id.
    async fn begin(&self, key: &str, plan: &str) -> String {
        let url = self.checkout(key, plan).await.expect(201).json()["url"].as_str().unwrap().to_owned();
        url.strip_prefix("https://checkout.stripe.invalid/c/").expect("a checkout").to_owned()
    }

    /// A key that has paid for a plan, and its subscription. No event was delivered.
    async fn paid(&self, plan: &str) -> (String, String) {
        let key = self.app.ample_key(Plan::Free).await;
        let checkout = self.begin(&key, plan).await;
        let subscription = self.stripe().pay(&checkout).unwrap();
        (key, subscription)
    }

    /// Delivers all events that Stripe has made since.
    async fn deliver(&self) {
        let events = std::mem::take(&mut self.stripe().events);
        for (kind, object) in events {
            deliver(&self.app, &event(&kind, &object)).await.expect(200);
        }
    }

    async fn plan(&self, key: &str) -> String {
        plan(&self.app, key).await
    }
}

/// The plan that a request with this key has.
async fn plan(app: &TestApp, key: &str) -> String {
    app.get("/health").key(key).send().await.expect(200).header("x-plan").to_owned()
}

/// The plan of a price of the stand-in.
pub(crate) fn plan_name(price: &str) -> &str {
    price.trim_start_matches("price_")
}

pub(crate) fn event(kind: &str, object: &Value) -> Value {
    let mut id = [0; 8];
    lastro_background::clock::fill_random(&mut id);
    json!({"id": format!("evt_{}", hex::encode(&id)), "type": kind, "data": {"object": object}})
}

/// The header of a body signed with this secret at this time.
pub(crate) fn signature(secret: &str, at: i64, body: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    let mac = mac.chain_update(format!("{at}.{body}"));
    format!("t={at},v1={}", hex::encode(&mac.finalize().into_bytes()))
}

async fn deliver(app: &TestApp, event: &Value) -> Answer {
    let (body, at) = (event.to_string(), app.timestamp().as_second());
    let header = signature(SECRET, at, &body);
    app.post("/billing/stripe", body).header("stripe-signature", &header).send().await
}

#[tokio::test]
async fn without_settings_nothing_of_payments_exists() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    app.get("/api/v1/billing").key(&key).send().await.expect(404);
    app.get("/api/v1/billing").send().await.expect(404);
    for path in ["/api/v1/billing/checkout", "/api/v1/billing/portal", "/billing/stripe"] {
        app.post(path, "{}").key(&key).send().await.expect(404);
        app.get(path).send().await.expect(404);
    }
}

#[tokio::test]
async fn payments_wait_for_the_prices_and_the_rest_serves() {
    let stripe = Stripe::open();
    let gold = stripe.state().prices.remove("price_gold").unwrap();
    let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    let key = app.ample_key(Plan::Free).await;
    for price in [
        None,
        Some(json!({"active": false})),
        Some(json!({"recurring": {"interval": "year", "interval_count": 1}})),
    ] {
        if let Some(change) = price {
            let mut bad = gold.clone();
            bad.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            stripe.state().prices.insert("price_gold".to_owned(), bad);
        }
        let asked = stripe.state().calls.len();
        soon(async || stripe.state().calls.len() > asked + 6).await;
        app.get("/api/v1/billing").key(&key).send().await.expect(503);
        app.post("/api/v1/billing/checkout", r#"{"plan":"gold"}"#).key(&key).send().await.expect(503);
        deliver(&app, &event("invoice.paid", &json!({"customer": "cus_1"}))).await.expect(503);
    }
    app.get("/health").key(&key).send().await.expect(200);
    stripe.state().prices.insert("price_gold".to_owned(), gold);
    is_ready(&app).await;
    app.get("/api/v1/billing").key(&key).send().await.expect(200);
}

#[tokio::test]
async fn metrics_show_events_and_subscriptions() {
    let shop = Shop::open().await;
    shop.paid("gold").await;
    shop.deliver().await;
    let applied = r#"lastro_billing_events_total{type="checkout.session.completed",outcome="applied"} 1"#;
    let active = r#"lastro_billing_subscriptions{status="active"} 1"#;
    soon(async || shop.app.admin("/metrics").await.1.contains(active)).await;
    let (_, metrics) = shop.app.admin("/metrics").await;
    assert!(metrics.contains(applied) && metrics.contains("lastro_billing_ready 1\n"), "{metrics}");
}
