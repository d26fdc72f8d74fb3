//! The `ping` that a customer sends to test a receiver. It is reported and logged, and changes nothing else.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_model::{MessageId, Webhook, WebhookEvent};
use lastro_store::{Fate, NewMessage, StoreError};

use super::delivery::{AttemptReport, attempt};
use super::test_slots::SlotError;
use super::{Webhooks, fan_out, payload};
use crate::trace_context::TraceContext;

/// A failure of this service during a test, as opposed to one of the receiver.
#[derive(Debug)]
pub enum TestError {
    NoSlot(SlotError),
    /// The body of the ping could not be serialised.
    Unwritable(serde_json::Error),
    Store(StoreError),
}

/// Boxed, so that all of it is compiled in this crate.
pub fn ping<'a>(
    webhooks: &'a Webhooks,
    webhook: &'a Webhook,
    trace: Option<&'a TraceContext>,
) -> BoxFuture<'a, Result<(MessageId, AttemptReport), TestError>> {
    send_ping(webhooks, webhook, trace).boxed()
}

async fn send_ping(
    webhooks: &Webhooks,
    webhook: &Webhook,
    trace: Option<&TraceContext>,
) -> Result<(MessageId, AttemptReport), TestError> {
    let _slot = webhooks.tests.take(webhook.account).map_err(TestError::NoSlot)?;
    let (id, created_at) = (fan_out::new_id(), webhooks.clock.now().timestamp());
    let body = payload::ping(created_at).map_err(TestError::Unwritable)?;
    let report = attempt(webhooks, webhook, &id, body.clone(), trace).await;
    let (delivered, attempt) = (report.is_success(), report.attempt.clone());
    webhooks.metrics.delivery(if delivered { Fate::Delivered } else { Fate::GivenUp });
    let message = NewMessage {
        id: id.clone(),
        webhook: webhook.id.clone(),
        event: WebhookEvent::Ping,
        body,
        created_at,
    };
    webhooks.store.record_delivery(message, attempt, delivered).await.map_err(TestError::Store)?;
    Ok((id, report))
}
