//! The plan list, and registration: open to anyone, valid at once, key shown once.

use lastro_access::plans;
use lastro_model::Plan;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::app::{TestApp, id_of};

const REGISTER: &str = "/api/v1/plans/register";

#[tokio::test]
async fn the_plan_list_is_the_plan_table() {
    let app = TestApp::start().await;
    let list = app.get("/api/v1/plans").send().await.expect(200).json();
    let expected: Vec<Value> = plans()
        .iter()
        .map(|terms| {
            json!({
                "id": terms.plan.id(),
                "name": terms.plan.name(),
                "price": terms.price_usd,
                "currency": "USD",
                "rate_limit": terms.requests_per_minute,
                "features": terms.features().iter().map(|text| text.en).collect::<Vec<_>>(),
                "restrictions": terms.restrictions.iter().map(|text| text.en).collect::<Vec<_>>(),
            })
        })
        .collect();
    assert_eq!(list, json!({ "plans": expected }));
    let shown =
        |name: &str| list["plans"].as_array().unwrap().iter().map(|p| p[name].clone()).collect::<Vec<_>>();
    assert_eq!(shown("id"), ["free", "bronze", "gold", "platinum"]);
    assert_eq!(shown("price"), [0, 29, 99, 299]);
    assert_eq!(shown("rate_limit"), [30, 100, 500, 2000]);
}

#[tokio::test]
async fn anyone_gets_a_free_key_that_works_at_once() {
    let app = TestApp::start().await;
    let body = json!({ "name": "  Zoë Ávila  ", "email": "zoe@example.com" }).to_string();
    let answer = app.post(REGISTER, body.clone()).send().await.expect(201);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("content-encoding"), "");
    let result = answer.json();
    assert_eq!((&result["plan"], &result["rate_limit"]), (&json!("free"), &json!(30)));
    let key = result["api_key"].as_str().unwrap();
    let used = app.get("/api/v1/market/overview").key(key).send().await.expect(200);
    assert_eq!((used.header("x-plan"), used.number("x-ratelimit-remaining")), ("free", 29));
    let kept = app.elsewhere().await.key(id_of(key)).await.unwrap().unwrap();
    assert_eq!((kept.account.name.as_str(), kept.account.plan), ("Zoë Ávila", Plan::Free));
    let again = app.post(REGISTER, body).send().await.expect(201).json();
    assert_ne!(again["api_key"], result["api_key"]);
}

#[tokio::test]
async fn the_body_is_json_whatever_its_content_type_says() {
    let app = TestApp::start().await;
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    for kind in ["application/json", "application/x-www-form-urlencoded", "text/plain", "nonsense"] {
        app.post(REGISTER, body).header("content-type", kind).send().await.expect(201);
    }
}

#[tokio::test]
async fn bad_registrations_are_rejected_by_field_and_leave_no_key() {
    let app = TestApp::start().await;
    let long_name = "é".repeat(101);
    let long_address = format!("{}@example.com", "a".repeat(250));
    let cases = [
        (json!({ "email": "a@example.com" }), "`name`"),
        (json!({ "name": "", "email": "a@example.com" }), "`name`"),
        (json!({ "name": " \t ", "email": "a@example.com" }), "`name`"),
        (json!({ "name": long_name, "email": "a@example.com" }), "`name`"),
        (json!({ "name": 7, "email": "a@example.com" }), "`name`"),
        (json!({ "name": null, "email": "a@example.com" }), "`name`"),
        (json!({ "name": "Ana" }), "`email`"),
        (json!({ "name": "Ana", "email": "Ana <a@example.com>" }), "`email`"),
        (json!({ "name": "Ana", "email": "" }), "`email`"),
        (json!({ "name": "Ana", "email": ["a@example.com"] }), "`email`"),
        (json!({ "name": "Ana", "email": "ana" }), "`email`"),
        (json!({ "name": "Ana", "email": "ana@" }), "`email`"),
        (json!({ "name": "Ana", "email": "a b@example.com" }), "`email`"),
        (json!({ "name": "Ana", "email": "ana@example.com\r\nBcc: x@example.com" }), "`email`"),
        (json!({ "name": "Ana", "email": long_address }), "`email`"),
        (json!([]), "JSON object"),
        (json!("text"), "JSON object"),
    ];
    for (body, named) in cases {
        app.advance_seconds(61);
        let message = app.post(REGISTER, body.to_string()).send().await.expect_error(400);
        assert!(message.contains(named), "{body}: {message}");
    }
    for body in
        [&b""[..], b"{", b"name=Ana&email=ana@example.com", b"\xff\xfe", b"{\"name\":\"\xff\"}", b"\0"]
    {
        app.advance_seconds(61);
        app.post(REGISTER, body.to_vec()).send().await.expect(400);
    }
    assert!(app.elsewhere().await.list_keys().await.unwrap().is_empty());
    app.advance_seconds(61);
    let longest = json!({ "name": "é".repeat(100), "email": "ana@example.com" });
    app.post(REGISTER, longest.to_string()).send().await.expect(201);
    let with_others = r#"{"plan":"platinum","n":1e400,"name":"Ana","email":"ana@example.com"}"#;
    let message = app.post(REGISTER, with_others).send().await.expect_error(400);
    assert!(message.starts_with("`plan` is not a member of this object") && message.ends_with("name, email"));
}

#[tokio::test]
async fn a_body_over_sixteen_kibibytes_is_too_large() {
    let app = TestApp::start().await;
    let padded = |length: usize| {
        let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
        format!("{body}{}", " ".repeat(length - body.len()))
    };
    app.post(REGISTER, padded(16 * 1024)).send().await.expect(201);
    let message = app.post(REGISTER, padded(16 * 1024 + 1)).send().await.expect_error(413);
    assert!(message.contains("16384"), "{message}");
}

#[tokio::test]
async fn registrations_are_limited_to_thirty_an_hour_per_address() {
    let app = TestApp::start().await;
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    for _ in 0..30 {
        app.advance_seconds(3);
        app.post(REGISTER, body).send().await.expect(201);
    }
    let refused = app.post(REGISTER, body).send().await.expect(429);
    let wait = refused.number("retry-after");
    assert_eq!(wait, 3600 - 29 * 3);
    app.advance_seconds(wait as u64 - 1);
    app.post(REGISTER, body).send().await.expect(429);
    app.advance_seconds(1);
    app.post(REGISTER, body).send().await.expect(201);
}

#[tokio::test]
async fn bad_bodies_do_not_use_up_the_registration_limit() {
    let app = TestApp::start_with(|setup| setup.settings.registrations.registrations_per_hour = 1).await;
    for _ in 0..3 {
        app.post(REGISTER, "{}").send().await.expect(400);
    }
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let registered = app.post(REGISTER, body).send().await.expect(201);
    for _ in 0..3 {
        let refused = app.post(REGISTER, body).send().await.expect(429);
        let remaining = |answer: &Answer| answer.number("x-ratelimit-remaining");
        assert_eq!(remaining(&refused), remaining(&registered), "a refusal costs nothing");
    }
    let key = app.key(Plan::Free).await;
    app.post("/pricing", "name=Ana&email=ana%40example.com").key(&key).send().await.expect(429);
    let usage = app.get("/api/v1/plans/usage").key(&key).send().await.expect(200).json();
    assert_eq!(usage["data"], json!([]), "registration is no use of a key");
}
