//! The customers' webhooks, their deliveries aside.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, DisabledBy, Webhook, WebhookEvent, WebhookFilters, WebhookId};

use crate::Result;

/// A webhook that does not exist is an answer here and no error: anybody may ask for any id.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Keeps a new webhook, and says so, unless its account has `most` of them already.
    async fn insert_webhook(&self, webhook: Webhook, most: usize) -> Result<bool>;

    async fn webhook(&self, id: &WebhookId) -> Result<Option<Webhook>>;

    /// Oldest first.
    async fn webhooks_of(&self, account: AccountId) -> Result<Vec<Webhook>>;

    /// All webhooks, oldest first.
    async fn list_webhooks(&self) -> Result<Vec<Webhook>>;

    /// [`WebhookDisabledByOperator`](crate::StoreError::WebhookDisabledByOperator) where the owner wants to undo the
    /// operator's word.
    async fn change_webhook(&self, id: &WebhookId, change: WebhookChange) -> Result<Option<Webhook>>;

    /// Forgets a webhook with its deliveries. Says whether there was one.
    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool>;

    /// Puts a new secret in front. Those before it end at `old_end_at` or at an earlier end they already have; of
    /// those that still sign, the [`SECRETS_KEPT`] newest are kept.
    async fn rotate_webhook_secret(
        &self,
        id: &WebhookId,
        seed: [u8; 16],
        at: Timestamp,
        old_end_at: Timestamp,
    ) -> Result<Option<Webhook>>;
}

/// So many secrets may sign at once, however often they are rotated.
pub const SECRETS_KEPT: usize = 5;

/// What is to become of a webhook; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    pub url: Option<String>,
    pub description: Option<Option<String>>,
    pub events: Option<Vec<WebhookEvent>>,
    pub filters: Option<WebhookFilters>,
    pub disabled: Option<Option<DisabledBy>>,
    /// The owner's wish, which leaves a webhook disabled that the operator disabled.
    pub by_owner: bool,
}

impl WebhookChange {
    /// Enabling it, and another address, make its failures so far a thing of the past.
    pub(crate) fn is_another_chance(&self) -> bool {
        self.disabled == Some(None) || self.url.is_some()
    }
}
