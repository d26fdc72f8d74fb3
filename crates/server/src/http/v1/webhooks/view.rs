//! JSON of webhooks and deliveries, for the API and the operator's `--json`.

use lastro_access::Pepper;
use lastro_background::webhooks::delivery::AttemptReport;
use lastro_background::webhooks::signature::Secret;
use lastro_model::{Attempt, DisabledBy, MessageId, Webhook};
use lastro_store::Delivery;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct WebhookView<'a> {
    id: &'a str,
    url: &'a str,
    description: Option<&'a str>,
    events: Vec<&'static str>,
    filters: Filters<'a>,
    status: &'static str,
    disabled_reason: Option<&'static str>,
    failing_since: Option<String>,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

#[derive(Serialize)]
struct Filters<'a> {
    company_ids: Vec<String>,
    categories: &'a [String],
    series_ids: &'a [String],
    q: Option<&'a str>,
}

impl<'a> WebhookView<'a> {
    pub(crate) fn of(webhook: &'a Webhook) -> Self {
        let company_ids = webhook.filters.company_ids.iter().map(ToString::to_string).collect();
        Self {
            id: webhook.id.as_str(),
            url: &webhook.url,
            description: webhook.description.as_deref(),
            events: webhook.events.iter().map(|event| event.name()).collect(),
            filters: Filters {
                company_ids,
                categories: &webhook.filters.categories,
                series_ids: &webhook.filters.series_ids,
                q: webhook.filters.q.as_deref(),
            },
            status: if webhook.disabled.is_some() { "disabled" } else { "enabled" },
            disabled_reason: webhook.disabled.map(DisabledBy::sentence),
            failing_since: webhook.failing.map(|run| run.since.to_string()),
            created_at: webhook.created_at.to_string(),
            secret: None,
        }
    }

    /// Includes the newest secret, which is shown only this once.
    pub(crate) fn with_secret(webhook: &'a Webhook, pepper: &Pepper) -> Self {
        let newest = webhook.secrets.first();
        let secret =
            newest.map(|secret| Secret::new(pepper.webhook_secret(&webhook.id, &secret.seed)).reveal());
        Self { secret, ..Self::of(webhook) }
    }
}

#[derive(Serialize)]
pub(crate) struct DeliveryView<'a> {
    id: &'a str,
    event: &'static str,
    status: &'static str,
    created_at: String,
    next_attempt_at: Option<String>,
    attempts: Vec<AttemptView<'a>>,
}

impl<'a> DeliveryView<'a> {
    pub(crate) fn of(delivery: &'a Delivery) -> Self {
        Self {
            id: delivery.message.as_str(),
            event: delivery.event.name(),
            status: status(delivery),
            created_at: delivery.created_at.to_string(),
            next_attempt_at: delivery.due_at.map(|due| due.to_string()),
            attempts: delivery.attempts.iter().map(AttemptView::of).collect(),
        }
    }
}

/// The status of a delivery: delivered, pending or failed.
pub(crate) fn status(delivery: &Delivery) -> &'static str {
    match (delivery.delivered, delivery.due_at) {
        (true, _) => "delivered",
        (false, Some(_)) => "pending",
        (false, None) => "failed",
    }
}

#[derive(Serialize)]
struct AttemptView<'a> {
    at: String,
    status: Option<u16>,
    error: Option<&'a str>,
    duration_ms: u64,
}

impl<'a> AttemptView<'a> {
    fn of(attempt: &'a Attempt) -> Self {
        Self {
            at: attempt.at.to_string(),
            status: attempt.status,
            error: attempt.error.as_deref(),
            duration_ms: attempt.duration_ms,
        }
    }
}

/// The result of a test delivery.
#[derive(Serialize)]
pub(crate) struct TestView<'a> {
    id: &'a str,
    delivered: bool,
    attempt: AttemptView<'a>,
}

impl<'a> TestView<'a> {
    pub(crate) fn of(id: &'a MessageId, report: &'a AttemptReport) -> Self {
        Self { id: id.as_str(), delivered: report.is_success(), attempt: AttemptView::of(&report.attempt) }
    }
}
