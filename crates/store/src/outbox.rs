//! The path from a publication's changes to the receivers: announcements, messages, attempts.
//!
//! A publication writes announcements in its own transaction. Each is turned, once, into a message for every webhook
//! that wants it; messages are then claimed, delivered and settled. A killed process leaves each of them in one of
//! these states, never between two.

use std::ops::Range;

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    Attempt, DisabledBy, Edition, Failing, MessageId, Plan, Records, Source, Webhook, WebhookEvent, WebhookId,
};

use crate::Result;

/// Maximum number of rows in one announcement, and so of items in one message.
pub const ROWS_ANNOUNCED: usize = 100;

/// Number of attempts shown per delivery, the newest ones.
pub const ATTEMPTS_SHOWN: usize = 20;

#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Returns published announcements that are not yet fanned out, oldest first. An unreadable one is set aside: it
    /// blocks no other, and is counted in [`OutboxState::announcements`] until an operator handles it.
    async fn announcements(&self, limit: usize) -> Result<Vec<Announcement>>;

    /// Returns the enabled webhooks of accounts with a key that works at `at`, with the accounts' plans.
    async fn subscribers(&self, at: Timestamp) -> Result<Vec<(Webhook, Plan)>>;

    /// Turns an announcement into its messages. Returns false and writes nothing if that was done before.
    /// Announcements are fanned out in order: fanning one out also marks all earlier ones as done.
    async fn fan_out(&self, announcement: u64, messages: Vec<NewMessage>) -> Result<bool>;

    /// Records the results of earlier claims, and claims messages that are due: one per webhook, longest due first,
    /// none from a webhook that another process is delivering to.
    async fn settle_and_claim(&self, settled: Vec<Settlement>, claim: Claim) -> Result<Vec<Claimed>>;

    /// Stores a message that was sent outside the outbox, with its one attempt.
    async fn record_delivery(&self, message: NewMessage, attempt: Attempt, delivered: bool) -> Result<()>;

    /// Newest first.
    async fn deliveries(&self, webhook: &WebhookId, limit: usize, offset: usize) -> Result<Deliveries> {
        self.deliveries_between(webhook, Timestamp::MIN..Timestamp::MAX, limit, offset).await
    }

    /// The messages created in a period, newest first.
    async fn deliveries_between(
        &self,
        webhook: &WebhookId,
        created: Range<Timestamp>,
        limit: usize,
        offset: usize,
    ) -> Result<Deliveries>;

    /// Makes a delivery of this webhook due at `at` and restarts its retry schedule. Ends a pause that the receiver
    /// asked for.
    async fn redeliver(
        &self,
        webhook: &WebhookId,
        message: &MessageId,
        at: Timestamp,
    ) -> Result<Option<Delivery>>;

    /// Does the same for all deliveries of the webhook that have not succeeded. Returns their number.
    async fn redeliver_failed(&self, webhook: &WebhookId, at: Timestamp) -> Result<u64>;

    async fn outbox_state(&self) -> Result<OutboxState>;

    /// Deletes the deliveries created before `before`, whatever their state. Returns their number.
    async fn forget_deliveries(&self, before: Timestamp) -> Result<u64>;
}

/// Rows of one source that a publication added or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    pub source: Source,
    pub number: u64,
    pub event: WebhookEvent,
    pub edition: Edition,
    pub at: Timestamp,
    pub rows: Records,
}

/// A message to be sent to one webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub webhook: WebhookId,
    pub event: WebhookEvent,
    pub body: String,
    pub created_at: Timestamp,
}

/// A request for messages to deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub now: Timestamp,
    /// The name of the process.
    pub holder: String,
    /// The end of the claim: no other process delivers to the webhook before then, unless its message is settled.
    pub until: Timestamp,
    pub most: usize,
    /// Only webhooks of accounts on these plans.
    pub plans: Vec<Plan>,
}

/// A claimed message, to be delivered now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub webhook: Webhook,
    pub message: MessageId,
    pub body: String,
    /// Attempts so far in the current retry schedule.
    pub tries: u32,
    pub due_at: Timestamp,
    /// Number of redeliveries that the owner has requested.
    pub asked: u64,
}

/// The result of delivering a claimed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    pub webhook: WebhookId,
    pub message: MessageId,
    pub holder: String,
    /// The due time when it was claimed. If it has changed since, the message is left as it is.
    pub due_at: Timestamp,
    /// The redelivery count when it was claimed. If it has grown since, the message stays due.
    pub asked: u64,
    pub attempt: Attempt,
    pub fate: Fate,
    /// The webhook's current run of failures, including this attempt; `None` after a success.
    pub failing: Option<Failing>,
    pub disable: Option<DisabledBy>,
    /// The end of a pause that the receiver asked for. Nothing is sent to the webhook before then.
    pub leave_alone_until: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Delivered,
    /// To be retried at this time.
    Due(Timestamp),
    GivenUp,
}

/// A message and its delivery state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub message: MessageId,
    pub event: WebhookEvent,
    pub created_at: Timestamp,
    pub due_at: Option<Timestamp>,
    pub delivered: bool,
    /// Newest first, at most [`ATTEMPTS_SHOWN`].
    pub attempts: Vec<Attempt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deliveries {
    pub total: u64,
    pub page: Vec<Delivery>,
}

/// Counts of the outbox. Messages of disabled webhooks are not pending and are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutboxState {
    pub announcements: u64,
    pub pending: u64,
    pub oldest_pending: Option<Timestamp>,
    pub disabled_webhooks: u64,
}
