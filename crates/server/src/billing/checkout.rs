//! Opening Stripe's checkout or portal, and ending all payments of an account.
//!
//! The address of a checkout is given out only after its id was written, and the next checkout expires it first. So at
//! most one checkout of an account can be paid at a time.

use lastro_model::{AccountId, Plan};
use lastro_store::BillingState;

use super::client::{Order, Payer, Stripe, StripeError};
use super::{Billing, BillingError, UNAVAILABLE};
use crate::error::ApiError;

const ATTEMPTS: u32 = 3;

/// The end of a checkout.
enum Closed {
    Unpaid,
    /// Paid by this customer, if Stripe named one.
    Paid(Option<String>),
}

impl Billing {
    /// The address where the account pays for a plan: a checkout, or the portal if it has a subscription.
    pub async fn checkout_url(
        &self,
        account: AccountId,
        email: &str,
        plan: Plan,
    ) -> Result<String, ApiError> {
        let Some(price) = self.prices.sold(plan) else {
            return Err(ApiError::BadRequest("`plan` must be one of the plans that are sold here".into()));
        };
        let _turn = self.customers.try_acquire().map_err(|_| UNAVAILABLE)?;
        for _ in 0..ATTEMPTS {
            let state = self.store.billing(account).await?;
            let state = state.unwrap_or_else(|| BillingState::new(account, self.clock.now().timestamp()));
            let Some(state) = self.without_checkout(state).await? else { continue };
            let Some(state) = self.refreshed(state).await? else { continue };
            if let Some(customer) = state.customer.as_deref()
                && !state.status.has_ended()
            {
                return Ok(self.open_portal(customer).await?);
            }
            if let Some(url) = self.open_checkout(state, email, price).await? {
                return Ok(url);
            }
        }
        Err(BillingError::Contended.into())
    }

    /// The address of the portal, or `None` for an account without a customer.
    pub async fn portal_url(&self, account: AccountId) -> Result<Option<String>, ApiError> {
        let _turn = self.customers.try_acquire().map_err(|_| UNAVAILABLE)?;
        let state = self.store.billing(account).await?;
        match state.and_then(|state| state.customer) {
            Some(customer) => Ok(Some(self.open_portal(&customer).await?)),
            None => Ok(None),
        }
    }

    async fn open_portal(&self, customer: &str) -> Result<String, BillingError> {
        Ok(self.stripe.open_portal(customer, &format!("{}/usage", self.public_url)).await?)
    }

    /// The state after Stripe was asked about the customer, if there is one. `None`: to be read again.
    async fn refreshed(&self, state: BillingState) -> Result<Option<BillingState>, BillingError> {
        let Some(customer) = &state.customer else { return Ok(Some(state)) };
        Ok(self.reconcile(customer, None).await?.map(|reconciled| reconciled.state))
    }

    /// Closes the checkout that may still be open, at Stripe and in the state. `None`: the state has changed meanwhile.
    async fn without_checkout(&self, state: BillingState) -> Result<Option<BillingState>, BillingError> {
        let Some(open) = &state.checkout else { return Ok(Some(state)) };
        match close(&self.stripe, open).await? {
            Closed::Paid(Some(customer)) => {
                Ok(self.reconcile(&customer, Some(open)).await?.map(|reconciled| reconciled.state))
            }
            Closed::Paid(None) | Closed::Unpaid => {
                self.record(BillingState { checkout: None, ..state }).await
            }
        }
    }

    /// Opens a checkout and writes its id. `None`: another request was faster, and nobody gets this address.
    async fn open_checkout(
        &self,
        state: BillingState,
        email: &str,
        price: &str,
    ) -> Result<Option<String>, BillingError> {
        let order = Order {
            account: state.account,
            payer: state.customer.as_deref().map_or(Payer::Email(email), Payer::Customer),
            price,
            success_url: &format!("{}/billing/success", self.public_url),
            cancel_url: &format!("{}/billing/cancel", self.public_url),
        };
        let opened = self.stripe.open_checkout(&order).await?;
        let url = opened.url.ok_or(StripeError::Unusable("a checkout has no address"))?;
        let state = BillingState { checkout: Some(opened.id), ..state };
        let recorded = self.record(state).await?;
        Ok(recorded.map(|_| url))
    }

    /// Writes a state that changes no plan. `None` if another was written meanwhile.
    pub(super) async fn record(&self, state: BillingState) -> Result<Option<BillingState>, BillingError> {
        let state = BillingState { checked_at: self.clock.now().timestamp(), ..state };
        let recorded = self.store.record_billing(state.clone(), None).await?;
        Ok(recorded.map(|_| BillingState { version: state.version + 1, ..state }))
    }

    /// Looks at a checkout whose event may be lost, and at the subscriptions of its account.
    pub(super) async fn check(&self, state: BillingState) -> Result<(), BillingError> {
        let (checkout, customer) = (state.checkout.clone(), state.customer.clone());
        let status = match &checkout {
            Some(id) => Some(self.stripe.checkout(id).await?),
            None => None,
        };
        let is_closed = status.as_ref().is_some_and(|checkout| checkout.status.as_deref() != Some("open"));
        let closed = checkout.filter(|_| is_closed);
        match customer.or(status.and_then(|checkout| checkout.customer)) {
            Some(customer) => self.reconcile(&customer, closed.as_deref()).await.map(drop),
            None if is_closed => self.record(BillingState { checkout: None, ..state }).await.map(drop),
            None => self.record(state).await.map(drop),
        }
    }
}

/// Expires a checkout, unless it has ended already.
async fn close(stripe: &Stripe, checkout: &str) -> Result<Closed, StripeError> {
    match stripe.expire_checkout(checkout).await {
        Ok(_) => return Ok(Closed::Unpaid),
        Err(StripeError::Refused { .. }) => {}
        Err(error) => return Err(error),
    }
    let found = match stripe.checkout(checkout).await {
        Ok(found) => found,
        Err(StripeError::Refused { status: 404, .. }) => return Ok(Closed::Unpaid),
        Err(error) => return Err(error),
    };
    match found.status.as_deref() {
        Some("complete") => Ok(Closed::Paid(found.customer)),
        Some("expired") => Ok(Closed::Unpaid),
        _ => Err(StripeError::Unusable("a checkout can neither be paid nor be expired")),
    }
}

/// Ends everything that could charge an account: its open checkout, and all its subscriptions. Returns the number of
/// subscriptions that were canceled.
pub async fn cancel_everything(stripe: &Stripe, state: &BillingState) -> Result<usize, StripeError> {
    let paid_by = match &state.checkout {
        Some(checkout) => match close(stripe, checkout).await? {
            Closed::Paid(customer) => customer,
            Closed::Unpaid => None,
        },
        None => None,
    };
    let Some(customer) = state.customer.clone().or(paid_by) else { return Ok(0) };
    let mut canceled = 0;
    for subscription in stripe.subscriptions(&customer).await? {
        if !subscription.status.has_ended() {
            stripe.cancel(&subscription.id).await?;
            canceled += 1;
        }
    }
    Ok(canceled)
}
