//! A store that fails when it is told to, around one that works.
//!
//! For tests of everything that must go on while the database does not.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, KeyDigest, KeyId, KeyRecord, Plan, Reject, Source, UsageCount};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::{
    AccountStore, Counters, FileStore, Loaded, NewKey, Publication, Published, RecordStore, RememberedFile,
    Result, Rotated, SettingStore, SourceState, Store, StoreError, UsageStore, Write,
};

/// The calls of a store, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    Counters,
    SourceStates,
    Load,
    Publish,
    RecordAttempt,
    ReadFiles,
    Rejects,
    InsertKey,
    Key,
    KeysSince,
    ListKeys,
    SetPlan,
    Revoke,
    Rotate,
    AddUsage,
    Usage,
    FoldUsage,
    LastUsed,
    Setting,
    SettingOr,
}

#[derive(Debug)]
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    faults: Mutex<Faults>,
}

#[derive(Debug, Default)]
struct Faults {
    next: Vec<Operation>,
    all: bool,
    panics: Vec<Operation>,
    delay: Duration,
}

impl FaultyStore {
    /// Works like `inner` until told otherwise.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, faults: Mutex::default() }
    }

    /// The next call of this operation fails; asked for twice, the next two.
    pub fn fail_next(&self, operation: Operation) {
        self.faults.lock().next.push(operation);
    }

    /// Every call fails, until this is taken back.
    pub fn fail_all(&self, fail: bool) {
        self.faults.lock().all = fail;
    }

    /// Calls of this operation panic from now on: our own mistakes, made to order.
    pub fn panic_on(&self, operation: Operation) {
        self.faults.lock().panics.push(operation);
    }

    /// Every call takes at least this long.
    pub fn delay(&self, delay: Duration) {
        self.faults.lock().delay = delay;
    }

    /// A call that fails never reaches the store behind.
    async fn pass(&self, operation: Operation) -> Result<&dyn Store> {
        let panics = self.faults.lock().panics.contains(&operation);
        assert!(!panics, "the store was told to panic");
        let (fails, delay) = self.faults.lock().fate_of(operation);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if fails { Err(StoreError::Backend("it was told to fail".to_owned())) } else { Ok(&*self.inner) }
    }
}

impl Faults {
    fn fate_of(&mut self, operation: Operation) -> (bool, Duration) {
        let planned = self.next.iter().position(|next| *next == operation);
        if let Some(position) = planned {
            self.next.remove(position);
        }
        (self.all || planned.is_some(), self.delay)
    }
}

#[async_trait]
impl RecordStore for FaultyStore {
    async fn counters(&self) -> Result<Counters> {
        self.pass(Operation::Counters).await?.counters().await
    }

    async fn source_states(&self) -> Result<Vec<SourceState>> {
        self.pass(Operation::SourceStates).await?.source_states().await
    }

    async fn load(&self, source: Source) -> Result<Loaded> {
        self.pass(Operation::Load).await?.load(source).await
    }

    async fn publish(&self, publication: Publication, rows: mpsc::Receiver<Write>) -> Result<Published> {
        self.pass(Operation::Publish).await?.publish(publication, rows).await
    }

    async fn record_attempt(&self, source: Source, at: Timestamp, error: Option<String>) -> Result<()> {
        self.pass(Operation::RecordAttempt).await?.record_attempt(source, at, error).await
    }
}

#[async_trait]
impl FileStore for FaultyStore {
    async fn read_files(&self, source: Source) -> Result<Vec<RememberedFile>> {
        self.pass(Operation::ReadFiles).await?.read_files(source).await
    }

    async fn rejects(&self, source: Source, limit: usize) -> Result<Vec<Reject>> {
        self.pass(Operation::Rejects).await?.rejects(source, limit).await
    }
}

#[async_trait]
impl AccountStore for FaultyStore {
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord> {
        self.pass(Operation::InsertKey).await?.insert_key(key).await
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>> {
        self.pass(Operation::Key).await?.key(id).await
    }

    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyRecord>> {
        self.pass(Operation::KeysSince).await?.keys_since(revision, limit).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>> {
        self.pass(Operation::ListKeys).await?.list_keys().await
    }

    async fn set_plan(
        &self,
        id: KeyId,
        plan: Plan,
        rate_limit: Option<Option<u32>>,
    ) -> Result<Vec<KeyRecord>> {
        self.pass(Operation::SetPlan).await?.set_plan(id, plan, rate_limit).await
    }

    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord> {
        self.pass(Operation::Revoke).await?.revoke(id, at).await
    }

    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<Rotated> {
        self.pass(Operation::Rotate).await?.rotate(old, new_id, digest, at, old_ends_at).await
    }
}

#[async_trait]
impl UsageStore for FaultyStore {
    async fn add_usage(&self, boot: &str, counts: &[UsageCount]) -> Result<()> {
        self.pass(Operation::AddUsage).await?.add_usage(boot, counts).await
    }

    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>> {
        self.pass(Operation::Usage).await?.usage(account, from, to).await
    }

    async fn fold_usage(&self, before: Day) -> Result<u64> {
        self.pass(Operation::FoldUsage).await?.fold_usage(before).await
    }

    async fn last_used(&self, account: AccountId) -> Result<Option<Day>> {
        self.pass(Operation::LastUsed).await?.last_used(account).await
    }
}

#[async_trait]
impl SettingStore for FaultyStore {
    async fn setting(&self, name: &str) -> Result<Option<String>> {
        self.pass(Operation::Setting).await?.setting(name).await
    }

    async fn setting_or(&self, name: &str, value: &str) -> Result<String> {
        self.pass(Operation::SettingOr).await?.setting_or(name, value).await
    }
}
