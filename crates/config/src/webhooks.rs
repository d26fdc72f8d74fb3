//! Settings of webhooks.

use std::time::Duration;

use clap::Args;

use super::Switch;

#[derive(Debug, Clone, Args)]
pub struct WebhookSettings {
    /// Allow webhooks to private addresses and over plain HTTP, for tests and intranets only
    #[arg(long, env = "LASTRO_WEBHOOKS_ALLOW_PRIVATE", default_value = "off", default_missing_value = "on", num_args = 0..=1, value_name = "on|off")]
    pub webhooks_allow_private: Switch,
    /// Interval of polling the outbox.
    #[arg(skip = Duration::from_secs(2))]
    pub poll_interval: Duration,
    /// Interval of updating the metrics of the outbox.
    #[arg(skip = Duration::from_secs(5))]
    pub state_interval: Duration,
    /// Timeout of a delivery, from its first byte to the header of the response.
    #[arg(skip = Duration::from_secs(15))]
    pub delivery_timeout: Duration,
    /// Random numbers from 0 to 1, which spread the retries of many messages.
    #[arg(skip = fastrand::f64 as fn() -> f64)]
    pub jitter: fn() -> f64,
}

impl WebhookSettings {
    /// Whether receivers may have private addresses and use plain HTTP.
    pub fn allow_private(&self) -> bool {
        self.webhooks_allow_private == Switch::On
    }
}
