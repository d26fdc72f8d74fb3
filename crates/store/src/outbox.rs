//! From what a publication changed to what receivers got: announcements, messages, attempts.
//!
//! A publication writes announcements in its own transaction. Each is turned, once, into a message for every webhook that
//! wants it; messages are then claimed, delivered and settled. A killed process leaves every one of them in one of these
//! states, and nothing between.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    Attempt, DisabledBy, Edition, Failing, MessageId, Plan, Records, Source, Webhook, WebhookEvent, WebhookId,
};

use crate::Result;

/// The rows that one announcement holds at most, and so the items of one message.
pub const ROWS_ANNOUNCED: usize = 100;

/// The attempts that are shown of one delivery: the newest.
pub const ATTEMPTS_SHOWN: usize = 20;

#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// What was published and is not yet addressed to anybody, oldest first. One that cannot be read is set aside: it holds
    /// up no other, and is counted in [`OutboxState::announcements`] until somebody looks after it.
    async fn announcements(&self, limit: usize) -> Result<Vec<Announcement>>;

    /// The enabled webhooks of accounts with a key that works at `at`, and the accounts' plans.
    async fn subscribers(&self, at: Timestamp) -> Result<Vec<(Webhook, Plan)>>;

    /// Turns an announcement into its messages. Says no, and writes nothing, where somebody else did so before.
    /// Announcements are addressed in their order: one that comes after it takes those before it along.
    async fn fan_out(&self, announcement: u64, messages: Vec<NewMessage>) -> Result<bool>;

    /// Writes down what became of earlier claims, and claims messages that are due: of each webhook one at a time, longest
    /// due first, none where another process is at work.
    async fn settle_and_claim(&self, settled: Vec<Settlement>, claim: Claim) -> Result<Vec<Claimed>>;

    /// Keeps a message that was sent outside the outbox, with its one attempt.
    async fn record_delivery(&self, message: NewMessage, attempt: Attempt, delivered: bool) -> Result<()>;

    /// Newest first.
    async fn deliveries(&self, webhook: &WebhookId, limit: usize, offset: usize) -> Result<Deliveries>;

    /// Makes a delivery of this webhook due at `at`, with a whole schedule before it. A webhook that is left alone is so no
    /// longer.
    async fn redeliver(
        &self,
        webhook: &WebhookId,
        message: &MessageId,
        at: Timestamp,
    ) -> Result<Option<Delivery>>;

    /// The same for all deliveries of the webhook that have not succeeded. Says how many.
    async fn redeliver_failed(&self, webhook: &WebhookId, at: Timestamp) -> Result<u64>;

    async fn outbox_state(&self) -> Result<OutboxState>;

    /// Deletes the deliveries made before `before`, whatever became of them. Says how many.
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

/// What is to be sent to one webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub webhook: WebhookId,
    pub event: WebhookEvent,
    pub body: String,
    pub created_at: Timestamp,
}

/// Who asks for work, and how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub now: Timestamp,
    /// Names the process.
    pub holder: String,
    /// Nobody else delivers to a claimed webhook before then, unless its message is settled.
    pub until: Timestamp,
    pub most: usize,
    /// Only webhooks of accounts on these plans.
    pub plans: Vec<Plan>,
}

/// A message to be delivered now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub webhook: Webhook,
    pub message: MessageId,
    pub body: String,
    /// Attempts of the running schedule so far.
    pub tries: u32,
    pub due_at: Timestamp,
    /// How often the owner has asked for it again.
    pub asked: u64,
}

/// What became of a claimed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    pub webhook: WebhookId,
    pub message: MessageId,
    pub holder: String,
    /// As it was claimed. A message that is due at another time by now is not this one's business any more,
    pub due_at: Timestamp,
    /// and one that was asked for again since then stays due.
    pub asked: u64,
    pub attempt: Attempt,
    pub fate: Fate,
    /// The webhook's run of failures, this attempt included; none after a success.
    pub failing: Option<Failing>,
    pub disable: Option<DisabledBy>,
    /// Nothing is sent to the webhook before then: its receiver asked for time.
    pub leave_alone_until: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Delivered,
    /// It is tried again then.
    Due(Timestamp),
    GivenUp,
}

/// A message and how it fared.
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

/// The outbox in numbers. Messages of disabled webhooks wait for nothing and are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutboxState {
    pub announcements: u64,
    pub pending: u64,
    pub oldest_pending: Option<Timestamp>,
    pub disabled_webhooks: u64,
}
