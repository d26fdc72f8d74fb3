//! Limits on concurrent test deliveries, in total and per account.

use std::collections::HashMap;

use lastro_model::AccountId;
use parking_lot::Mutex;

/// Limit for all accounts. Customers run tests by hand; more than this at once is a load test.
const AT_ONCE: usize = 16;
/// Limit per account, so that none takes all places.
const OF_AN_ACCOUNT: usize = 2;

/// Running test deliveries by account.
#[derive(Debug, Default)]
pub struct TestSlots(Mutex<HashMap<AccountId, usize>>);

/// A place among the running tests, released on drop.
#[derive(Debug)]
pub struct TestPlace<'a> {
    tests: &'a TestSlots,
    account: AccountId,
}

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlace {
    /// The limit of the account.
    OfTheAccount,
    /// The limit for all accounts together.
    InAll,
}

impl TestSlots {
    pub fn enter(&self, account: AccountId) -> Result<TestPlace<'_>, NoPlace> {
        let mut running = self.0.lock();
        let all: usize = running.values().sum();
        let own = running.get(&account).copied().unwrap_or_default();
        if own >= OF_AN_ACCOUNT {
            return Err(NoPlace::OfTheAccount);
        }
        if all >= AT_ONCE {
            return Err(NoPlace::InAll);
        }
        running.insert(account, own + 1);
        Ok(TestPlace { tests: self, account })
    }
}

impl Drop for TestPlace<'_> {
    fn drop(&mut self) {
        let mut running = self.tests.0.lock();
        match running.get_mut(&self.account) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                running.remove(&self.account);
            }
        }
    }
}
