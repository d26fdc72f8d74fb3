//! The reasons why a payment request fails.

use lastro_model::{AccountId, Plan};
use lastro_store::StoreError;

use crate::client::StripeError;

/// The reason why something about payments cannot be done now.
#[derive(Debug, thiserror::Error)]
pub enum BillingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Stripe(#[from] StripeError),
    #[error("the price {id} of --stripe-prices cannot be used for {plan}: {reason}")]
    Price { id: String, plan: Plan, reason: &'static str },
    #[error("other requests change the same account at the same time")]
    Contended,
    #[error("account {account}, and maybe others, could not be checked: {error}")]
    Check { account: AccountId, error: Box<BillingError> },
    #[error("the prices are not known yet")]
    NotReady,
    #[error("the plan is not sold here")]
    NotSold,
    #[error("another request about the payments of this account is under way")]
    UnderWay,
    #[error("too many requests about the payments of this account")]
    TooMany { retry_after_seconds: u64 },
    #[error("too many requests about payments are under way")]
    Busy,
    #[error("the signature is not valid")]
    BadSignature,
    #[error("the body is not an event")]
    NotAnEvent,
}

impl BillingError {
    /// Whether Stripe understood the request and will not fulfil it, now or later.
    pub fn is_refusal(&self) -> bool {
        let Self::Stripe(error) = self else { return false };
        matches!(error, StripeError::Refused { .. } | StripeError::NoCustomer | StripeError::Missing)
    }
}
