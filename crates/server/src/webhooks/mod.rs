//! Telling customers what is new.
//!
//! A publication leaves announcements in the store. From there, in the order of the flow:
//!
//! 1. [`fan_out`] turns each announcement, once, into a message for every webhook that wants it, with a body by [`payload`].
//! 2. [`dispatcher`] claims messages that are due, one of each webhook at a time, and gives each to a task.
//! 3. [`delivery`] is that task: [`signature`], [`connector`], and the verdict by [`schedule`].
//!
//! [`endpoint`] says what may be a receiver's address, [`address`] which numbers are public, [`internal_names`] which names cannot be,
//! and [`trial`] sends the `ping` that a customer asks for. The customers' side of all this is `http/v1/webhooks`.

pub mod address;
pub mod connector;
pub mod delivery;
pub mod dispatcher;
pub mod endpoint;
pub mod fan_out;
pub mod internal_names;
pub mod payload;
pub mod schedule;
pub mod signature;
pub mod trial;

use std::time::Duration;

use arc_swap::ArcSwap;
use lastro_access::{Feature, Pepper, plans};
use lastro_model::{Plan, Webhook};
use lastro_store::OutboxState;

use connector::Connector;
use signature::Secret;
use trial::Trials;

/// An account may have so many webhooks.
pub const MOST_PER_ACCOUNT: usize = 10;

/// How webhooks are served. Tests take other numbers than the world.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Receivers may have private addresses and speak plain HTTP.
    pub allow_private: bool,
    /// How often the outbox is looked at when nothing happens.
    pub look_every: Duration,
    /// How old the operator's numbers get.
    pub state_every: Duration,
    /// From the first byte of a delivery to the header of its answer.
    pub deadline: Duration,
    /// A number from 0 to 1, another each time: retries of many messages spread out.
    pub jitter: fn() -> f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allow_private: false,
            look_every: Duration::from_millis(500),
            state_every: Duration::from_secs(5),
            deadline: Duration::from_secs(15),
            jitter: crate::clock::random_fraction,
        }
    }
}

/// What deliveries and handlers share.
#[derive(Debug)]
pub struct Webhooks {
    pub settings: Settings,
    pub connector: Connector,
    pub trials: Trials,
    /// As of a moment ago, for the operator.
    pub state: ArcSwap<OutboxState>,
}

impl Webhooks {
    pub fn new(settings: Settings) -> anyhow::Result<Self> {
        Ok(Self {
            connector: Connector::new(settings.allow_private, settings.deadline)?,
            settings,
            trials: Trials::default(),
            state: ArcSwap::from_pointee(OutboxState::default()),
        })
    }
}

/// The plans whose accounts are told of anything.
pub fn entitled_plans() -> Vec<Plan> {
    plans().iter().filter(|terms| terms.includes(Feature::Webhooks)).map(|terms| terms.plan).collect()
}

/// The secrets that sign for a webhook at this moment, newest first.
pub fn secrets_of(webhook: &Webhook, pepper: &Pepper, now: jiff::Timestamp) -> Vec<Secret> {
    let live = webhook.secrets.iter().filter(|secret| secret.ends_at.is_none_or(|end| end > now));
    live.map(|secret| Secret::new(pepper.webhook_secret(&webhook.id, &secret.seed))).collect()
}
