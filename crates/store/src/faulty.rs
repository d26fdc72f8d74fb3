//! A store that fails when it is told to, around one that works.
//!
//! For tests of everything that must go on while the database does not.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    AccountId, Attempt, Day, Edition, KeyChange, KeyDigest, KeyId, KeyRecord, MessageId, NewKey, Plan,
    Reject, Source, UsageCount, Webhook, WebhookId, Withheld,
};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::{
    AccountStore, Announcement, Claim, Claimed, Counters, Deliveries, Delivery, Erased, FileStore, Lease,
    LeaseStore, Loaded, NewMessage, OutboxState, OutboxStore, Publication, Published, RecordStore,
    RememberedEdition, RememberedFile, Result, Rotated, SettingStore, Settlement, SourceState, Store,
    StoreError, UsageStore, WebhookChange, WebhookStore, Write,
};

/// The calls of a store, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    Counters,
    SourceStates,
    Load,
    Changes,
    RememberedEditions,
    Publish,
    Withheld,
    RecordAttempt,
    ReadFiles,
    Rejects,
    TakeLease,
    RenewLease,
    ReleaseLease,
    InsertKey,
    Key,
    KeysSince,
    ListKeys,
    SetPlan,
    Revoke,
    Rotate,
    CloseEndedKeys,
    Erase,
    RemoveUnusedKeys,
    ForgetRemovedKeys,
    AddUsage,
    Usage,
    LastUsed,
    ForgetUsageFlushes,
    Setting,
    SettingOr,
    InsertWebhook,
    Webhook,
    WebhooksOf,
    ListWebhooks,
    ChangeWebhook,
    DeleteWebhook,
    RotateWebhookSecret,
    Announcements,
    Subscribers,
    FanOut,
    SettleAndClaim,
    RecordDelivery,
    Deliveries,
    Redeliver,
    RedeliverFailed,
    OutboxState,
    ForgetDeliveries,
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

    /// No call panics any more.
    pub fn stop_panics(&self) {
        self.faults.lock().panics.clear();
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

    async fn changes(&self, source: Source, since: Edition) -> Result<Option<Loaded>> {
        self.pass(Operation::Changes).await?.changes(source, since).await
    }

    async fn remembered_editions(&self, source: Source) -> Result<Vec<RememberedEdition>> {
        self.pass(Operation::RememberedEditions).await?.remembered_editions(source).await
    }

    async fn publish(&self, publication: Publication, rows: mpsc::Receiver<Write>) -> Result<Published> {
        self.pass(Operation::Publish).await?.publish(publication, rows).await
    }

    async fn withheld(&self, source: Source) -> Result<Vec<Withheld>> {
        self.pass(Operation::Withheld).await?.withheld(source).await
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
impl LeaseStore for FaultyStore {
    async fn take_lease(&self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<Lease> {
        self.pass(Operation::TakeLease).await?.take_lease(name, holder, now, until).await
    }

    async fn renew_lease(&self, name: &str, holder: &str, until: Timestamp) -> Result<bool> {
        self.pass(Operation::RenewLease).await?.renew_lease(name, holder, until).await
    }

    async fn release_lease(&self, name: &str, holder: &str) -> Result<()> {
        self.pass(Operation::ReleaseLease).await?.release_lease(name, holder).await
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

    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyChange>> {
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

    async fn close_ended_keys(&self, now: Timestamp) -> Result<u64> {
        self.pass(Operation::CloseEndedKeys).await?.close_ended_keys(now).await
    }

    async fn erase(&self, id: KeyId, at: Timestamp) -> Result<Erased> {
        self.pass(Operation::Erase).await?.erase(id, at).await
    }

    async fn remove_unused_keys(
        &self,
        created_before: Timestamp,
        at: Timestamp,
        limit: usize,
    ) -> Result<u64> {
        self.pass(Operation::RemoveUnusedKeys).await?.remove_unused_keys(created_before, at, limit).await
    }

    async fn forget_removed_keys(&self, before: Timestamp) -> Result<u64> {
        self.pass(Operation::ForgetRemovedKeys).await?.forget_removed_keys(before).await
    }
}

#[async_trait]
impl UsageStore for FaultyStore {
    async fn add_usage(&self, boot: &str, sequence: u64, at: Timestamp, counts: &[UsageCount]) -> Result<()> {
        self.pass(Operation::AddUsage).await?.add_usage(boot, sequence, at, counts).await
    }

    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>> {
        self.pass(Operation::Usage).await?.usage(account, from, to).await
    }

    async fn last_used(&self, account: AccountId) -> Result<Option<Day>> {
        self.pass(Operation::LastUsed).await?.last_used(account).await
    }

    async fn forget_usage_flushes(&self, before: Timestamp) -> Result<u64> {
        self.pass(Operation::ForgetUsageFlushes).await?.forget_usage_flushes(before).await
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

#[async_trait]
impl WebhookStore for FaultyStore {
    async fn insert_webhook(&self, webhook: Webhook, most: usize) -> Result<bool> {
        self.pass(Operation::InsertWebhook).await?.insert_webhook(webhook, most).await
    }

    async fn webhook(&self, id: &WebhookId) -> Result<Option<Webhook>> {
        self.pass(Operation::Webhook).await?.webhook(id).await
    }

    async fn webhooks_of(&self, account: AccountId) -> Result<Vec<Webhook>> {
        self.pass(Operation::WebhooksOf).await?.webhooks_of(account).await
    }

    async fn list_webhooks(&self) -> Result<Vec<Webhook>> {
        self.pass(Operation::ListWebhooks).await?.list_webhooks().await
    }

    async fn change_webhook(&self, id: &WebhookId, change: WebhookChange) -> Result<Option<Webhook>> {
        self.pass(Operation::ChangeWebhook).await?.change_webhook(id, change).await
    }

    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool> {
        self.pass(Operation::DeleteWebhook).await?.delete_webhook(id).await
    }

    async fn rotate_webhook_secret(
        &self,
        id: &WebhookId,
        seed: [u8; 16],
        at: Timestamp,
        old_end_at: Timestamp,
    ) -> Result<Option<Webhook>> {
        let store = self.pass(Operation::RotateWebhookSecret).await?;
        store.rotate_webhook_secret(id, seed, at, old_end_at).await
    }
}

#[async_trait]
impl OutboxStore for FaultyStore {
    async fn announcements(&self, limit: usize) -> Result<Vec<Announcement>> {
        self.pass(Operation::Announcements).await?.announcements(limit).await
    }

    async fn subscribers(&self, at: Timestamp) -> Result<Vec<(Webhook, Plan)>> {
        self.pass(Operation::Subscribers).await?.subscribers(at).await
    }

    async fn fan_out(&self, announcement: u64, messages: Vec<NewMessage>) -> Result<bool> {
        self.pass(Operation::FanOut).await?.fan_out(announcement, messages).await
    }

    async fn settle_and_claim(&self, settled: Vec<Settlement>, claim: Claim) -> Result<Vec<Claimed>> {
        self.pass(Operation::SettleAndClaim).await?.settle_and_claim(settled, claim).await
    }

    async fn record_delivery(&self, message: NewMessage, attempt: Attempt, delivered: bool) -> Result<()> {
        self.pass(Operation::RecordDelivery).await?.record_delivery(message, attempt, delivered).await
    }

    async fn deliveries(&self, webhook: &WebhookId, limit: usize, offset: usize) -> Result<Deliveries> {
        self.pass(Operation::Deliveries).await?.deliveries(webhook, limit, offset).await
    }

    async fn redeliver(
        &self,
        webhook: &WebhookId,
        message: &MessageId,
        at: Timestamp,
    ) -> Result<Option<Delivery>> {
        self.pass(Operation::Redeliver).await?.redeliver(webhook, message, at).await
    }

    async fn redeliver_failed(&self, webhook: &WebhookId, at: Timestamp) -> Result<u64> {
        self.pass(Operation::RedeliverFailed).await?.redeliver_failed(webhook, at).await
    }

    async fn outbox_state(&self) -> Result<OutboxState> {
        self.pass(Operation::OutboxState).await?.outbox_state().await
    }

    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64> {
        self.pass(Operation::ForgetDeliveries).await?.forget_deliveries(before).await
    }
}
