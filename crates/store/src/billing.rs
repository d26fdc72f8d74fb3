//! The payments of accounts, as last reported by the payment processor.
//!
//! The processor is the truth. A row holds its last report and the plan applied for it, so that an account is
//! changed only when the processor reports something new.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, KeyRecord, Plan, SubscriptionStatus};

use crate::Result;

#[async_trait]
pub trait BillingStore: Send + Sync {
    async fn billing(&self, account: AccountId) -> Result<Option<BillingState>>;

    /// The state of a customer of the processor, or else of an open checkout.
    async fn find_billing(&self, customer: &str, checkout: Option<&str>) -> Result<Option<BillingState>>;

    /// Returns all states, by account.
    async fn list_billing(&self) -> Result<Vec<BillingState>>;

    /// Returns the states that should be checked again, by account.
    async fn billing_due(&self, due: BillingDue) -> Result<Vec<BillingState>>;

    /// Returns the number of subscriptions by status; those without a subscription are left out.
    async fn count_billing(&self) -> Result<Vec<(SubscriptionStatus, u64)>>;

    /// Writes a state and sets the plan of its account, if given, in one transaction. Returns the keys of an account
    /// whose plan changed, or `None` without any effect if the stored version is not that of `state`.
    /// [`NotFound`](crate::StoreError::NotFound) if there is no such account.
    async fn record_billing(&self, state: BillingState, plan: Option<Plan>)
    -> Result<Option<Vec<KeyRecord>>>;

    async fn knows_billing_event(&self, id: &str) -> Result<bool>;

    async fn remember_billing_event(&self, id: &str, at: Timestamp) -> Result<()>;

    async fn forget_billing_events(&self, before: Timestamp) -> Result<u64>;
}

/// The last known state of an account's payments. Ids and prices are the processor's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingState {
    pub account: AccountId,
    pub customer: Option<String>,
    /// The checkout that may still be paid.
    pub checkout: Option<String>,
    /// The subscription that counts.
    pub subscription: Option<String>,
    pub status: SubscriptionStatus,
    pub price: Option<String>,
    pub period_end: Option<Timestamp>,
    pub cancel_at_period_end: bool,
    /// The subscription, status and price that the plan was last set by, and that plan.
    pub applied: Option<String>,
    pub checked_at: Timestamp,
    /// The version as read; 0 for an account without a state.
    pub version: u64,
}

impl BillingState {
    /// The state of an account that has none yet.
    pub fn new(account: AccountId, now: Timestamp) -> Self {
        Self {
            account,
            customer: None,
            checkout: None,
            subscription: None,
            status: SubscriptionStatus::None,
            price: None,
            period_end: None,
            cancel_at_period_end: false,
            applied: None,
            checked_at: now,
            version: 0,
        }
    }
}

/// The states to check: those last checked before these times.
#[derive(Debug, Clone, Copy)]
pub struct BillingDue {
    pub checkouts_before: Timestamp,
    pub subscriptions_before: Timestamp,
    /// Only accounts after this one.
    pub after: Option<AccountId>,
    pub limit: usize,
}
