//! The store that fails on demand.

use std::time::Duration;

use lastro_model::{Edition, Source};
use lastro_store::faulty::{FaultyStore, Operation};
use lastro_store::{AccountStore, ClockStore, RecordStore, ReplicaStore, SettingStore, StoreError};

use crate::conformance::Place;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

#[tokio::test]
async fn a_planned_failure_hits_its_operation_once() {
    let place = TemporaryFile::new();
    let store = FaultyStore::new(place.open().await);
    store.fail_next(Operation::InsertKey);
    assert!(store.counters().await.is_ok());
    assert!(matches!(store.insert_key(new_key(1)).await, Err(StoreError::Backend(_))));
    assert_eq!(store.key(key_id(1)).await.unwrap(), None, "the call did not reach the database");
    store.insert_key(new_key(1)).await.unwrap();
}

#[tokio::test]
async fn fail_all_can_be_undone() {
    let place = TemporaryFile::new();
    let store = FaultyStore::new(place.open().await);
    store.fail_all(true);
    assert!(store.load(Source::Fx).await.is_err());
    assert!(store.changes(Source::Filings, Edition(1)).await.is_err());
    assert!(store.remembered_editions(Source::Filings).await.is_err());
    assert!(store.setting_or("a", "b").await.is_err());
    assert!(store.replicas().await.is_err());
    assert!(store.time().await.is_err());
    store.fail_all(false);
    assert_eq!(store.setting("a").await.unwrap(), None);
}

#[tokio::test]
async fn set_time_overrides_the_clock() {
    let place = TemporaryFile::new();
    let store = FaultyStore::new(place.open().await);
    assert_eq!(store.time().await.unwrap(), None, "a file has no clock");
    store.set_time(Some(at(5)));
    assert_eq!(store.time().await.unwrap(), Some(at(5)));
    store.fail_next(Operation::Time);
    assert!(store.time().await.is_err());
}

#[tokio::test]
async fn a_delay_slows_every_call() {
    let place = TemporaryFile::new();
    let store = FaultyStore::new(place.open().await);
    store.delay(Duration::from_secs(3600));
    let in_time = tokio::time::timeout(Duration::from_millis(20), store.counters()).await;
    assert!(in_time.is_err());
}
