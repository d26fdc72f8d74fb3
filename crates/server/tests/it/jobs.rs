//! Background jobs that panic: each is named, counted, restarted, and reported if it does not recover.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use lastro::setup::Setup;
use lastro_model::{Plan, Source};
use lastro_store::Store;
use lastro_store::faulty::{FaultyStore, Operation};

use crate::app::TestApp;
use crate::faults::publish_selic;

/// Polls for long enough: jobs pause for seconds before they are restarted.
async fn in_time(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it did not come true within fifteen seconds");
}

/// Polls the store very often.
fn eager(setup: &mut Setup) {
    setup.settings.poll_interval = Duration::from_millis(20);
    setup.settings.webhooks.poll_interval = Duration::from_millis(20);
}

async fn metric(app: &TestApp, name: &str) -> u64 {
    let (_, text) = app.admin("/metrics").await;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("{name} is missing")).parse().unwrap()
}

async fn restarts(app: &TestApp, job: &str) -> u64 {
    metric(app, &format!("lastro_job_restarts_total{{job=\"{job}\"}}")).await
}

#[tokio::test]
async fn every_job_that_panics_is_restarted() {
    let cases = [
        (Operation::Counters, "follow"),
        (Operation::Load, "rebuild"),
        (Operation::AddUsage, "flush"),
        (Operation::Announcements, "webhooks"),
        (Operation::SettleAndClaim, "webhooks"),
    ];
    join_all(cases.map(|(operation, job)| panics_and_recovers(operation, job))).await;
}

async fn panics_and_recovers(operation: Operation, job: &str) {
    let app = TestApp::start_with(eager).await;
    let key = app.ample_key(Plan::Platinum).await;
    // The outbox is read when there is something in it: news for a subscriber, after the first data.
    let webhook = r#"{"url":"https://receiver.invalid/","events":["selic.updated"]}"#;
    app.post("/api/v1/webhooks", webhook).key(&key).send().await.expect(201);
    publish_selic(&app, "2026-10-30", "9.875").await;
    app.faults.panic_on(operation);
    app.get("/health").key(&key).send().await.expect(200);
    publish_selic(&app, "2026-11-02", "9.75").await;
    in_time(async || restarts(&app, job).await > 0).await;
    assert!(metric(&app, "lastro_panics_total").await > 0, "{job}");
    assert_eq!(app.admin("/readyz").await.0, 200, "{job}");
    let newest = async || app.get("/api/v1/market/selic/current").key(&key).send().await.expect(200).text();
    newest().await;
    app.faults.stop_panics();
    in_time(async || newest().await.contains("9.75")).await;
    app.service.stop().await.expect("an orderly stop");
}

#[tokio::test]
async fn a_job_that_panics_at_startup_stops_nothing() {
    for (operation, job) in [(Operation::CloseEndedKeys, "forget"), (Operation::ForgetDeliveries, "forget")] {
        let mut broken = None;
        let app = TestApp::start_with(|setup| {
            let store = Arc::new(FaultyStore::new(Arc::clone(&setup.store)));
            store.panic_on(operation);
            setup.store = Arc::clone(&store) as Arc<dyn Store>;
            broken = Some(store);
        })
        .await;
        in_time(async || restarts(&app, job).await > 0).await;
        broken.unwrap().stop_panics();
        app.get("/health").send().await.expect(200);
        app.service.stop().await.expect("an orderly stop");
    }
}

#[tokio::test]
async fn a_repeatedly_failing_job_is_reported_by_health() {
    let app = TestApp::start_with(eager).await;
    let key = app.ample_key(Plan::Free).await;
    let health = async || app.get("/health").key(&key).send().await.expect(200).json();
    assert_eq!((health().await["status"].as_str(), health().await.get("jobs")), (Some("ok"), None));
    assert_eq!(metric(&app, "lastro_job_failing{job=\"follow\"}").await, 0);
    app.faults.panic_on(Operation::Counters);
    in_time(async || health().await["status"] == "degraded").await;
    let told = health().await;
    assert_eq!(told["jobs"].as_array().unwrap().len(), 1);
    assert_eq!(told["jobs"][0]["name"], "follow");
    assert_eq!(told["jobs"][0]["since"], "2026-11-02T12:00:00Z");
    assert!(told["jobs"][0]["restarts"].as_u64().unwrap() >= 2);
    assert_eq!(metric(&app, "lastro_job_failing{job=\"follow\"}").await, 1);
    assert_eq!(metric(&app, "lastro_job_failing{job=\"flush\"}").await, 0);
    assert_eq!(app.admin("/readyz").await.0, 200);
    app.get("/api/v1/market/overview").key(&key).send().await.expect(200);
}

#[tokio::test]
async fn counts_survive_a_panic_while_they_are_written() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    app.faults.panic_on(Operation::AddUsage);
    for _ in 0..5 {
        app.get("/api/v1/market/overview").key(&key).send().await.expect(200);
    }
    in_time(async || metric(&app, "lastro_panics_total").await > 0).await;
    assert_eq!(metric(&app, "lastro_usage_unflushed").await, 5);
    app.faults.stop_panics();
    let app = app.restart().await;
    let report = app.get("/api/v1/plans/usage").key(&key).send().await.expect(200).json();
    assert_eq!(report["total"], 5);
}

#[tokio::test]
async fn metrics_list_every_job_by_name() {
    let app = TestApp::start().await;
    for job in ["admin", "flush", "follow", "forget", "rebuild", "sweep", "webhooks"] {
        assert_eq!(restarts(&app, job).await, 0, "{job}");
    }
    let (_, text) = app.admin("/metrics").await;
    for source in Source::ALL {
        assert!(!text.contains(&format!("job=\"sync:{source}\"")), "nothing is synchronised here");
    }
}

/// Paused time advances by itself: the store would reply after an hour, and the shutdown does not wait for that.
#[tokio::test]
async fn a_shutdown_does_not_wait_for_an_unresponsive_store() {
    let app = TestApp::start_with(eager).await;
    let key = app.ample_key(Plan::Free).await;
    app.get("/health").key(&key).send().await.expect(200);
    app.faults.delay(Duration::from_secs(3600));
    app.get("/health").key(&key).send().await.expect(200);
    tokio::time::pause();
    let lost = app.service.stop().await.unwrap_err().to_string();
    assert!(lost.contains("counted requests could not be written to the store and are lost"), "{lost}");
    assert!(!lost.starts_with('0'), "{lost}");
}
