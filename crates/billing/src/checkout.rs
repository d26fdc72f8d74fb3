//! Opening Stripe's checkout or portal, and ending all payments of an account.
//!
//! The address of a checkout is given out only after its id was written, and the next checkout expires it first. So at
//! most one checkout of an account can be paid at a time.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_model::{AccountId, Plan};
use lastro_store::BillingState;

use crate::client::{Order, Payer, Stripe, StripeError};
use crate::error::BillingError;
use crate::{ATTEMPTS, Billing, pause};

/// The end of a checkout.
enum Closed {
    Unpaid,
    /// Paid by this customer, if Stripe named one.
    Paid(Option<String>),
}

impl Billing {
    /// The address where the account pays for a plan: a checkout, or the portal if it has a subscription.
    pub fn checkout_url<'a>(
        &'a self,
        account: AccountId,
        email: &'a str,
        plan: Plan,
    ) -> BoxFuture<'a, Result<String, BillingError>> {
        self.pay_for(account, email, plan).boxed()
    }

    async fn pay_for(&self, account: AccountId, email: &str, plan: Plan) -> Result<String, BillingError> {
        let Some(price) = self.prices.sold(plan) else {
            return Err(BillingError::NotSold);
        };
        let _turn = self.turns.take(account, self.clock.now().monotonic_ns).await?;
        for attempt in 0..ATTEMPTS {
            if let Some(url) = self.try_checkout(account, email, price).await? {
                return Ok(url);
            }
            pause(attempt).await;
        }
        Err(BillingError::Contended)
    }

    /// One attempt. Returns `None` if the state changed meanwhile.
    async fn try_checkout(
        &self,
        account: AccountId,
        email: &str,
        price: &str,
    ) -> Result<Option<String>, BillingError> {
        let state = self.state_of(account).await?;
        let Some(state) = self.without_checkout(state).await? else { return Ok(None) };
        let Some(state) = self.refreshed(state).await? else { return Ok(None) };
        match state.customer.as_deref() {
            Some(customer) if !state.status.has_ended() => self.open_portal(customer).await.map(Some),
            _ => self.open_checkout(state, email, price).await,
        }
    }

    /// The address of the portal, or `None` for an account without a customer.
    pub fn portal_url(&self, account: AccountId) -> BoxFuture<'_, Result<Option<String>, BillingError>> {
        self.portal_of(account).boxed()
    }

    async fn portal_of(&self, account: AccountId) -> Result<Option<String>, BillingError> {
        let _turn = self.turns.take(account, self.clock.now().monotonic_ns).await?;
        let Some(customer) = self.state_of(account).await?.customer else { return Ok(None) };
        match self.open_portal(&customer).await {
            Err(BillingError::Stripe(StripeError::NoCustomer)) => {
                self.forget_customer(&customer).await?;
                Ok(None)
            }
            url => Ok(Some(url?)),
        }
    }

    /// Records that Stripe deleted a customer. Fails if a subscription of that customer is still live.
    async fn forget_customer(&self, customer: &str) -> Result<(), BillingError> {
        let Some(reconciled) = self.reconcile(customer, None).await? else { return Ok(()) };
        let state = reconciled.state;
        match state.customer.as_deref() {
            Some(linked) if linked == customer && state.status.has_ended() => {
                self.record(BillingState { customer: None, ..state }).await.map(drop)
            }
            Some(_) => Err(StripeError::NoCustomer.into()),
            None => Ok(()),
        }
    }

    async fn open_portal(&self, customer: &str) -> Result<String, BillingError> {
        Ok(self.stripe.open_portal(customer, &format!("{}/usage", self.public_url)).await?)
    }

    /// The state after Stripe was asked about the customer, if there is one. Returns `None` if it is to be read again.
    async fn refreshed(&self, state: BillingState) -> Result<Option<BillingState>, BillingError> {
        let Some(customer) = &state.customer else { return Ok(Some(state)) };
        Ok(self.reconcile(customer, None).await?.map(|reconciled| reconciled.state))
    }

    /// Closes the checkout that may still be open, at Stripe and in the state. Returns `None` if the
    /// state changed meanwhile.
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

    /// Opens a checkout and writes its id. Returns `None` if the state changed meanwhile; then nobody gets this address.
    async fn open_checkout(
        &self,
        mut state: BillingState,
        email: &str,
        price: &str,
    ) -> Result<Option<String>, BillingError> {
        let (success_url, cancel_url) =
            (format!("{}/billing/success", self.public_url), format!("{}/billing/cancel", self.public_url));
        let order = |payer| Order {
            account: state.account,
            payer,
            price,
            success_url: &success_url,
            cancel_url: &cancel_url,
        };
        let payer = state.customer.as_deref().map_or(Payer::Email(email), Payer::Customer);
        let (id, url) = match self.stripe.open_checkout(&order(payer)).await {
            // Deleted at Stripe: the checkout makes a new customer.
            Err(StripeError::NoCustomer) if state.customer.is_some() => {
                let opened = self.stripe.open_checkout(&order(Payer::Email(email))).await?;
                state.customer = None;
                opened
            }
            opened => opened?,
        };
        state.checkout = Some(id);
        let recorded = self.record(state).await?;
        Ok(recorded.map(|_| url))
    }

    /// Writes a state that changes no plan. Returns `None` if another was written meanwhile.
    pub(crate) async fn record(&self, state: BillingState) -> Result<Option<BillingState>, BillingError> {
        let state = BillingState { checked_at: self.clock.now().timestamp(), ..state };
        let recorded = self.store.record_billing(state.clone(), None).await?;
        Ok(recorded.map(|_| BillingState { version: state.version + 1, ..state }))
    }

    /// Looks at a checkout whose event may be lost, and at the subscriptions of its account.
    pub(crate) async fn check(&self, state: BillingState) -> Result<(), BillingError> {
        let (mut closed, mut payer) = (None, None);
        if let Some(id) = &state.checkout {
            match self.stripe.checkout(id).await {
                Ok(found) if found.status.as_deref() == Some("open") => {}
                Ok(found) => (closed, payer) = (Some(id.clone()), found.customer),
                Err(StripeError::Missing) => closed = Some(id.clone()),
                Err(error) => return Err(error.into()),
            }
        }
        match payer.or_else(|| state.customer.clone()) {
            Some(customer) => self.reconcile(&customer, closed.as_deref()).await.map(drop),
            None if closed.is_some() => self.record(BillingState { checkout: None, ..state }).await.map(drop),
            None => self.record(state).await.map(drop),
        }
    }
}

/// Expires a checkout, unless it has ended already.
async fn close(stripe: &Stripe, checkout: &str) -> Result<Closed, StripeError> {
    match stripe.expire_checkout(checkout).await {
        Ok(_) => return Ok(Closed::Unpaid),
        Err(StripeError::Refused { .. } | StripeError::Missing) => {}
        Err(error) => return Err(error),
    }
    let found = match stripe.checkout(checkout).await {
        Ok(found) => found,
        Err(StripeError::Missing) => return Ok(Closed::Unpaid),
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
pub fn cancel_everything<'a>(
    stripe: &'a Stripe,
    state: &'a BillingState,
) -> BoxFuture<'a, Result<usize, StripeError>> {
    cancel(stripe, state).boxed()
}

async fn cancel(stripe: &Stripe, state: &BillingState) -> Result<usize, StripeError> {
    let paid_by = match &state.checkout {
        Some(checkout) => match close(stripe, checkout).await? {
            Closed::Paid(customer) => customer,
            Closed::Unpaid => None,
        },
        None => None,
    };
    let mut canceled = 0;
    for customer in [state.customer.clone(), paid_by].iter().flatten() {
        let found = stripe.subscriptions(customer).await?;
        if found.is_none() {
            tracing::warn!(
                customer,
                "Stripe has no such customer: deleted, or of another account than the key"
            );
        }
        for subscription in found.unwrap_or_default() {
            if !subscription.status.has_ended() {
                stripe.cancel(&subscription.id).await?;
                canceled += 1;
            }
        }
    }
    Ok(canceled)
}
