//! Stripe's events. An event is a hint: its customer is taken from it, and Stripe is asked.

use serde::Deserialize;
use serde_json::Value;

use super::counts::EventOutcome;
use super::{Billing, BillingError};
use crate::config::is_stripe_id;
use crate::error::ApiError;

/// The events that can concern a plan. All of them name their customer.
const INTERESTING: [&str; 3] = ["customer.subscription.", "checkout.session.", "invoice."];
/// Events after which a checkout can no longer be paid.
const CLOSING: [&str; 2] = ["checkout.session.completed", "checkout.session.expired"];

#[derive(Debug, Deserialize)]
struct Event {
    id: String,
    r#type: String,
    data: Payload,
}

#[derive(Debug, Deserialize)]
struct Payload {
    object: Subject,
}

#[derive(Debug, Deserialize)]
struct Subject {
    id: Option<String>,
    customer: Option<Value>,
}

impl Subject {
    /// The customer's id, which is alone or within the customer.
    fn customer(&self) -> Option<&str> {
        let customer = self.customer.as_ref()?;
        let id = customer.as_str().or_else(|| customer.get("id")?.as_str());
        id.filter(|id| is_stripe_id(id))
    }
}

impl Billing {
    /// Handles an event. An error makes Stripe send it again.
    pub async fn receive(&self, signature: &str, body: &[u8], unix_seconds: i64) -> Result<(), ApiError> {
        if !self.secret.load().verifies(signature, body, unix_seconds) {
            self.counts.event("other", EventOutcome::BadSignature);
            return Err(ApiError::BadRequest("the signature is not valid".into()));
        }
        let Ok(event) = serde_json::from_slice::<Event>(body) else {
            self.counts.event("other", EventOutcome::Failed);
            return Err(ApiError::BadRequest("the body is not an event".into()));
        };
        let result = match self.ready() {
            Ok(_) => self.handle(&event).await.map_err(ApiError::from),
            Err(error) => Err(error),
        };
        self.counts.event(&event.r#type, *result.as_ref().unwrap_or(&EventOutcome::Failed));
        result.map(drop)
    }

    async fn handle(&self, event: &Event) -> Result<EventOutcome, BillingError> {
        let kind = event.r#type.as_str();
        if !INTERESTING.iter().any(|prefix| kind.starts_with(prefix)) || !is_stripe_id(&event.id) {
            return Ok(EventOutcome::Ignored);
        }
        if self.store.knows_billing_event(&event.id).await? {
            return Ok(EventOutcome::Known);
        }
        let subject = &event.data.object;
        let closed = subject.id.as_deref().filter(|id| CLOSING.contains(&kind) && is_stripe_id(id));
        let outcome = match (subject.customer(), closed) {
            (Some(customer), _) => match self.reconcile(customer, closed).await? {
                Some(reconciled) if reconciled.changed => EventOutcome::Applied,
                Some(_) => EventOutcome::Unchanged,
                None => EventOutcome::Ignored,
            },
            (None, Some(checkout)) => self.forget_checkout(checkout).await?,
            (None, None) => EventOutcome::Ignored,
        };
        self.store.remember_billing_event(&event.id, self.clock.now().timestamp()).await?;
        Ok(outcome)
    }

    /// Takes note of a checkout that ended without a customer.
    async fn forget_checkout(&self, checkout: &str) -> Result<EventOutcome, BillingError> {
        let Some(mut state) = self.store.find_billing("", Some(checkout)).await? else {
            return Ok(EventOutcome::Ignored);
        };
        state.checkout = None;
        self.record(state).await?.ok_or(BillingError::Contended)?;
        Ok(EventOutcome::Unchanged)
    }
}
