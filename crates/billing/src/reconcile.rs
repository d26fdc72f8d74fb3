//! From Stripe to the database: all subscriptions of a customer are requested, and the one that counts is applied.
//!
//! The version of an account's row is read before Stripe is asked and compared when the result is written. A result that
//! was requested before another was written is discarded, so an old answer never replaces a newer one.

use lastro_model::{AccountId, Plan, SubscriptionStatus};
use lastro_store::{BillingState, StoreError};

use crate::answers::Subscription;
use crate::error::BillingError;
use crate::verdict::Verdict;
use crate::{ATTEMPTS, Billing, pause};

/// The result of asking Stripe about a customer.
#[derive(Debug)]
pub(crate) struct Reconciled {
    pub(crate) state: BillingState,
    /// Whether the plan of the account changed.
    pub(crate) changed: bool,
}

/// A customer and all its subscriptions, as Stripe just returned them.
struct StripeCustomer {
    /// `None` if Stripe has no such customer any more.
    customer: Option<String>,
    subscriptions: Vec<Subscription>,
}

impl StripeCustomer {
    fn is_live(&self) -> bool {
        self.subscriptions.iter().any(|subscription| subscription.status.is_live())
    }
}

impl Billing {
    /// Asks about a customer, and applies the answer to its account. `closed` is a checkout of theirs that is no longer
    /// open. Returns `None` for a customer that belongs to no account.
    pub(crate) async fn reconcile(
        &self,
        customer: &str,
        closed: Option<&str>,
    ) -> Result<Option<Reconciled>, BillingError> {
        let mut named = None;
        for attempt in 0..ATTEMPTS {
            let Some(state) = self.find(customer, closed, named).await? else {
                // Our checkout stores the account in the subscription's metadata. The account's state is read before
                // Stripe is asked once more.
                let fetched = self.fetch_customer(customer).await?;
                named = fetched.subscriptions.iter().find_map(Subscription::account);
                if named.is_none() {
                    return Ok(None);
                }
                continue;
            };
            let fetched = self.fetch_for_account(&state, customer).await?;
            if let Some(result) = self.apply(state, fetched, closed).await? {
                return Ok(result);
            }
            pause(attempt).await;
        }
        Err(BillingError::Contended)
    }

    /// The state of the customer or the checkout, or else of the account that is named.
    async fn find(
        &self,
        customer: &str,
        closed: Option<&str>,
        named: Option<AccountId>,
    ) -> Result<Option<BillingState>, BillingError> {
        match (self.store.find_billing(customer, closed).await?, named) {
            (None, Some(account)) => Ok(Some(self.state_of(account).await?)),
            (found, _) => Ok(found),
        }
    }

    async fn fetch_customer(&self, customer: &str) -> Result<StripeCustomer, BillingError> {
        let found = self.stripe.subscriptions(customer).await?;
        let customer = found.is_some().then(|| customer.to_owned());
        Ok(StripeCustomer { customer, subscriptions: found.unwrap_or_default() })
    }

    /// The answer that counts for an account, of its own customer and the one in question. A customer with a live
    /// subscription takes the place of one without.
    async fn fetch_for_account(
        &self,
        state: &BillingState,
        customer: &str,
    ) -> Result<StripeCustomer, BillingError> {
        let fetched = self.fetch_customer(customer).await?;
        let Some(linked) = state.customer.as_deref().filter(|linked| *linked != customer) else {
            return Ok(fetched);
        };
        let own = self.fetch_customer(linked).await?;
        let account = state.account;
        match (own.is_live(), fetched.is_live()) {
            (false, true) => {
                tracing::warn!(%account, linked, customer, "another customer pays for this account from now on");
                Ok(fetched)
            }
            (true, true) => {
                tracing::warn!(%account, linked, customer, "two customers pay for one account; the first counts");
                Ok(own)
            }
            (_, false) => Ok(own),
        }
    }

    /// Writes the new state. Returns `None` if another state was written meanwhile, `Some(None)` if the account is gone.
    async fn apply(
        &self,
        state: BillingState,
        fetched: StripeCustomer,
        closed: Option<&str>,
    ) -> Result<Option<Option<Reconciled>>, BillingError> {
        let is_live = fetched.is_live();
        let StripeCustomer { customer, subscriptions } = fetched;
        if customer.is_none() && state.customer.is_some() {
            let account = state.account;
            tracing::warn!(%account, "Stripe no longer has the customer of this account, who counts as unsubscribed");
        }
        let mut next = BillingState { customer, checked_at: self.clock.now().timestamp(), ..state };
        next.checkout = next.checkout.filter(|open| Some(open.as_str()) != closed);
        let plan = self.update_from(&mut next, &subscriptions);
        match self.store.record_billing(next.clone(), plan).await {
            Ok(Some(keys)) => {
                let changed = !keys.is_empty();
                for key in keys {
                    self.access.keys.upsert(key, self.clock.now().monotonic_ns);
                }
                next.version += 1;
                Ok(Some(Some(Reconciled { state: next, changed })))
            }
            Ok(None) => Ok(None),
            Err(StoreError::NotFound) => {
                if is_live {
                    let (account, customer) = (next.account, next.customer.as_deref());
                    tracing::warn!(%account, customer, "somebody pays for an account that does not exist: cancel it");
                }
                Ok(Some(None))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Updates the state from the deciding subscription. Returns the plan to set, if there is anything new.
    fn update_from(&self, state: &mut BillingState, subscriptions: &[Subscription]) -> Option<Plan> {
        let verdict = Verdict::of(subscriptions, &self.prices).or_else(|| vanished(state))?;
        if verdict.is_unknown_price {
            let (account, price) = (state.account, verdict.price.as_deref());
            tracing::warn!(%account, price, "a subscription has a price that --stripe-prices does not list; the plan stays");
        }
        let is_new = !state.applied.as_deref().is_some_and(|applied| verdict.was_applied_as(applied));
        let plan = verdict.plan.filter(|_| is_new);
        state.applied = verdict.fingerprint().or_else(|| state.applied.take());
        state.subscription = Some(verdict.subscription);
        state.status = verdict.status;
        state.price = verdict.price;
        state.period_end = verdict.period_end;
        state.cancel_at_period_end = verdict.cancel_at_period_end;
        plan
    }
}

/// The verdict on a subscription that Stripe no longer lists.
fn vanished(state: &BillingState) -> Option<Verdict> {
    Some(Verdict {
        subscription: state.subscription.clone()?,
        status: SubscriptionStatus::Canceled,
        price: state.price.clone(),
        period_end: state.period_end,
        cancel_at_period_end: false,
        plan: Some(Plan::Free),
        is_unknown_price: false,
    })
}
