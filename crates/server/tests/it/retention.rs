//! Data that is not kept: keys never used, and people who asked for erasure.

use lastro_model::{Account, AccountId, KeyDigest, KeyId, NewKey, Plan};

use serde_json::Value;

use crate::app::{START_UNIX_MS, TestApp, id_of, soon};

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;
const ANY: &str = "/api/v1/market/selic/current";

async fn registered(app: &TestApp) -> String {
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let answer: Value = app.post("/api/v1/plans/register", body).send().await.expect(201).json();
    answer["api_key"].as_str().unwrap().to_owned()
}

async fn is_kept(app: &TestApp, key: &str) -> bool {
    app.plain.key(id_of(key)).await.unwrap().is_some()
}

/// Waits until the retention job has closed a key that is due; the job checks the rest after that.
async fn wait_for_a_look(app: &TestApp, name: &str) {
    let (id, successor) =
        (KeyId::parse(&format!("{name}01")).unwrap(), KeyId::parse(&format!("{name}02")).unwrap());
    let account = Account {
        id: AccountId(id),
        name: String::new(),
        email: String::new(),
        plan: Plan::Free,
        rate_limit: None,
    };
    let (digest, now) = (KeyDigest([0; 32]), app.timestamp());
    let new = NewKey { id, digest, account, created_at: now, self_registered: false };
    app.plain.insert_key(new).await.unwrap();
    let earlier = now - jiff::SignedDuration::from_secs(1);
    app.plain.rotate(id, successor, digest, earlier, now).await.unwrap();
    soon(async || app.plain.key(id).await.unwrap().unwrap().revoked).await;
}

#[tokio::test]
async fn registered_keys_unused_for_ninety_days_are_removed() {
    let app = TestApp::start().await;
    let (unused, used, upgraded) = (registered(&app).await, registered(&app).await, registered(&app).await);
    let operators = app.key(Plan::Free).await;
    app.get(ANY).key(&used).send().await.expect(200);
    app.plain.set_plan(id_of(&upgraded), Plan::Bronze, None).await.unwrap();
    app.advance_seconds(89 * DAY);
    wait_for_a_look(&app, "first0").await;
    wait_for_a_look(&app, "second").await;
    assert!(is_kept(&app, &unused).await, "it has a day left");

    app.advance_seconds(2 * DAY);
    soon(async || !is_kept(&app, &unused).await).await;
    soon(async || app.get(ANY).key(&unused).send().await.status == 401).await;
    for key in [&used, &upgraded, &operators] {
        app.get(ANY).key(key).send().await.expect(200);
    }
}

#[tokio::test]
async fn a_wrong_clock_at_startup_removes_no_key() {
    let app = TestApp::start().await;
    let unused = registered(&app).await;
    let a_year_later = START_UNIX_MS + 365 * DAY as i64 * 1000;
    let app = app.restart_at(a_year_later, |_| {}).await;
    wait_for_a_look(&app, "first0").await;
    app.advance_seconds(HOUR - 60);
    wait_for_a_look(&app, "second").await;
    wait_for_a_look(&app, "third0").await;
    assert!(is_kept(&app, &unused).await, "it may be set right yet");
    app.advance_seconds(60);
    soon(async || !is_kept(&app, &unused).await).await;
}

#[tokio::test]
async fn an_erased_key_is_rejected_by_a_server_that_cached_it() {
    let app = TestApp::start().await;
    let (gone, other) = (registered(&app).await, registered(&app).await);
    app.get(ANY).key(&gone).send().await.expect(200);
    app.elsewhere().await.erase(id_of(&gone), app.timestamp()).await.unwrap();
    soon(async || app.get(ANY).key(&gone).send().await.status == 401).await;
    app.get(ANY).key(&other).send().await.expect(200);
}
