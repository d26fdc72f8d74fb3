//! The state shared by the webhook jobs and the API handlers.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use lastro_access::{Feature, Pepper, plans};
use lastro_config::WebhookSettings;
use lastro_model::{Clock, Plan, Webhook};
use lastro_store::{OutboxState, Store};

use super::connector::Connector;
use super::signature::Secret;
use super::test_slots::TestSlots;
use crate::metrics::Metrics;
use crate::replicas::Replicas;
use crate::served::Served;

pub struct Webhooks {
    pub settings: WebhookSettings,
    pub store: Arc<dyn Store>,
    /// The store's clock, because due times and leases are compared between machines.
    pub clock: Arc<dyn Clock>,
    pub served: Arc<Served>,
    pub metrics: Arc<Metrics>,
    pub pepper: Pepper,
    /// Identifies this process among all that claim messages.
    pub boot: String,
    /// The replicas that must serve an edition before it is announced.
    pub replicas: Arc<Replicas>,
    pub connector: Connector,
    pub tests: TestSlots,
    /// The last state read from the outbox, for the metrics.
    pub state: ArcSwap<OutboxState>,
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhooks").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Webhooks {
    /// The secrets of a webhook that are valid at `now`, newest first.
    pub fn secrets_of(&self, webhook: &Webhook, now: Timestamp) -> Vec<Secret> {
        let live = webhook.secrets.iter().filter(|secret| secret.ends_at.is_none_or(|end| end > now));
        live.map(|secret| Secret::new(self.pepper.webhook_secret(&webhook.id, &secret.seed))).collect()
    }
}

/// The plans that include webhooks.
pub fn entitled_plans() -> Vec<Plan> {
    plans().iter().filter(|terms| terms.includes(Feature::Webhooks)).map(|terms| terms.plan).collect()
}
