//! Stripe's events. An event is a hint: its customer is taken from it, and Stripe is asked.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_config::is_stripe_id;
use serde_json::Value;

use crate::Billing;
use crate::counts::EventOutcome;
use crate::error::BillingError;

/// The events that can concern a plan. All of them name their customer.
const INTERESTING: [&str; 3] = ["customer.subscription.", "checkout.session.", "invoice."];
/// Events after which a checkout can no longer be paid.
const CLOSING: [&str; 2] = ["checkout.session.completed", "checkout.session.expired"];

/// An event. Only the type is required; events that are ignored may have any format.
struct Event {
    r#type: String,
    content: Value,
}

impl Event {
    fn parse(body: &[u8]) -> Option<Self> {
        let content: Value = serde_json::from_slice(body).ok()?;
        Some(Self { r#type: content.get("type")?.as_str()?.to_owned(), content })
    }

    /// The id at a place.
    fn id(&self, pointer: &str) -> Option<&str> {
        self.content.pointer(pointer)?.as_str().filter(|id| is_stripe_id(id))
    }

    /// The customer's id, which is alone or within the customer.
    fn customer(&self) -> Option<&str> {
        self.id("/data/object/customer").or_else(|| self.id("/data/object/customer/id"))
    }

    /// Its own id, if it can concern a plan.
    fn id_of_interest(&self) -> Option<&str> {
        let is_interesting = INTERESTING.iter().any(|prefix| self.r#type.starts_with(prefix));
        self.id("/id").filter(|_| is_interesting)
    }
}

impl Billing {
    /// Handles an event. An error makes Stripe send it again.
    pub fn receive<'a>(
        &'a self,
        signature: &'a str,
        body: &'a [u8],
        unix_seconds: i64,
    ) -> BoxFuture<'a, Result<(), BillingError>> {
        self.take_in(signature, body, unix_seconds).boxed()
    }

    async fn take_in(&self, signature: &str, body: &[u8], unix_seconds: i64) -> Result<(), BillingError> {
        if !self.secret.load().verifies(signature, body, unix_seconds) {
            self.counts.event("other", EventOutcome::BadSignature);
            return Err(BillingError::BadSignature);
        }
        let Some(event) = Event::parse(body) else {
            self.counts.event("other", EventOutcome::Failed);
            return Err(BillingError::NotAnEvent);
        };
        let result = match (event.id_of_interest(), self.ready()) {
            (None, _) => Ok(EventOutcome::Ignored),
            (Some(id), Ok(_)) => self.handle(&event, id).await,
            (Some(_), Err(error)) => Err(error),
        };
        self.counts.event(&event.r#type, *result.as_ref().unwrap_or(&EventOutcome::Failed));
        result.map(drop)
    }

    async fn handle(&self, event: &Event, id: &str) -> Result<EventOutcome, BillingError> {
        if self.store.knows_billing_event(id).await? {
            return Ok(EventOutcome::Known);
        }
        let closed = event.id("/data/object/id").filter(|_| CLOSING.contains(&event.r#type.as_str()));
        let outcome = match (event.customer(), closed) {
            (Some(customer), _) => match self.reconcile(customer, closed).await? {
                Some(reconciled) if reconciled.changed => EventOutcome::Applied,
                Some(_) => EventOutcome::Unchanged,
                None => EventOutcome::Ignored,
            },
            (None, Some(checkout)) => self.forget_checkout(checkout).await?,
            (None, None) => EventOutcome::Ignored,
        };
        self.store.remember_billing_event(id, self.clock.now().timestamp()).await?;
        Ok(outcome)
    }

    /// Records a checkout that ended without a customer.
    async fn forget_checkout(&self, checkout: &str) -> Result<EventOutcome, BillingError> {
        let Some(mut state) = self.store.find_billing("", Some(checkout)).await? else {
            return Ok(EventOutcome::Ignored);
        };
        state.checkout = None;
        self.record(state).await?.ok_or(BillingError::Contended)?;
        Ok(EventOutcome::Unchanged)
    }
}
