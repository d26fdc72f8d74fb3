//! A server whose database is not a file has no directory of its own, and needs none.

use std::time::Duration;

use lastro::setup::Setup;
use lastro_config::{PublisherSettings, Switch};
use lastro_ingest::sync::Publishers;
use lastro_model::{Day, Source, SourceState};

use super::lively;
use crate::app::{START_UNIX_MS, TestApp};
use crate::publisher::Publisher;

/// Keeps the store, but removes every path derived from the database's address.
fn without_directories(setup: &mut Setup) {
    setup.common.database = "postgres://nowhere.invalid/lastro".to_owned();
    setup.settings.index_dir = None;
    setup.settings.spool_dir = None;
    lively(setup);
}

fn synchronising(setup: &mut Setup, publisher: &Publisher) {
    let Publishers { sgs, ptax, cvm } = publisher.addresses();
    setup.settings.publishers = PublisherSettings { sgs_url: sgs, ptax_url: ptax, cvm_url: cvm };
    setup.settings.sync = Switch::On;
    setup.settings.since = 2025;
}

/// The state of a source after its first synchronisation, which takes a while on a busy machine.
async fn synchronised(app: &TestApp, source: Source) -> SourceState {
    for _ in 0..60 {
        let states = app.plain.source_states().await.unwrap();
        let state = states.into_iter().find(|state| state.source == source).unwrap();
        if state.last_attempt.is_some() {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("{source} was not synchronised within thirty seconds");
}

#[tokio::test]
async fn it_serves_and_synchronises_by_the_time_of_the_store() {
    let publisher = Publisher::on(Day::parse("2026-11-02").unwrap());
    let app = TestApp::start_with(|setup| {
        without_directories(setup);
        synchronising(setup, &publisher);
        super::clock::with_store_time(setup, 30);
    })
    .await;
    assert!(app.service.follower.snapshot_file.is_none());
    let by_store_time = START_UNIX_MS + 30_000;
    for source in [Source::Fx, Source::Companies, Source::Filings] {
        let state = synchronised(&app, source).await;
        assert_eq!(state.last_success.map(jiff::Timestamp::as_millisecond), Some(by_store_time), "{state:?}");
    }
    app.get("/health").send().await.expect(200);
}
