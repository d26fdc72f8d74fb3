//! Settings of webhooks.

use std::time::Duration;

use clap::Args;

use super::Switch;
use crate::clock::random_fraction;

#[derive(Debug, Clone, Args)]
pub struct WebhookSettings {
    /// Whether webhooks may lead to private addresses and plain HTTP: for tests and intranets only
    #[arg(long, env = "LASTRO_WEBHOOKS_ALLOW_PRIVATE", default_value = "off", default_missing_value = "on", num_args = 0..=1, value_name = "on|off")]
    pub webhooks_allow_private: Switch,
    /// How often the outbox is looked at when nothing happens.
    #[arg(skip = Duration::from_secs(2))]
    pub poll_interval: Duration,
    /// How old the operator's numbers get.
    #[arg(skip = Duration::from_secs(5))]
    pub state_interval: Duration,
    /// From the first byte of a delivery to the header of its answer.
    #[arg(skip = Duration::from_secs(15))]
    pub delivery_timeout: Duration,
    /// A number from 0 to 1, another each time: retries of many messages spread out.
    #[arg(skip = random_fraction as fn() -> f64)]
    pub jitter: fn() -> f64,
}

impl WebhookSettings {
    /// Whether receivers may have private addresses and use plain HTTP.
    pub fn allow_private(&self) -> bool {
        self.webhooks_allow_private == Switch::On
    }
}
