//! A store that panics where keys are looked up or made: our own mistakes, made to order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, KeyDigest, KeyId, KeyRecord, Plan, Source, UsageCount};
use lastro_store::{
    AccountStore, Counters, Loaded, NewKey, Publication, Published, RecordStore, Result, SettingStore,
    SourceState, Store, UsageStore, Write,
};
use tokio::sync::mpsc::Receiver;

#[derive(Debug)]
pub struct ExplodingStore {
    inner: Arc<dyn Store>,
    pub armed: AtomicBool,
}

impl ExplodingStore {
    pub fn around(inner: Arc<dyn Store>) -> Self {
        Self { inner, armed: AtomicBool::new(false) }
    }

    fn explode_if_armed(&self) {
        assert!(!self.armed.load(Ordering::SeqCst), "the store was told to panic");
    }
}

#[async_trait]
impl AccountStore for ExplodingStore {
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord> {
        self.explode_if_armed();
        self.inner.insert_key(key).await
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>> {
        self.explode_if_armed();
        self.inner.key(id).await
    }

    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyRecord>> {
        self.inner.keys_since(revision, limit).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>> {
        self.inner.list_keys().await
    }

    async fn set_plan(&self, id: KeyId, plan: Plan, limit: Option<Option<u32>>) -> Result<Vec<KeyRecord>> {
        self.inner.set_plan(id, plan, limit).await
    }

    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord> {
        self.inner.revoke(id, at).await
    }

    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<KeyRecord> {
        self.inner.rotate(old, new_id, digest, at, old_ends_at).await
    }
}

#[async_trait]
impl RecordStore for ExplodingStore {
    async fn counters(&self) -> Result<Counters> {
        self.inner.counters().await
    }

    async fn source_states(&self) -> Result<Vec<SourceState>> {
        self.inner.source_states().await
    }

    async fn load(&self, source: Source) -> Result<Loaded> {
        self.inner.load(source).await
    }

    async fn publish(&self, publication: Publication, rows: Receiver<Write>) -> Result<Published> {
        self.inner.publish(publication, rows).await
    }

    async fn record_attempt(
        &self,
        source: Source,
        at: Timestamp,
        error: Option<String>,
        rejects: u64,
    ) -> Result<()> {
        self.inner.record_attempt(source, at, error, rejects).await
    }
}

#[async_trait]
impl UsageStore for ExplodingStore {
    async fn add_usage(&self, boot: &str, counts: &[UsageCount]) -> Result<()> {
        self.inner.add_usage(boot, counts).await
    }

    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>> {
        self.inner.usage(account, from, to).await
    }

    async fn last_used(&self, account: AccountId) -> Result<Option<Day>> {
        self.inner.last_used(account).await
    }
}

#[async_trait]
impl SettingStore for ExplodingStore {
    async fn setting(&self, name: &str) -> Result<Option<String>> {
        self.inner.setting(name).await
    }

    async fn setting_or(&self, name: &str, value: &str) -> Result<String> {
        self.inner.setting_or(name, value).await
    }
}
