//! All replicas use the store's time.

use std::sync::Arc;

use lastro::setup::Setup;
use lastro_access::Share;
use lastro_model::{Clock, ManualClock};
use lastro_store::faulty::{FaultyStore, Operation};

use super::{lively, metric, share};
use crate::app::{START_UNIX_MS, TestApp, client, soon};

/// A store whose clock is this many seconds after the start.
pub(super) fn with_store_time(setup: &mut Setup, seconds: i64) {
    let time = jiff::Timestamp::from_millisecond(START_UNIX_MS + seconds * 1000).unwrap();
    let faulty = FaultyStore::new(Arc::clone(&setup.store));
    faulty.set_time(Some(time));
    setup.store = Arc::new(faulty);
    lively(setup);
}

#[tokio::test]
async fn replicas_with_different_clocks_see_each_other_alive() {
    let first = TestApp::start_with(|setup| with_store_time(setup, 30)).await;
    let ahead = Arc::new(ManualClock::starting_at(START_UNIX_MS + 60_000));
    let second = first
        .beside(|setup| {
            with_store_time(setup, 30);
            setup.clock = ahead;
        })
        .await;
    soon(async || share(&first).replicas() == 2 && share(&second).replicas() == 2).await;
    assert_eq!(metric(&first, "lastro_clock_offset_seconds").await, 30.0);
    assert_eq!(metric(&second, "lastro_clock_offset_seconds").await, -30.0);
    for app in [&first, &second] {
        assert_eq!(app.service.app.webhooks.clock.now().unix_ms, START_UNIX_MS + 30_000, "what falls due");
        assert_eq!(app.service.app.clock.now().unix_ms, START_UNIX_MS + 30_000, "requests");
    }
    let seen: Vec<i64> =
        first.plain.replicas().await.unwrap().iter().map(|row| row.seen_at.as_millisecond()).collect();
    assert_eq!(seen, [START_UNIX_MS + 30_000; 2]);
}

#[tokio::test]
async fn clients_see_the_databases_time() {
    for offset in [-3600, 3600] {
        let app = TestApp::start_with(|setup| with_store_time(setup, offset)).await;
        // Without the checks of `get`, which know the machine's time only.
        let url = format!("http://{}/api/v1/market/selic/current", app.service.address);
        let response = client().build().unwrap().get(url).send().await.unwrap();
        let header = |name: &str| response.headers()[name].to_str().unwrap();
        let told = jiff::fmt::rfc2822::parse(header("date")).unwrap().timestamp();
        assert_eq!(told.as_millisecond(), START_UNIX_MS + offset * 1000);
        let reset: i64 = header("x-ratelimit-reset").parse().unwrap();
        assert_eq!(reset, START_UNIX_MS / 1000 + offset + 60);
    }
}

#[tokio::test]
async fn the_clock_offset_is_kept_when_it_cannot_be_measured() {
    let app = TestApp::start_with(lively).await;
    let offset = async || metric(&app, "lastro_clock_offset_seconds").await;
    // Set before half a minute has passed, so that the next measurement finds it.
    let told = |seconds: i64| {
        let time = app.clock.now().unix_ms + 30_000 + seconds * 1000;
        app.faults.set_time(Some(jiff::Timestamp::from_millisecond(time).unwrap()));
        app.advance_seconds(30);
    };
    assert_eq!(offset().await, 0.0);
    told(7);
    soon(async || offset().await == 7.0).await;
    app.faults.fail_next(Operation::Time);
    told(-4);
    soon(async || offset().await == -4.0).await;
    assert_eq!(share(&app), Share::WHOLE);
}
