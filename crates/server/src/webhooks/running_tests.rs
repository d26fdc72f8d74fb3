//! How many test deliveries may run at once, in all and for one account.

use std::collections::HashMap;

use lastro_model::AccountId;
use parking_lot::Mutex;

/// Customers wait for tests; more of them at once than this are somebody's load test.
const AT_ONCE: usize = 16;
/// So that nobody takes all places.
const OF_AN_ACCOUNT: usize = 2;

/// The test deliveries that run, by account.
#[derive(Debug, Default)]
pub struct RunningTests(Mutex<HashMap<AccountId, usize>>);

/// A place among them, given back when it is dropped.
#[derive(Debug)]
pub struct TestPlace<'a> {
    tests: &'a RunningTests,
    account: AccountId,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlace {
    /// The account runs as many as it may.
    OfTheAccount,
    /// All accounts together do.
    InAll,
}

impl RunningTests {
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
