//! The index kept between runs: a restart reuses it only if it is the right one.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lastro::sample;
use lastro_background::refresh::snapshot_file::SnapshotFile;
use lastro_catalog::{FilingsBuilder, Part};
use lastro_model::{FilingId, Plan, Records, Source};
use lastro_sample::Shape;
use lastro_store::faulty::Operation;
use lastro_store::{Condition, Publication, PublicationItem};
use tokio::sync::mpsc;

use crate::app::TestApp;

/// Small enough to be quick, large enough to be kept.
const SHAPE: Shape = Shape { companies: 20, filings: 5_000, seed: 3 };

/// A service that has built and kept an index of more filings than the sample has.
async fn started() -> TestApp {
    let app = TestApp::start().await;
    let progress = Arc::new(|_, _| {});
    sample::publish(&*app.elsewhere().await, SHAPE, app.timestamp(), progress).await.unwrap();
    let app = app.restart().await;
    kept(&app).await;
    app
}

fn file(app: &TestApp) -> PathBuf {
    app.directory.path().join("index/filings")
}

/// Waits until the index is kept, which is not urgent for the service.
async fn kept(app: &TestApp) {
    for _ in 0..500 {
        if file(app).exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the index was not kept");
}

async fn total(app: &TestApp, q: &str) -> u64 {
    let key = app.ample_key(Plan::Gold).await;
    let found = app.get(&format!("/api/v1/filings/search?q={q}")).key(&key).send().await.expect(200).json();
    found["total"].as_u64().unwrap()
}

/// Writes a snapshot of filings that the store does not hold, marked as the edition being served.
async fn keep_forgery(app: &TestApp) {
    let remembered = app.plain.remembered_editions(Source::Filings).await.unwrap();
    let served = Arc::clone(&app.service.app.served.catalog.load().filings);
    let mut builder = FilingsBuilder::new();
    for position in served.listed().take(5_000) {
        let mut filing = served.filing(position);
        filing.description.push_str(" xilofone");
        builder.push(filing);
    }
    let forgery = Part { stamp: served.stamp, sample: served.sample, data: builder.finish().unwrap() };
    let database = app.service.app.database.clone();
    let (clock, metrics) =
        (Arc::clone(&app.service.app.clock), Arc::clone(&app.service.app.operations.metrics));
    SnapshotFile::new(app.directory.path().join("index"), database, clock, metrics)
        .keep(&remembered, &forgery);
}

/// Publishes this many more filings, all of one day.
async fn publish_more(app: &TestApp, count: u32) {
    let served = Arc::clone(&app.service.app.served.catalog.load().filings);
    let newest = served.listed().start;
    let more = (0..count).map(|number| {
        let mut filing = served.filing(newest + number);
        filing.id = FilingId::Protocol(800_000_000 + u64::from(number));
        filing.description = "Berimbau".to_owned();
        filing
    });
    let (sender, rows) = mpsc::channel(2);
    sender.send(PublicationItem::Rows(Records::Filings(more.collect()))).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let publication = Publication {
        source: Source::Filings,
        sample: true,
        replace: false,
        at: app.timestamp(),
        condition: Condition::None,
    };
    app.elsewhere().await.publish(publication, rows).await.unwrap();
}

async fn until_found(app: &TestApp, q: &str, count: u64) {
    for _ in 0..500 {
        if total(app, q).await == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{q} was not found {count} times");
}

#[tokio::test]
async fn a_new_edition_adds_only_the_changes() {
    let app = started().await;
    // Only the changes may be loaded.
    app.faults.panic_on(Operation::Load);
    publish_more(&app, 12).await;
    until_found(&app, "berimbau", 12).await;
    assert_eq!(app.service.app.served.catalog.load().filings.len(), 5_012);
}

#[tokio::test]
async fn a_source_without_known_changes_is_loaded_whole() {
    let app = started().await;
    let before = total(&app, "debenture").await;
    sample::publish(
        &*app.elsewhere().await,
        Shape { seed: 4, ..SHAPE },
        app.timestamp(),
        Arc::new(|_, _| {}),
    )
    .await
    .unwrap();
    for _ in 0..500 {
        if total(&app, "debenture").await != before {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("another set did not come into service");
}

#[tokio::test]
async fn a_restart_reuses_an_earlier_index_and_adds_the_changes() {
    let app = started().await;
    keep_forgery(&app).await;
    publish_more(&app, 12).await;
    until_found(&app, "berimbau", 12).await;
    let app = app.restart().await;
    assert_eq!((total(&app, "xilofone").await, total(&app, "berimbau").await), (5_000, 12));
    assert_eq!(app.service.app.served.catalog.load().filings.len(), 5_012);
}

#[tokio::test]
async fn a_restart_reuses_the_index_of_the_same_edition() {
    let app = started().await;
    let debentures = total(&app, "debenture").await;
    assert!(debentures > 0);
    keep_forgery(&app).await;
    assert_eq!(total(&app.restart().await, "xilofone").await, 5_000);
}

#[tokio::test]
async fn a_damaged_index_is_rebuilt() {
    let app = started().await;
    let debentures = total(&app, "debenture").await;
    let mut bytes = fs::read(file(&app)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file(&app), &bytes).unwrap();
    let app = app.restart().await;
    assert_eq!(total(&app, "debenture").await, debentures);
}
