//! Several servers on one database: they see each other, by one clock.
//!
//! Replicas and webhooks are tested in `webhooks/replicas.rs`, and the real binary in `process/replicas.rs`.

mod clock;
mod no_directory;

use std::sync::Arc;
use std::time::Duration;

use lastro::setup::Setup;
use lastro_access::Share;
use lastro_model::BySource;
use lastro_store::Replica;
use lastro_store::faulty::{FaultyStore, Operation};

use crate::app::{TestApp, soon};

/// Sets a short heartbeat interval.
pub(crate) fn lively(setup: &mut Setup) {
    setup.settings.beat_interval = Duration::from_millis(40);
}

/// A replica seen now, without a process behind it. It serves no source.
pub(crate) fn ghost(app: &TestApp, boot: &str) -> Replica {
    Replica {
        boot: boot.to_owned(),
        name: format!("ghost {boot}"),
        version: "0.0.0".to_owned(),
        started_at: app.timestamp(),
        seen_at: app.timestamp(),
        editions: BySource::default(),
    }
}

fn share(app: &TestApp) -> Share {
    **app.service.app.access.share.load()
}

async fn metric(app: &TestApp, name: &str) -> f64 {
    let (_, text) = app.admin("/metrics").await;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).expect("a metric");
    line.parse().expect("a number")
}

#[tokio::test]
async fn a_single_server_has_the_whole_of_every_limit() {
    let app = TestApp::start_with(lively).await;
    assert_eq!(share(&app), Share::WHOLE);
    assert_eq!(metric(&app, "lastro_replicas").await, 1.0);
    assert_eq!(metric(&app, "lastro_store_reachable").await, 1.0);
    assert_eq!(metric(&app, "lastro_clock_offset_seconds").await, 0.0);
    let rows = app.plain.replicas().await.unwrap();
    assert_eq!(rows.len(), 1);
    let editions = app.plain.counters().await.unwrap().editions;
    assert_eq!(
        rows[0].editions,
        BySource::new(|source| Some(editions[source])),
        "it serves what is published"
    );
    assert_eq!(rows[0].boot, app.service.app.operations.replicas.boot());
}

#[tokio::test]
async fn shares_add_up_and_a_stopped_server_leaves_at_once() {
    let first = TestApp::start_with(lively).await;
    let (second, third) = (first.beside(lively).await, first.beside(lively).await);
    for app in [&first, &second, &third] {
        soon(async || share(app).replicas() == 3).await;
        assert_eq!(metric(app, "lastro_replicas").await, 3.0);
    }
    for limit in [3, 30, 31, 100, 2_000] {
        let sum: u32 = [&first, &second, &third].map(|app| share(app).of(limit)).iter().sum();
        assert_eq!(sum, limit);
    }
    // No clock moves: a server that did not sign off would be alive forever.
    third.service.stop().await.unwrap();
    assert_eq!(first.plain.replicas().await.unwrap().len(), 2);
    soon(async || share(&first).replicas() == 2 && share(&second).replicas() == 2).await;
}

#[tokio::test]
async fn an_unseen_server_is_dead_after_10_s_and_removed_after_a_day() {
    let app = TestApp::start_with(lively).await;
    app.plain.beat(ghost(&app, "dead")).await.unwrap();
    soon(async || share(&app).replicas() == 2).await;
    app.advance_seconds(11);
    soon(async || share(&app) == Share::WHOLE).await;
    assert_eq!(app.plain.replicas().await.unwrap().len(), 2, "the operator may still want to look");
    app.advance_seconds(25 * 3600);
    soon(async || app.plain.replicas().await.unwrap().iter().all(|row| row.boot != "dead")).await;
}

#[tokio::test]
async fn last_known_replicas_count_while_the_store_fails() {
    let app = TestApp::start_with(lively).await;
    app.plain.beat(ghost(&app, "ghost")).await.unwrap();
    soon(async || share(&app).replicas() == 2).await;
    app.faults.fail_all(true);
    soon(async || metric(&app, "lastro_store_reachable").await == 0.0).await;
    app.advance_seconds(60);
    assert_eq!(metric(&app, "lastro_replicas").await, 2.0);
    app.faults.fail_all(false);
    soon(async || metric(&app, "lastro_store_reachable").await == 1.0).await;
    assert_eq!(share(&app).replicas(), 2, "it has not had the time to tell that it lives");
    app.advance_seconds(11);
    soon(async || share(&app) == Share::WHOLE).await;
}

#[tokio::test]
async fn a_server_starts_and_stops_if_its_row_cannot_be_written() {
    let app = TestApp::start_with(lively).await;
    let other = app
        .beside(|setup| {
            lively(setup);
            let store = FaultyStore::new(Arc::clone(&setup.store));
            store.fail_next(Operation::Beat);
            setup.store = Arc::new(store);
        })
        .await;
    soon(async || share(&app).replicas() == 2).await;
    other.faults.fail_next(Operation::Leave);
    other.service.stop().await.expect("an orderly stop");
    assert_eq!(app.plain.replicas().await.unwrap().len(), 2);
    app.advance_seconds(11);
    soon(async || share(&app) == Share::WHOLE).await;
}
