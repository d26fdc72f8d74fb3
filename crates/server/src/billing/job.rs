//! The work that must not depend on events: reading the prices, and checking subscriptions and open checkouts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lastro_model::OutageChange;
use lastro_store::{BillingDue, BillingState};
use tokio::sync::watch;

use super::client::StripeError;
use super::{Billing, BillingError};
use crate::wait::{stopped, tick};

/// Age at which a subscription that has not ended is checked again.
const SUBSCRIPTIONS_EVERY: SignedDuration = SignedDuration::from_hours(24);
/// The same of a checkout that may be paid.
const CHECKOUTS_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Accounts checked between two renewals of the lease.
const AT_ONCE: usize = 20;
/// Longer than that many checks take.
const LEASE: SignedDuration = SignedDuration::from_mins(10);
const LEASE_NAME: &str = "billing";
/// Interval of asking for the prices until they are known.
const OFFERS_RETRY: Duration = Duration::from_secs(5);

pub async fn run(billing: Arc<Billing>, mut stop: watch::Receiver<bool>) {
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

    /// Checks everything that is due, unless another replica does.
    async fn check_due(&self) -> Result<(), BillingError> {
        let mut due = self.due();
        loop {
            let states = self.store.billing_due(due).await?;
            let Some(last) = states.last().map(|state| state.account) else { break };
            if !self.holds_lease().await? {
                return Ok(());
            }
            for state in states {
                self.check_one(state).await?;
            }
            due.after = Some(last);
        }
        if due.after.is_some() {
            self.store.release_lease(LEASE_NAME, &self.boot).await?;
        }
        Ok(())
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
            Err(BillingError::Contended) => Ok(()),
            result => result,
        }
    }
}
