//! A failing store: reads continue, writes report it, and no counts are lost.

use std::time::Duration;

use lastro_model::{Plan, RatePoint, Records, Series, Source};
use lastro_store::{Condition, Publication, PublicationItem, RecordStore};

use crate::app::{TestApp, soon};

const REGISTRATION: &str = r#"{"name":"Ana","email":"ana@example.com"}"#;

#[tokio::test]
async fn reads_continue_while_the_store_fails() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    app.faults.fail_all(true);
    for path in [
        "/api/v1/market/overview",
        "/api/v1/companies?status=active",
        "/api/v1/filings/search?q=energia",
        "/api/v1/search?q=energia",
        "/api/v1/filings/recent",
        "/health",
        "/pricing",
    ] {
        app.get(path).key(&key).send().await.expect(200);
    }
    let message = app.post("/api/v1/plans/register", REGISTRATION).send().await.expect_error(503);
    assert!(!message.contains("told to fail"), "{message}");
    app.post("/pricing", "name=Ana&email=ana%40example.com").send().await.expect(503);
    app.get("/api/v1/plans/usage").key(&key).send().await.expect(503);
    // Longer than the flush interval: counts that could not be written are kept.
    tokio::time::sleep(std::time::Duration::from_millis(900)).await;
    let (_, metrics) = app.admin("/metrics").await;
    assert!(metrics.contains("lastro_usage_unflushed 7\n"), "{metrics}");
    app.faults.fail_all(false);
    app.post("/api/v1/plans/register", REGISTRATION).send().await.expect(201);
    let report = app.get("/api/v1/plans/usage").key(&key).send().await.expect(200).json();
    assert_eq!(report["total"], 7);
    assert_eq!((&report["data"][0]["ok"], &report["data"][0]["server_errors"]), (&6.into(), &1.into()));
}

/// Balancers take a replica for dead that is silent for two seconds, and any client can send a key that is not in memory.
#[tokio::test]
async fn a_silent_store_does_not_make_the_service_silent() {
    let app = TestApp::start().await;
    let unknown = lastro_access::ApiKey::generate(&mut lastro_background::clock::fill_random);
    app.faults.delay(Duration::from_secs(3600));
    let began = std::time::Instant::now();
    let refused = app.get("/api/v1/market/overview").key(unknown.reveal()).send().await.expect(503);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert!(refused.number("retry-after") > 0);
    app.faults.delay(Duration::ZERO);
    app.get("/api/v1/market/overview").key(unknown.reveal()).send().await.expect(401);
}

#[tokio::test]
async fn a_shutdown_during_brief_store_failures_loses_nothing() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for _ in 0..4 {
        app.get("/health").key(&key).send().await.expect(200);
    }
    for _ in 0..2 {
        app.faults.fail_next(lastro_store::faulty::Operation::AddUsage);
    }
    let app = app.restart().await;
    let report = app.get("/api/v1/plans/usage").key(&key).send().await.expect(200).json();
    assert_eq!(report["total"], 4);
}

/// Publishes one more Selic value, as a synchronisation by another process does.
pub(crate) async fn publish_selic(app: &TestApp, day: &str, value: &str) {
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    let point = RatePoint { day: lastro_model::Day::parse(day).unwrap(), value: value.parse().unwrap() };
    sender.send(PublicationItem::Rows(Records::Rates(vec![point]))).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let publication = Publication {
        source: Source::Series(Series::Selic),
        sample: false,
        replace: false,
        at: app.timestamp(),
        condition: Condition::None,
    };
    app.elsewhere().await.publish(publication, receiver).await.unwrap();
}

#[tokio::test]
async fn a_new_edition_of_another_process_is_served() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    publish_selic(&app, "2026-11-02", "9.875").await;
    let newest = async || app.get("/api/v1/market/selic/current").key(&key).send().await.expect(200).text();
    soon(async || newest().await == r#"{"date":"2026-11-02","value":9.875}"#).await;
    soon(async || {
        let health = app.get("/health").key(&key).send().await.expect(200).json();
        health["sources"][0]["sample"] == false && health["sources"][0]["newest_date"] == "2026-11-02"
    })
    .await;
    let health = app.get("/health").key(&key).send().await.expect(200).json();
    assert_eq!((&health["sample"], &health["sources"][1]["sample"]), (&true.into(), &true.into()));
    assert_eq!(
        app.faults.counters().await.unwrap().edition(Source::Series(Series::Selic)).0,
        health["sources"][0]["edition"]
    );
}

#[tokio::test]
async fn an_unreadable_source_does_not_block_other_sources() {
    let app = TestApp::start().await;
    let file = rusqlite::Connection::open(app.directory.path().join("lastro.db")).unwrap();
    let first = Source::ALL[0];
    file.execute("UPDATE rate SET value = 'x' WHERE series = $1", [first.name()]).unwrap();
    file.execute("UPDATE source_state SET edition = edition + 100 WHERE source = $1", [first.name()])
        .unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    sender.send(PublicationItem::Rows(Records::Fx(Vec::new()))).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let (source, at) = (Source::Fx, app.timestamp());
    let publication = Publication { source, sample: false, replace: true, at, condition: Condition::None };
    let published = app.plain.publish(publication, receiver).await.unwrap();
    soon(async || app.service.app.served.catalog.load().fx.stamp.edition == published.edition).await;
    assert_ne!(
        app.service.app.served.catalog.load().series[Series::Selic].len(),
        0,
        "the last good edition stays"
    );
}

#[tokio::test]
async fn a_corrupted_value_is_never_served() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let served = async || app.get("/api/v1/market/selic").key(&key).send().await.expect(200).text();
    let before = served().await;
    let file = rusqlite::Connection::open(app.directory.path().join("lastro.db")).unwrap();
    let damage = "UPDATE rate SET value = '9' || value
        WHERE rowid = (SELECT MAX(rowid) FROM rate WHERE series = 'selic')";
    assert_eq!(file.execute(damage, []).unwrap(), 1);
    publish_selic(&app, "2026-11-02", "9.875").await;
    soon(async || !app.admin("/metrics").await.1.contains("lastro_rebuild_failures_total 0\n")).await;
    assert_eq!(served().await, before, "the last good edition stays");
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_reported() {
    let app = TestApp::start_with(|setup| setup.settings.beat_interval = Duration::from_millis(60)).await;
    let key = app.ample_key(Plan::Free).await;
    let health = async || app.get("/health").key(&key).send().await.expect(200).json();
    let writable = async || app.admin("/metrics").await.1.contains("lastro_store_writable 1\n");
    assert_eq!((health().await["status"].as_str(), health().await.get("storage")), (Some("ok"), None));
    assert!(writable().await);
    app.faults.fail_all(true);
    soon(async || health().await["status"] == "degraded").await;
    let told = health().await;
    assert_eq!(
        (&told["storage"]["writable"], &told["storage"]["since"]),
        (&false.into(), &"2026-11-02T12:00:00Z".into())
    );
    assert!(!writable().await);
    let (status, text) = app.admin("/readyz").await;
    assert_eq!(status, 200, "reads are answered from memory");
    assert!(text.starts_with("ready, but the database "), "{text}");
    app.faults.fail_all(false);
    soon(async || health().await["status"] == "ok").await;
    assert!(writable().await);
    assert_eq!(app.admin("/readyz").await, (200, "ready\n".to_owned()));
}
