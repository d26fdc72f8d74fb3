//! The holder of keys at work: one quota and one ledger, shared by all keys of the account.
//!
//! Rotating a key therefore neither doubles a quota nor splits a bill. The key ring makes holders; the server asks
//! them on each request.

use lastro_model::AccountId;
use parking_lot::Mutex;

use crate::ledger::Ledger;
use crate::{Ring, Verdict, WINDOW_SECONDS};

const WINDOW_NS: u64 = WINDOW_SECONDS * 1_000_000_000;

#[derive(Debug)]
pub struct Holder {
    account: AccountId,
    ring: Mutex<Ring>,
    pub(crate) ledger: Mutex<Ledger>,
}

impl Holder {
    pub fn new(account: AccountId) -> Self {
        Self { account, ring: Mutex::new(Ring::new()), ledger: Mutex::new(Ledger::default()) }
    }

    pub fn account(&self) -> AccountId {
        self.account
    }

    pub fn take(&self, limit: u32, now_ns: u64) -> Verdict {
        self.ring.lock().take(limit, WINDOW_NS, now_ns)
    }

    /// What [`Holder::take`] would answer now, consuming nothing.
    pub fn peek(&self, limit: u32, now_ns: u64) -> Verdict {
        self.ring.lock().peek(limit, WINDOW_NS, now_ns)
    }

    /// Takes back what [`Holder::take`] admitted at that instant.
    pub fn give_back(&self, limit: u32, taken_ns: u64) -> Verdict {
        self.ring.lock().give_back(limit, WINDOW_NS, taken_ns)
    }

    /// Gives the memory of a quota back that nobody draws on.
    pub(crate) fn rest(&self, now_ns: u64) {
        let mut ring = self.ring.lock();
        if ring.is_idle(WINDOW_NS, now_ns) {
            *ring = Ring::new();
        }
    }
}
