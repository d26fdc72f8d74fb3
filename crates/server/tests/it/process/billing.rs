//! `lastro billing`, and erasing or revoking somebody who pays.

use lastro_model::{AccountId, KeyId, SubscriptionStatus};
use lastro_store::BillingState;
use serde_json::Value;

use super::{Home, Running, client};
use crate::app::id_of;
use crate::billing::stripe::{Checkout, KEY, OTHER_KEY, Stripe, Subscription, Trouble};
use crate::billing::{SECRET, event, signature};

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
    assert!(!never.succeeded() && never.stderr.contains("has no payments"), "{}", never.stderr);
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
    stripe.trouble([Trouble::Page(404)]);
    let refused = home.run(&erase);
    assert!(!refused.succeeded() && refused.stderr.contains("nothing was erased"), "{}", refused.stderr);
    assert!(home.must(&["keys", "list"]).contains(&key));
    home.must(&erase);
    assert_eq!(stripe.state().subscriptions["sub_1"].status, "canceled");
    assert!(!home.must(&["keys", "list"]).contains(&key));
}

#[tokio::test]
async fn a_payer_whom_stripe_has_deleted_can_be_erased() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = paying_key(&home, &stripe).await.to_string();
    std::fs::write(home.file("key"), KEY).unwrap();
    stripe.state().delete("cus_1");
    home.must(&["keys", "erase", &key, "--stripe-key-file", "key", "--stripe-url", &stripe.url()]);
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

#[tokio::test]
async fn a_payer_without_a_key_gets_a_new_one_from_the_operator() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = paying_key(&home, &stripe).await.to_string();
    let revoked = home.run(&["keys", "revoke", &key]);
    assert!(revoked.stderr.contains(&format!("keys rotate {key}")), "{}", revoked.stderr);
    let new = id_of(home.must(&["keys", "rotate", &key]).trim());
    let shown: Value =
        serde_json::from_str(&home.must(&["billing", "show", &new.to_string(), "--json"])).unwrap();
    assert_eq!((&shown["account"], &shown["plan"]), (&key.clone().into(), &"gold".into()));
    let refused = home.run(&["keys", "rotate", &key]);
    assert!(!refused.succeeded() && refused.stderr.contains("has a newer one"), "{}", refused.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkout_that_begins_while_its_account_is_erased_is_ended() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = paying_key(&home, &stripe).await;
    std::fs::write(home.file("key"), KEY).unwrap();
    stripe.trouble([Trouble::Late]);
    let begin = async {
        while stripe.state().calls.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let store = lastro_store::open_existing(&home.url()).await.unwrap();
        assert!(store.key(key).await.unwrap().unwrap().revoked, "before Stripe is asked");
        // As a request that was under way would.
        let form = [("client_reference_id", key), ("subscription_data[metadata][account]", key)];
        let form = form.map(|(name, value)| (name.to_owned(), value.to_string())).into();
        let checkout = Checkout { status: "open", customer: Some("cus_1".to_owned()), form };
        stripe.state().checkouts.insert("cs_late".to_owned(), checkout);
        let state = store.billing(AccountId(key)).await.unwrap().unwrap();
        let state = BillingState { checkout: Some("cs_late".to_owned()), ..state };
        store.record_billing(state, None).await.unwrap().unwrap();
    };
    let id = key.to_string();
    let erase = ["keys", "erase", &id, "--stripe-key-file", "key", "--stripe-url", &stripe.url()];
    tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            scope.spawn(|| home.must(&erase));
            tokio::runtime::Handle::current().block_on(begin);
        });
    });
    assert_eq!(stripe.state().checkouts["cs_late"].status, "expired");
    assert_eq!(stripe.state().subscriptions["sub_1"].status, "canceled");
    assert!(!home.must(&["keys", "list"]).contains(&id));
}

#[test]
fn half_of_the_payment_settings_is_refused() {
    let home = Home::new();
    let refusal = home.refusal(&["--stripe-prices", "gold=price_1"]);
    assert!(refusal.contains("--stripe-key-file"), "{refusal}");
    let refusal = home.refusal(&["--stripe-prices", "free=price_1"]);
    assert!(refusal.contains("bronze, gold, platinum"), "{refusal}");
}

#[test]
fn addresses_of_stripe_that_cannot_be_used_are_refused() {
    let home = Home::new();
    for url in ["ftp://x", "https://", "api.stripe.com", "https://a?b", "javascript:alert(1)", ""] {
        let refusal = home.refusal(&["--stripe-url", url]);
        assert!(refusal.contains("--stripe-url") && refusal.contains("https://"), "{url}: {refusal}");
        let checked = home.run(&["check", "--stripe-url", url]);
        assert!(!checked.succeeded() && checked.stderr.contains("--stripe-url"), "{url}");
        assert!(!checked.stdout.contains("ok"), "{url}: {}", checked.stdout);
    }
}

/// The settings of payments, with their files.
pub(super) fn settings(home: &Home, stripe: &Stripe) -> Vec<String> {
    std::fs::write(home.file("key"), KEY).unwrap();
    std::fs::write(home.file("secret"), SECRET).unwrap();
    let fixed = [
        "--public-url=https://data.example",
        "--stripe-key-file=key",
        "--stripe-webhook-secret-file=secret",
        "--stripe-prices=bronze=price_bronze,gold=price_gold,platinum=price_platinum",
    ];
    let url = format!("--stripe-url={}", stripe.url());
    fixed.map(str::to_owned).into_iter().chain([url]).collect()
}

/// A server with payments that knows its prices.
async fn serve(home: &Home, stripe: &Stripe, key: &str) -> Running {
    let settings = settings(home, stripe);
    let server = home.serve(&settings.iter().map(String::as_str).collect::<Vec<_>>());
    server.becomes("/api/v1/billing", key, 200).await;
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_asks_stripe_for_the_prices() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let settings = settings(&home, &stripe);
    let check = || {
        let free = ["check", "--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"];
        let all = free.into_iter().chain(settings.iter().map(String::as_str));
        let finished = home.run(&all.collect::<Vec<_>>());
        assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
        assert!(!finished.stdout.contains("hunter2"), "{}", finished.stdout);
        finished.stdout.lines().find(|line| line.contains("payments")).unwrap().to_owned()
    };
    assert!(check().starts_with("ok "));
    stripe.state().prices.remove("price_gold");
    let found = check();
    assert!(found.starts_with("warning") && found.contains("price_gold"), "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_reads_the_secrets_of_payments_again() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = home.new_key("free", &[]);
    let server = serve(&home, &stripe, &key).await;
    let event = event("customer.created", &serde_json::json!({"id": "cus_1"}));
    assert_eq!(deliver(&server.url, &event).await, Some(200));
    std::fs::write(home.file("secret"), "whsec_rolled").unwrap();
    server.signal("HUP");
    server.says("the settings were read again");
    assert_eq!(deliver(&server.url, &event).await, Some(400));
    std::fs::write(home.file("secret"), "").unwrap();
    server.signal("HUP");
    server.says("nothing was changed: --stripe-webhook-secret-file");
    assert_eq!(deliver_signed("whsec_rolled", &server.url, &event).await, Some(200));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_takes_over_only_a_key_that_knows_the_prices() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = home.new_key("free", &[]);
    let server = serve(&home, &stripe, &key).await;
    for (wrong, reason) in [(OTHER_KEY, "it does not exist"), ("sk_mistyped_hunter2", "status 401")] {
        std::fs::write(home.file("key"), wrong).unwrap();
        server.signal("HUP");
        server.says(reason);
        server.says("so the old one stays");
        checkout(&server, &key).await;
    }
    let rolled = "sk_rolled_hunter2";
    stripe.state().rolled_key = Some(rolled.to_owned());
    std::fs::write(home.file("key"), rolled).unwrap();
    server.signal("HUP");
    server.says("the settings were read again");
    checkout(&server, &key).await;
    let used = stripe.state().calls.last().unwrap().headers["authorization"].clone();
    assert_eq!(used, format!("Bearer {rolled}"));
    assert!(!server.log().concat().contains("hunter2"));
}

/// The address to pay at.
async fn checkout(server: &Running, key: &str) -> String {
    let asking = client().post(format!("{}/api/v1/billing/checkout", server.url)).header("x-api-key", key);
    let answer = asking.body(r#"{"plan":"gold"}"#).send().await.unwrap();
    assert_eq!(answer.status(), 201);
    let answer: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    answer["url"].as_str().unwrap().to_owned()
}

/// Delivers an event, and returns the status of the answer, if there is any.
pub(super) async fn deliver(url: &str, event: &Value) -> Option<u16> {
    deliver_signed(SECRET, url, event).await
}

async fn deliver_signed(secret: &str, url: &str, event: &Value) -> Option<u16> {
    let (body, now) = (event.to_string(), jiff::Timestamp::now().as_second());
    let header = signature(secret, now, &body);
    let sending = client().post(format!("{url}/billing/stripe")).header("stripe-signature", header);
    sending.body(body).send().await.ok().map(|answer| answer.status().as_u16())
}

/// Makes a request until Stripe has done what it was asked for, without an answer.
async fn interrupted<T>(stripe: &Stripe, asking: impl Future<Output = T>) {
    let asked = stripe.state().calls.len();
    stripe.trouble([Trouble::LostAnswer]);
    let called = async {
        while stripe.state().calls.len() == asked {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = asking => panic!("it was answered"),
        () = called => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_no_payment_and_repeats_none() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let key = home.new_key("free", &[]);
    let server = serve(&home, &stripe, &key).await;
    interrupted(&stripe, checkout(&server, &key)).await;
    server.kill();
    let server = serve(&home, &stripe, &key).await;
    let given = checkout(&server, &key).await;
    assert_eq!(stripe.state().open_checkouts().len(), 2, "the address of one was given to nobody");
    stripe.state().pay(given.rsplit('/').next().unwrap()).unwrap();
    let (kind, object) = stripe.state().events.pop().unwrap();
    let event = event(&kind, &object);
    interrupted(&stripe, deliver(&server.url, &event)).await;
    server.kill();
    let server = serve(&home, &stripe, &key).await;
    assert_eq!(server.status("/api/v1/filings", &key).await, 403);
    assert_eq!(deliver(&server.url, &event).await, Some(200));
    assert_eq!(server.status("/api/v1/filings", &key).await, 200);
    assert!(checkout(&server, &key).await.contains("billing.stripe.invalid"));
    assert!(!server.log().concat().contains("hunter2"));
}
