//! The customers' webhooks, without their deliveries.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, DisabledBy, Webhook, WebhookEvent, WebhookFilters, WebhookId};

use crate::Result;

/// A webhook that does not exist is `None` or `false` here, not an error: clients may send any id.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Stores a new webhook and returns true, or returns false if its account already has `most` of them.
    async fn insert_webhook(&self, webhook: Webhook, most: usize) -> Result<bool>;

    async fn webhook(&self, id: &WebhookId) -> Result<Option<Webhook>>;

    /// Oldest first.
    async fn webhooks_of(&self, account: AccountId) -> Result<Vec<Webhook>>;

    /// All webhooks, oldest first.
    async fn list_webhooks(&self) -> Result<Vec<Webhook>>;

    /// Fails with [`WebhookDisabledByOperator`](crate::StoreError::WebhookDisabledByOperator) if the owner tries to
    /// enable or disable a webhook that the operator disabled.
    async fn change_webhook(&self, id: &WebhookId, change: WebhookChange) -> Result<Option<Webhook>>;

    /// Deletes a webhook with its deliveries. Returns whether it existed.
    async fn delete_webhook(&self, id: &WebhookId) -> Result<bool>;

    /// Adds a new secret in first place. Older ones end at `old_end_at`, or earlier if they already have an earlier
    /// end. Of those that still sign, the [`SECRETS_KEPT`] newest are kept.
    async fn rotate_webhook_secret(
        &self,
        id: &WebhookId,
        seed: [u8; 16],
        at: Timestamp,
        old_end_at: Timestamp,
    ) -> Result<Option<Webhook>>;
}

/// Maximum number of secrets that sign at once, however often they are rotated.
pub const SECRETS_KEPT: usize = 5;

/// Changes to a webhook. `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    pub url: Option<String>,
    pub description: Option<Option<String>>,
    pub events: Option<Vec<WebhookEvent>>,
    pub filters: Option<WebhookFilters>,
    pub disabled: Option<Option<DisabledBy>>,
    /// Whether the owner makes the change. The owner cannot enable a webhook that the operator disabled.
    pub by_owner: bool,
}

impl WebhookChange {
    /// Whether the change clears the webhook's failures so far: it enables it or sets another address.
    pub(crate) fn is_another_chance(&self) -> bool {
        self.disabled == Some(None) || self.url.is_some()
    }
}
