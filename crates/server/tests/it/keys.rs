//! A holder's own key: shown, rotated, revoked.

use lastro_model::Plan;
use lastro_store::faulty::Operation;
use reqwest::Method;

use crate::app::{START_UNIX_MS, TestApp, id_of, soon, stray_key};

const CURRENT: &str = "/api/v1/keys/current";
const ROTATE: &str = "/api/v1/keys/rotate";
const ANY: &str = "/api/v1/market/selic/current";

async fn rotated(app: &TestApp, key: &str, body: &'static str) -> String {
    let answer = app.post(ROTATE, body).key(key).send().await.expect(201).json();
    answer["api_key"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_is_shown_to_its_holder() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    let shown = app.get(CURRENT).key(&key).send().await.expect(200);
    assert_eq!(shown.header("cache-control"), "no-store");
    let shown = shown.json();
    assert_eq!(shown["id"], id_of(&key).as_str());
    assert_eq!(
        (&shown["name"], &shown["plan"], &shown["rate_limit"]),
        (&"Test".into(), &"gold".into(), &500.into())
    );
    assert_eq!(shown["created_at"], "2026-11-02T12:00:00Z");
    assert_eq!((&shown["last_used_at"], &shown["ends_at"]), (&"2026-11-02".into(), &serde_json::Value::Null));
    assert!(!shown.to_string().contains(&key));
}

#[tokio::test]
async fn the_last_use_is_the_day_of_the_previous_request() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Free).await;
    app.get(ANY).key(&key).send().await.expect(200);
    app.advance_seconds(3 * 86_400);
    assert_eq!(app.get(CURRENT).key(&key).send().await.json()["last_used_at"], "2026-11-02");
    assert_eq!(app.get(CURRENT).key(&key).send().await.json()["last_used_at"], "2026-11-05");
}

#[tokio::test]
async fn rotation_keeps_the_terms_and_the_old_key_during_grace() {
    let app = TestApp::start().await;
    let old = app.key_with_limit(Plan::Platinum, Some(50)).await;
    let answer = app.post(ROTATE, r#"{"grace_seconds": 600}"#).key(&old).send().await.expect(201);
    assert_eq!(answer.header("cache-control"), "no-store");
    let answer = answer.json();
    let new = answer["api_key"].as_str().unwrap();
    assert_ne!(new, old);
    assert_eq!(answer["id"], id_of(new).as_str());
    assert_eq!((&answer["plan"], &answer["rate_limit"]), (&"platinum".into(), &50.into()));
    assert_eq!(answer["previous"]["id"], id_of(&old).as_str());
    assert_eq!(answer["previous"]["ends_at"], "2026-11-02T12:10:00Z");

    assert_eq!(
        app.get(ANY).key(new).send().await.expect(200).number("x-ratelimit-remaining"),
        48,
        "one quota"
    );
    let shown = app.get(CURRENT).key(&old).send().await.expect(200).json();
    assert_eq!(shown["ends_at"], "2026-11-02T12:10:00Z");
    app.advance_seconds(599);
    app.get(ANY).key(&old).send().await.expect(200);
    app.advance_seconds(1);
    app.get(ANY).key(&old).send().await.expect(401);
    app.get(ANY).key(new).send().await.expect(200);
}

#[tokio::test]
async fn all_keys_of_an_account_share_one_ledger() {
    let app = TestApp::start().await;
    let old = app.key(Plan::Free).await;
    app.get(ANY).key(&old).send().await.expect(200);
    let new = rotated(&app, &old, "").await;
    app.get(ANY).key(&new).send().await.expect(200);
    let usage = app.get("/api/v1/plans/usage").key(&new).send().await.expect(200).json();
    assert_eq!(usage["total"], 3, "{usage}");
}

#[tokio::test]
async fn a_leaked_key_can_be_ended_at_once() {
    let app = TestApp::start().await;
    let old = app.key(Plan::Free).await;
    let new = rotated(&app, &old, r#"{"grace_seconds":0}"#).await;
    app.get(ANY).key(&old).send().await.expect(401);
    app.get(ANY).key(&new).send().await.expect(200);
}

#[tokio::test]
async fn the_default_grace_is_an_hour_with_or_without_a_body() {
    let app = TestApp::start().await;
    for body in ["", "  ", "{}"] {
        let key = app.key(Plan::Free).await;
        let answer = app.post(ROTATE, body).key(&key).send().await.expect(201).json();
        assert_eq!(answer["previous"]["ends_at"], "2026-11-02T13:00:00Z", "{body}");
    }
}

#[tokio::test]
async fn a_key_in_its_grace_cannot_be_rotated_again() {
    let app = TestApp::start().await;
    let old = app.key(Plan::Gold).await;
    let new = rotated(&app, &old, "").await;
    let message = app.post(ROTATE, "").key(&old).send().await.expect_error(400);
    assert!(message.contains("rotate the newer one"), "{message}");
    rotated(&app, &new, "").await;
}

#[tokio::test]
async fn invalid_rotation_requests_change_nothing() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for body in [
        r#"{"grace_seconds":-1}"#,
        r#"{"grace_seconds":86401}"#,
        r#"{"grace_seconds":1.5}"#,
        r#"{"grace_seconds":"60"}"#,
        r#"{"grace_seconds":99999999999999999999}"#,
        r#"{"grace_seconds":null}"#,
    ] {
        let message = app.post(ROTATE, body).key(&key).send().await.expect_error(400);
        assert!(message.contains("`grace_seconds` must be an integer from 0 to 86400"), "{body}: {message}");
    }
    for body in ["{", "\u{feff}{}", "nonsense"] {
        let message = app.post(ROTATE, body).key(&key).send().await.expect_error(400);
        assert_eq!(message, "the body is not valid JSON", "{body}");
    }
    for body in ["[]", "[60]", "7", "null"] {
        let message = app.post(ROTATE, body).key(&key).send().await.expect_error(400);
        assert!(message.contains("must be a JSON object"), "{body}: {message}");
    }
    for (body, word) in [
        (r#"{"grace_seconds":1,"grace_seconds":2}"#, "`grace_seconds` is given more than once"),
        (r#"{"grace":60}"#, "the nearest one is `grace_seconds`"),
    ] {
        let message = app.post(ROTATE, body).key(&key).send().await.expect_error(400);
        assert!(message.contains(word), "{body}: {message}");
    }
    let torn = app.post(ROTATE, b"{\"other\":\"\xff\"}".to_vec()).key(&key).send().await.expect_error(400);
    assert_eq!(torn, "the body is not valid UTF-8");
    assert_eq!(app.get(CURRENT).key(&key).send().await.json()["ends_at"], serde_json::Value::Null);
}

#[tokio::test]
async fn rotations_are_limited_by_the_hour() {
    let app = TestApp::start().await;
    let mut key = app.ample_key(Plan::Free).await;
    for _ in 0..lastro_access::ROTATIONS_PER_HOUR {
        key = rotated(&app, &key, "").await;
    }
    let refused = app.post(ROTATE, "").key(&key).send().await.expect(429);
    assert_eq!(refused.number("retry-after"), 3600);
    app.advance_seconds(3600);
    rotated(&app, &key, "").await;
}

#[tokio::test]
async fn a_revoked_key_is_rejected_and_its_successor_works() {
    let app = TestApp::start().await;
    let old = app.key(Plan::Gold).await;
    let new = rotated(&app, &old, "").await;
    let answer = app.request(Method::DELETE, CURRENT).key(&old).send().await.expect(204);
    assert!(answer.body.is_empty());
    app.get(ANY).key(&old).send().await.expect(401);
    app.request(Method::DELETE, CURRENT).key(&old).send().await.expect(401);
    app.get(ANY).key(&new).send().await.expect(200);
    let stored = app.elsewhere().await.key(id_of(&old)).await.unwrap().unwrap();
    assert_eq!(stored.ends_at, Some(app.timestamp()));
}

#[tokio::test]
async fn a_clock_set_back_revives_no_key() {
    let app = TestApp::start().await;
    let (revoked, at_once, ended) =
        (app.key(Plan::Gold).await, app.key(Plan::Gold).await, app.key(Plan::Gold).await);
    app.advance_seconds(3600);
    app.request(Method::DELETE, CURRENT).key(&revoked).send().await.expect(204);
    rotated(&app, &at_once, r#"{"grace_seconds":0}"#).await;
    rotated(&app, &ended, r#"{"grace_seconds":600}"#).await;
    app.get(ANY).key(&ended).send().await.expect(200);
    app.advance_seconds(600);
    app.get(ANY).key(&ended).send().await.expect(401);
    let store = app.elsewhere().await;
    soon(async || store.key(id_of(&ended)).await.unwrap().unwrap().revoked).await;
    drop(store);

    let app = app.restart_at(START_UNIX_MS, |_| {}).await;
    for key in [&revoked, &at_once, &ended] {
        app.get(ANY).key(key).send().await.expect(401);
    }
}

#[tokio::test]
async fn unknown_and_revoked_keys_get_the_same_response() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Free).await;
    app.request(Method::DELETE, CURRENT).key(&key).send().await.expect(204);
    for (method, path) in [(Method::GET, CURRENT), (Method::DELETE, CURRENT), (Method::POST, ROTATE)] {
        let none = app.request(method.clone(), path).send().await.expect(401).json();
        assert_eq!(none["message"], "API key required");
        let unknown = app.request(method.clone(), path).key(&stray_key()).send().await.expect(401).body;
        let revoked = app.request(method, path).key(&key).send().await.expect(401).body;
        assert_eq!(unknown, revoked);
    }
}

#[tokio::test]
async fn a_failing_store_leaves_the_key_unchanged() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    app.faults.fail_next(Operation::Rotate);
    app.post(ROTATE, "").key(&key).send().await.expect(503);
    app.faults.fail_next(Operation::Revoke);
    app.request(Method::DELETE, CURRENT).key(&key).send().await.expect(503);
    let shown = app.get(CURRENT).key(&key).send().await.expect(200).json();
    assert_eq!(shown["ends_at"], serde_json::Value::Null);
}
