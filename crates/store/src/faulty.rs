//! A store for tests that wraps a working one and fails on demand.
//!
//! It tests everything that must keep working while the database does not.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    AccountId, Attempt, CompanyId, Day, Edition, FeedId, FilingId, KeyChange, KeyDigest, KeyId, KeyRecord,
    MessageId, NewKey, Plan, Records, Reject, SavedFeed, Source, SourceState, SubscriptionStatus, UsageCount,
    Webhook, WebhookId, Withheld,
};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::{
    AccountStore, Announcement, BillingDue, BillingState, BillingStore, Calls, ChangeEdition, ChangePosition,
    ChangeStore, Claim, Claimed, ClockStore, Counters, Deliveries, Delivery, Erased, FeedLookup, FeedStore,
    FileStore, Lease, LeaseStore, Loaded, LoggedChange, MeasuredStore, NewMessage, OutboxState, OutboxStore,
    PoolState, Publication, PublicationItem, Published, RecordStore, Recorded, RememberedEdition,
    RememberedFile, Replica, ReplicaStore, Result, Rotated, SettingStore, Settlement, Store, StoreError,
    UsageStore, WebhookChange, WebhookStore,
};

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
    time: Option<Timestamp>,
}

impl FaultyStore {
    /// Behaves like `inner` until a fault is set.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, faults: Mutex::default() }
    }

    /// Makes the next call of this operation fail; called twice, the next two.
    pub fn fail_next(&self, operation: Operation) {
        self.faults.lock().next.push(operation);
    }

    /// Makes every call fail until it is called with `false`.
    pub fn fail_all(&self, fail: bool) {
        self.faults.lock().all = fail;
    }

    /// Makes calls of this operation panic from now on, to simulate our own bugs.
    pub fn panic_on(&self, operation: Operation) {
        self.faults.lock().panics.push(operation);
    }

    /// Clears all panics set by [`FaultyStore::panic_on`].
    pub fn stop_panics(&self) {
        self.faults.lock().panics.clear();
    }

    /// Makes every call take at least this long.
    pub fn delay(&self, delay: Duration) {
        self.faults.lock().delay = delay;
    }

    /// Freezes the store's clock at this time, overriding the wrapped store. `None` undoes it.
    pub fn set_time(&self, time: Option<Timestamp>) {
        self.faults.lock().time = time;
    }

    /// Returns the wrapped store, or the planned failure. A failing call never reaches the wrapped store.
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

/// Implements each store call: it passes [`FaultyStore::pass`] under its name and is then forwarded unchanged.
macro_rules! faulty {
    ($($store:ident { $(
        $operation:ident: $call:ident($($name:ident: $type:ty),*) -> $answer:ty;
    )* })*) => {
        /// The calls of a store.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation {
            Time,
            $($($operation,)*)*
        }

        $(
            #[async_trait]
            impl $store for FaultyStore {
                $(
                    async fn $call(&self, $($name: $type),*) -> Result<$answer> {
                        self.pass(Operation::$operation).await?.$call($($name),*).await
                    }
                )*
            }
        )*
    };
}

/// Measurements are those of the wrapped store: a call that fails here is none.
impl MeasuredStore for FaultyStore {
    fn calls(&self) -> &Calls {
        self.inner.calls()
    }

    fn pool(&self) -> Option<PoolState> {
        self.inner.pool()
    }
}

/// Written by hand, because the time can be overridden.
#[async_trait]
impl ClockStore for FaultyStore {
    async fn time(&self) -> Result<Option<Timestamp>> {
        let store = self.pass(Operation::Time).await?;
        let time = self.faults.lock().time;
        if time.is_some() { Ok(time) } else { store.time().await }
    }
}

faulty! {
    RecordStore {
        Counters: counters() -> Counters;
        SourceStates: source_states() -> Vec<SourceState>;
        Load: load(source: Source) -> Loaded;
        Changes: changes(source: Source, since: Edition) -> Option<Loaded>;
        RememberedEditions: remembered_editions(source: Source) -> Vec<RememberedEdition>;
        Publish: publish(publication: Publication, rows: mpsc::Receiver<PublicationItem>) -> Published;
        PublishTogether: publish_together(publications: Vec<(Publication, Records)>) -> Vec<Published>;
        Revisions: revisions(source: Source) -> Recorded;
        Withheld: withheld(source: Source) -> Vec<Withheld>;
        ListedCompanies: listed_companies() -> Vec<CompanyId>;
        ListedFilings: listed_filings(year: i16) -> Vec<FilingId>;
        RecordAttempt: record_attempt(source: Source, at: Timestamp, error: Option<String>) -> ();
    }
    ChangeStore {
        OldestChangeEdition: oldest_change_edition() -> Option<ChangeEdition>;
        ChangeEdition: change_edition(edition: Edition) -> Option<ChangeEdition>;
        ChangeEditions: change_editions(after: Edition, limit: usize) -> Vec<ChangeEdition>;
        LoggedChanges: logged_changes(after: ChangePosition, up_to: Edition, batches: usize) -> Vec<LoggedChange>;
        LogReplacements: log_replacements(shapes: Vec<(Source, String)>, at: Timestamp) -> Vec<Source>;
        ForgetChanges: forget_changes(before: Timestamp) -> u64;
    }
    FileStore {
        ReadFiles: read_files(source: Source) -> Vec<RememberedFile>;
        Rejects: rejects(source: Source, limit: usize) -> Vec<Reject>;
    }
    LeaseStore {
        TakeLease: take_lease(name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Lease;
        RenewLease: renew_lease(name: &str, holder: &str, until: Timestamp) -> bool;
        ReleaseLease: release_lease(name: &str, holder: &str) -> ();
    }
    AccountStore {
        InsertKey: insert_key(key: NewKey) -> KeyRecord;
        Key: key(id: KeyId) -> Option<KeyRecord>;
        KeysSince: keys_since(revision: u64, limit: usize) -> Vec<KeyChange>;
        ListKeys: list_keys() -> Vec<KeyRecord>;
        KeysOf: keys_of(account: AccountId) -> Vec<KeyRecord>;
        SetPlan: set_plan(id: KeyId, plan: Plan, rate_limit: Option<Option<u32>>) -> Vec<KeyRecord>;
        Revoke: revoke(id: KeyId, at: Timestamp) -> KeyRecord;
        Rotate: rotate(old: KeyId, new_id: KeyId, digest: KeyDigest, at: Timestamp, old_ends_at: Timestamp)
            -> Rotated;
        Reissue: reissue(old: KeyId, new_id: KeyId, digest: KeyDigest, at: Timestamp) -> KeyRecord;
        CloseEndedKeys: close_ended_keys(now: Timestamp) -> u64;
        Erase: erase(id: KeyId, at: Timestamp) -> Erased;
        EraseIfBillingIs: erase_if_billing_is(id: KeyId, at: Timestamp, billing_version: u64) -> Option<Erased>;
        RemoveUnusedKeys: remove_unused_keys(created_before: Timestamp, at: Timestamp, limit: usize) -> u64;
        ForgetRemovedKeys: forget_removed_keys(before: Timestamp) -> u64;
    }
    UsageStore {
        AddUsage: add_usage(boot: &str, sequence: u64, at: Timestamp, counts: &[UsageCount]) -> ();
        Usage: usage(account: AccountId, from: Day, to: Day) -> Vec<UsageCount>;
        LastUsed: last_used(account: AccountId) -> Option<Day>;
        ForgetUsageFlushes: forget_usage_flushes(before: Timestamp) -> u64;
    }
    SettingStore {
        Setting: setting(name: &str) -> Option<String>;
        SettingOr: setting_or(name: &str, value: &str) -> String;
    }
    WebhookStore {
        InsertWebhook: insert_webhook(webhook: Webhook, most: usize) -> bool;
        Webhook: webhook(id: &WebhookId) -> Option<Webhook>;
        WebhooksOf: webhooks_of(account: AccountId) -> Vec<Webhook>;
        ListWebhooks: list_webhooks() -> Vec<Webhook>;
        ChangeWebhook: change_webhook(id: &WebhookId, change: WebhookChange) -> Option<Webhook>;
        DeleteWebhook: delete_webhook(id: &WebhookId) -> bool;
        RotateWebhookSecret: rotate_webhook_secret(id: &WebhookId, seed: [u8; 16], at: Timestamp, old_end_at: Timestamp)
            -> Option<Webhook>;
    }
    FeedStore {
        InsertFeed: insert_feed(feed: SavedFeed, token_digest: String, most: usize) -> bool;
        FeedsOf: feeds_of(account: AccountId) -> Vec<SavedFeed>;
        FeedByToken: feed_by_token(token_digest: &str) -> FeedLookup;
        DeleteFeed: delete_feed(account: AccountId, id: &FeedId, at: Timestamp) -> bool;
        ForgetEndedFeeds: forget_ended_feeds(before: Day) -> u64;
    }
    OutboxStore {
        Announcements: announcements(limit: usize) -> Vec<Announcement>;
        Subscribers: subscribers(at: Timestamp) -> Vec<(Webhook, Plan)>;
        FanOut: fan_out(announcement: u64, messages: Vec<NewMessage>) -> bool;
        SettleAndClaim: settle_and_claim(settled: Vec<Settlement>, claim: Claim) -> Vec<Claimed>;
        RecordDelivery: record_delivery(message: NewMessage, attempt: Attempt, delivered: bool) -> ();
        Deliveries: deliveries_between(webhook: &WebhookId, created: Range<Timestamp>, limit: usize, offset: usize)
            -> Deliveries;
        Redeliver: redeliver(webhook: &WebhookId, message: &MessageId, at: Timestamp) -> Option<Delivery>;
        RedeliverFailed: redeliver_failed(webhook: &WebhookId, at: Timestamp) -> u64;
        OutboxState: outbox_state() -> OutboxState;
        ForgetDeliveries: forget_deliveries(before: Timestamp) -> u64;
    }
    ReplicaStore {
        Beat: beat(replica: Replica) -> Vec<Replica>;
        Replicas: replicas() -> Vec<Replica>;
        Leave: leave(boot: &str) -> ();
        ForgetReplicas: forget_replicas(before: Timestamp) -> u64;
    }
    BillingStore {
        Billing: billing(account: AccountId) -> Option<BillingState>;
        FindBilling: find_billing(customer: &str, checkout: Option<&str>) -> Option<BillingState>;
        ListBilling: list_billing() -> Vec<BillingState>;
        BillingDue: billing_due(due: BillingDue) -> Vec<BillingState>;
        CountBilling: count_billing() -> Vec<(SubscriptionStatus, u64)>;
        RecordBilling: record_billing(state: BillingState, plan: Option<Plan>) -> Option<Vec<KeyRecord>>;
        KnowsBillingEvent: knows_billing_event(id: &str) -> bool;
        RememberBillingEvent: remember_billing_event(id: &str, at: Timestamp) -> ();
        ForgetBillingEvents: forget_billing_events(before: Timestamp) -> u64;
    }
}
