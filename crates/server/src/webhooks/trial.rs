//! The `ping` that a customer sends to see whether a receiver works. It is reported and logged, and changes nothing else.

use lastro_model::{MessageId, Webhook, WebhookEvent};
use lastro_store::NewMessage;

use super::delivery::{Outcome, attempt, timestamp};
use super::{fan_out, payload};
use crate::error::ApiError;
use crate::state::App;

const BUSY: ApiError = ApiError::Unavailable("too many tests run at this moment; please try again shortly");

pub async fn ping(app: &App, webhook: &Webhook) -> Result<(MessageId, Outcome), ApiError> {
    let _turn = app.webhooks.trials.try_acquire().map_err(|_| BUSY)?;
    let (id, created_at) = (fan_out::new_id(), timestamp(&*app.clock));
    let body = payload::ping(created_at).map_err(|error| {
        tracing::error!(%error, "a ping could not be written");
        ApiError::Internal
    })?;
    let outcome = attempt(app, webhook, &id, body.clone()).await;
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
