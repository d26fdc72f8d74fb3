//! From Stripe to the database: all subscriptions of a customer are requested, and the one that counts is applied.
//!
//! The version of an account's row is read before Stripe is asked and compared when the result is written. A result that
//! was requested before another was written is discarded, so an old answer never replaces a newer one.

use lastro_model::{Plan, SubscriptionStatus};
use lastro_store::{BillingState, StoreError};

use super::answers::Subscription;
use super::verdict::Verdict;
use super::{Billing, BillingError};

/// Attempts to write a result while others write theirs.
const ATTEMPTS: u32 = 6;

/// The result of asking Stripe about a customer.
#[derive(Debug)]
pub(super) struct Reconciled {
    pub(super) state: BillingState,
    /// Whether the plan of the account changed.
    pub(super) changed: bool,
}

impl Billing {
    /// Asks about a customer, and applies the answer to its account. `closed` is a checkout of theirs that is no longer
    /// open. Returns `None` for a customer that belongs to no account.
    pub(super) async fn reconcile(
        &self,
        customer: &str,
        closed: Option<&str>,
    ) -> Result<Option<Reconciled>, BillingError> {
        for _ in 0..ATTEMPTS {
            let known = self.store.find_billing(customer, closed).await?;
            let subscriptions = self.stripe.subscriptions(customer).await?;
            let state = match known {
                Some(state) => state,
                None => match self.named_account(&subscriptions).await? {
                    // Linked while Stripe was asked: that answer may be newer than this one.
                    Some(state) if state.customer.as_deref() == Some(customer) => continue,
                    Some(state) => state,
                    None => return Ok(None),
                },
            };
            if state.customer.as_deref().is_some_and(|linked| linked != customer) {
                let account = state.account;
                tracing::warn!(%account, customer, "a second customer of one account is ignored");
                return Ok(None);
            }
            if let Some(result) = self.apply(state, customer, closed, &subscriptions).await? {
                return Ok(result);
            }
        }
        Err(BillingError::Contended)
    }

    /// The state of the account that our checkout wrote into the subscriptions.
    async fn named_account(
        &self,
        subscriptions: &[Subscription],
    ) -> Result<Option<BillingState>, BillingError> {
        let Some(account) = subscriptions.iter().find_map(Subscription::account) else { return Ok(None) };
        let state = self.store.billing(account).await?;
        Ok(Some(state.unwrap_or_else(|| BillingState::new(account, self.clock.now().timestamp()))))
    }

    /// Writes the new state. Returns `None` if another state was written meanwhile, `Some(None)` if the account is gone.
    async fn apply(
        &self,
        state: BillingState,
        customer: &str,
        closed: Option<&str>,
        subscriptions: &[Subscription],
    ) -> Result<Option<Option<Reconciled>>, BillingError> {
        let mut next = BillingState {
            customer: Some(customer.to_owned()),
            checked_at: self.clock.now().timestamp(),
            ..state
        };
        next.checkout = next.checkout.filter(|open| Some(open.as_str()) != closed);
        let plan = self.take_in(&mut next, subscriptions);
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
            Err(StoreError::NotFound) => Ok(Some(None)),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the subscription that counts into the state. Returns the plan to set, if there is anything new.
    fn take_in(&self, state: &mut BillingState, subscriptions: &[Subscription]) -> Option<Plan> {
        let verdict = Verdict::of(subscriptions, &self.prices).or_else(|| vanished(state))?;
        if verdict.is_unknown_price {
            let (account, price) = (state.account, verdict.price.as_deref());
            tracing::warn!(%account, price, "a subscription has a price that --stripe-prices does not list; the plan stays");
        }
        let fingerprint = verdict.fingerprint();
        let plan = verdict.plan.filter(|_| state.applied.as_ref() != Some(&fingerprint));
        if plan.is_some() {
            state.applied = Some(fingerprint);
        }
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
