//! Limits on concurrent test deliveries, in total and per account.

use std::sync::Arc;

use lastro_model::AccountId;

use crate::account_slots::{AccountSlot, AccountSlots};

/// Limit for all accounts. Customers run tests by hand; more than this at once is a load test.
const AT_ONCE: usize = 16;
/// Limit per account, so that none takes all slots.
const OF_AN_ACCOUNT: usize = 2;

/// Running test deliveries by account.
#[derive(Debug, Default)]
pub struct TestSlots(Arc<AccountSlots>);

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotError {
    /// The limit of the account.
    OfTheAccount,
    /// The limit for all accounts together.
    InAll,
}

impl TestSlots {
    pub fn take(&self, account: AccountId) -> Result<AccountSlot, SlotError> {
        let slot = self.0.take(account, OF_AN_ACCOUNT).ok_or(SlotError::OfTheAccount)?;
        if self.0.count() > AT_ONCE { Err(SlotError::InAll) } else { Ok(slot) }
    }
}
