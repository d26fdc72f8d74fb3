//! The work that must not depend on events: reading the prices, and checking subscriptions and open checkouts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lastro_background::wait::{stopped, tick};
use lastro_model::{AccountId, OutageChange};
use lastro_store::{BillingDue, BillingState, StoreError};
use tokio::sync::watch;

use crate::Billing;
use crate::client::StripeError;
use crate::error::BillingError;

/// Age at which a subscription that has not ended is checked again.
const SUBSCRIPTIONS_EVERY: SignedDuration = SignedDuration::from_hours(24);
/// The same of a checkout that may be paid.
const CHECKOUTS_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Accounts checked between two renewals of the lease.
const AT_ONCE: usize = 20;
/// Longer than that many checks take.
const LEASE: SignedDuration = SignedDuration::from_mins(10);
const LEASE_NAME: &str = "billing";
/// Accounts in a row whose failure means that the fault is not theirs.
const FAILURES_IN_A_ROW: usize = 5;
/// Interval of asking for the prices until they are known.
const OFFERS_RETRY: Duration = Duration::from_secs(5);

pub(crate) async fn run(billing: Arc<Billing>, mut stop: watch::Receiver<bool>) {
    loop {
        let work = async {
            billing.work().await;
            let interval = billing.settings.poll_interval;
            tick(if billing.offers().is_some() { interval } else { interval.min(OFFERS_RETRY) }).await;
        };
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = work => {}
        }
    }
}

impl Billing {
    async fn work(&self) {
        let now_ns = self.clock.now().monotonic_ns;
        let result = self.read_and_check().await;
        let change = match &result {
            Ok(()) => self.outage.lock().succeeded(now_ns),
            Err(_) => self.outage.lock().failed(now_ns),
        };
        match (change, result) {
            (Some(OutageChange::Ended(_)), _) => tracing::info!("the check of payments works again"),
            (Some(_), Err(error)) => {
                tracing::warn!(%error, "the check of payments failed; it is retried soon");
            }
            _ => {}
        }
        match self.store.count_billing().await {
            Ok(counted) => self.counts.subscriptions.store(Arc::new(counted)),
            Err(error) => tracing::debug!(%error, "subscriptions could not be counted"),
        }
    }

    async fn read_and_check(&self) -> Result<(), BillingError> {
        if self.offers().is_none() {
            self.read_offers().await?;
        }
        let checked = self.check_due().await;
        self.counts.failed_checks.fetch_add(u64::from(checked.is_err()), Ordering::Relaxed);
        checked
    }

    /// Checks everything that is due, unless another replica does. An account that fails stops no other.
    async fn check_due(&self) -> Result<(), BillingError> {
        let (mut failures, given_up_at) = (Failures::default(), self.given_up_at.lock().take());
        if given_up_at.is_some() {
            self.check_after(given_up_at, &mut failures).await?;
        }
        if !failures.are_general() {
            self.check_after(None, &mut failures).await?;
        }
        failures.into_result()
    }

    async fn check_after(
        &self,
        after: Option<AccountId>,
        failures: &mut Failures,
    ) -> Result<(), BillingError> {
        let mut due = BillingDue { after, ..self.due() };
        loop {
            let states = self.store.billing_due(due).await?;
            let Some(last) = states.last().map(|state| state.account) else { break };
            if !self.holds_lease().await? {
                return Ok(());
            }
            due.after = Some(last);
            let given_up_at = self.check_some(states, failures).await;
            if given_up_at.is_some() {
                *self.given_up_at.lock() = given_up_at;
                break;
            }
        }
        if due.after != after {
            self.store.release_lease(LEASE_NAME, &self.boot).await?;
        }
        Ok(())
    }

    /// Returns the account at which it gave up, if it did.
    async fn check_some(&self, states: Vec<BillingState>, failures: &mut Failures) -> Option<AccountId> {
        for state in states {
            let account = state.account;
            failures.note(account, self.check_one(state).await);
            if failures.are_general() {
                return Some(account);
            }
        }
        None
    }

    fn due(&self) -> BillingDue {
        let ago = |age| self.clock.now().timestamp().checked_sub(age).unwrap_or(Timestamp::MIN);
        BillingDue {
            checkouts_before: ago(CHECKOUTS_EVERY),
            subscriptions_before: ago(SUBSCRIPTIONS_EVERY),
            after: None,
            limit: AT_ONCE,
        }
    }

    async fn holds_lease(&self) -> Result<bool, BillingError> {
        let now = self.clock.now().timestamp();
        let until = now.checked_add(LEASE).unwrap_or(now);
        Ok(self.store.take_lease(LEASE_NAME, &self.boot, now, until).await?.holder == self.boot)
    }

    /// Checks one account. One that Stripe refuses to speak about waits for its next time and stops no other.
    async fn check_one(&self, state: BillingState) -> Result<(), BillingError> {
        let account = state.account;
        match self.check(state.clone()).await {
            Err(BillingError::Stripe(
                error @ (StripeError::Refused { .. } | StripeError::NoCustomer | StripeError::Missing),
            )) => {
                tracing::warn!(%account, %error, "a subscription cannot be checked");
                self.record(state).await.map(drop)
            }
            // Somebody else has just asked about it, or has erased it.
            Err(BillingError::Contended | BillingError::Store(StoreError::NotFound)) => Ok(()),
            result => result,
        }
    }
}

/// The failures of one round of checks.
#[derive(Default)]
struct Failures {
    first: Option<(AccountId, Box<BillingError>)>,
    in_a_row: usize,
}

impl Failures {
    fn note(&mut self, account: AccountId, result: Result<(), BillingError>) {
        let Err(error) = result else {
            self.in_a_row = 0;
            return;
        };
        tracing::debug!(%account, %error, "a subscription cannot be checked");
        let may_be_general =
            matches!(error, BillingError::Store(_) | BillingError::Stripe(StripeError::Unreachable(_)));
        self.in_a_row = if may_be_general { self.in_a_row + 1 } else { 0 };
        self.first.get_or_insert((account, Box::new(error)));
    }

    /// Whether it is not a matter of single accounts: Stripe or the database is not there.
    fn are_general(&self) -> bool {
        self.in_a_row >= FAILURES_IN_A_ROW
    }

    fn into_result(self) -> Result<(), BillingError> {
        self.first.map_or(Ok(()), |(account, error)| Err(BillingError::Check { account, error }))
    }
}
