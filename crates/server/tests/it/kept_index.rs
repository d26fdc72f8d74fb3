//! The index that is kept between runs: a restart takes it over if it is the right one, and nothing else ever.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lastro::ingest::made_up;
use lastro::ingest::shelf::Shelf;
use lastro::sample::Shape;
use lastro_catalog::FilingsBuilder;
use lastro_model::{Plan, Source};
use lastro_store::RecordStore;

use crate::app::TestApp;

/// Few enough to be quick, enough to be kept.
const SHAPE: Shape = Shape { companies: 20, filings: 5_000, seed: 3 };

/// A service that has built more filings than the sample has, and kept them.
async fn started() -> TestApp {
    let app = TestApp::start().await;
    let progress = Arc::new(|_, _| {});
    made_up::publish(&*app.elsewhere().await, SHAPE, app.timestamp(), progress).await.unwrap();
    let app = app.restart().await;
    kept(&app).await;
    app
}

fn file(app: &TestApp) -> PathBuf {
    app.directory.path().join("index/filings")
}

/// Keeping is nobody's hurry.
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

#[tokio::test]
async fn a_restart_takes_over_what_was_kept_of_the_same_edition() {
    let app = started().await;
    let debentures = total(&app, "debenture").await;
    assert!(debentures > 0);
    // Something that the store does not hold, kept as if it were of this very edition.
    let states = app.faults.source_states().await.unwrap();
    let state = states.iter().find(|state| state.source == Source::Filings).unwrap();
    let mut builder = FilingsBuilder::new();
    for number in 0..5_000u32 {
        let mut filing = app.service.app.catalog.load().filings.filing(number);
        filing.description.push_str(" xilofone");
        builder.push(filing);
    }
    let database = app.service.app.database.clone();
    Shelf::new(app.directory.path().join("index"), database).keep(state, &builder.finish().unwrap());
    assert_eq!(total(&app.restart().await, "xilofone").await, 5_000);
}

#[tokio::test]
async fn what_was_kept_and_is_damaged_is_built_anew() {
    let app = started().await;
    let debentures = total(&app, "debenture").await;
    let mut bytes = fs::read(file(&app)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file(&app), &bytes).unwrap();
    let app = app.restart().await;
    assert_eq!(total(&app, "debenture").await, debentures);
}
