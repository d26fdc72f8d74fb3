//! The `ping` that a customer sends to see whether a receiver works. It is reported and logged, and changes nothing else.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use lastro_model::{AccountId, MessageId, Webhook, WebhookEvent};
use lastro_store::{Fate, NewMessage};

use super::delivery::{Outcome, attempt};
use super::{fan_out, payload};
use crate::error::ApiError;
use crate::state::App;

/// Customers wait for trials; more of them at once than this are somebody's load test.
const AT_ONCE: usize = 16;
/// So that nobody takes all places.
const OF_AN_ACCOUNT: usize = 2;

const BUSY: ApiError = ApiError::Unavailable("too many tests run at this moment; please try again shortly");
/// A trial is over when the receiver's time is.
const YOURS_RUN: ApiError = ApiError::RateLimited {
    message: "two tests of your webhooks run at this moment; wait for their outcome",
    retry_after_seconds: 15,
};

/// The trials that run, by account.
#[derive(Debug, Default)]
pub struct Trials(Mutex<HashMap<AccountId, usize>>);

/// A place among the trials, given back when it is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    trials: &'a Trials,
    account: AccountId,
}

impl Trials {
    pub fn enter(&self, account: AccountId) -> Result<Turn<'_>, ApiError> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = running.values().sum();
        let own = running.get(&account).copied().unwrap_or_default();
        if own >= OF_AN_ACCOUNT {
            return Err(YOURS_RUN);
        }
        if all >= AT_ONCE {
            return Err(BUSY);
        }
        running.insert(account, own + 1);
        Ok(Turn { trials: self, account })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut running = self.trials.0.lock().unwrap_or_else(PoisonError::into_inner);
        match running.get_mut(&self.account) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                running.remove(&self.account);
            }
        }
    }
}

pub async fn ping(app: &App, webhook: &Webhook) -> Result<(MessageId, Outcome), ApiError> {
    let _turn = app.webhooks.trials.enter(webhook.account)?;
    let (id, created_at) = (fan_out::new_id(), app.clock.now().timestamp());
    let body = payload::ping(created_at).map_err(|error| {
        tracing::error!(%error, "a ping could not be written");
        ApiError::Internal
    })?;
    let outcome = attempt(app, webhook, &id, body.clone()).await;
    app.metrics.delivery(if outcome.is_success() { Fate::Delivered } else { Fate::GivenUp });
    let message = NewMessage {
        id: id.clone(),
        webhook: webhook.id.clone(),
        event: WebhookEvent::Ping,
        body,
        created_at,
    };
    app.store.record_delivery(message, outcome.attempt.clone(), outcome.is_success()).await?;
    Ok((id, outcome))
}
