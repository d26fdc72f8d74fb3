//! The holder of keys at work: one quota and one ledger, shared by all keys of the account.
//!
//! Rotating a key therefore neither doubles a quota nor splits a bill. The key ring makes holders; the server asks
//! them on each request.

use lastro_model::AccountId;
use parking_lot::Mutex;

use crate::ledger::Ledger;
use crate::{Ring, Verdict, WINDOW_SECONDS};

const SECOND_NS: u64 = 1_000_000_000;
const WINDOW_NS: u64 = WINDOW_SECONDS * SECOND_NS;

/// Rotations of an account in an hour: far more than anyone needs, and few enough that the table of keys cannot be flooded.
pub const ROTATIONS_PER_HOUR: u32 = 20;
const HOUR_NS: u64 = 3600 * SECOND_NS;

#[derive(Debug)]
pub struct Holder {
    account: AccountId,
    ring: Mutex<Ring>,
    rotations: Mutex<Ring>,
    pub(crate) ledger: Mutex<Ledger>,
}

impl Holder {
    pub fn new(account: AccountId) -> Self {
        Self {
            account,
            ring: Mutex::new(Ring::new()),
            rotations: Mutex::new(Ring::new()),
            ledger: Mutex::new(Ledger::default()),
        }
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

    /// The requests of the last minute, for who asks elsewhere whether one more is admitted.
    pub fn requests(&self) -> &Mutex<Ring> {
        &self.ring
    }

    /// The rotations of the last hour, likewise.
    pub fn rotations(&self) -> &Mutex<Ring> {
        &self.rotations
    }

    /// Whether the account may rotate a key now, which then counts.
    pub fn take_rotation(&self, now_ns: u64) -> Verdict {
        self.rotations.lock().take(ROTATIONS_PER_HOUR, HOUR_NS, now_ns)
    }

    /// Whether nothing would be lost with it: its quotas are whole, and the store has all that was counted.
    pub(crate) fn is_idle(&self, now_ns: u64) -> bool {
        self.ring.lock().is_idle(WINDOW_NS, now_ns)
            && self.rotations.lock().is_idle(HOUR_NS, now_ns)
            && !self.has_uncollected_usage()
    }

    /// Whether something was counted that no batch has taken yet.
    pub fn has_uncollected_usage(&self) -> bool {
        !self.ledger.lock().is_empty()
    }

    /// Gives the memory of a quota back that nobody draws on.
    pub(crate) fn rest(&self, now_ns: u64) {
        let mut ring = self.ring.lock();
        if ring.is_idle(WINDOW_NS, now_ns) {
            *ring = Ring::new();
        }
    }
}
