//! The in-memory state of an account: one quota and one ledger, shared by all its keys.
//!
//! Rotating a key therefore neither doubles the quota nor splits the bill. The key ring creates holders; the server
//! uses one on each request.

use lastro_model::AccountId;
use parking_lot::Mutex;

use crate::ledger::Ledger;
use crate::{Ring, Verdict, WINDOW_SECONDS};

const SECOND_NS: u64 = 1_000_000_000;
const WINDOW_NS: u64 = WINDOW_SECONDS * SECOND_NS;

/// Rotations of an account in an hour: more than anyone needs, few enough not to flood the table of keys.
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

    /// Returns the verdict [`Holder::take`] would give now. Consumes nothing.
    pub fn peek(&self, limit: u32, now_ns: u64) -> Verdict {
        self.ring.lock().peek(limit, WINDOW_NS, now_ns)
    }

    /// Returns the unit that [`Holder::take`] admitted at `taken_ns`.
    pub fn give_back(&self, limit: u32, taken_ns: u64) -> Verdict {
        self.ring.lock().give_back(limit, WINDOW_NS, taken_ns)
    }

    /// The requests of the last minute, for callers that get the decision from a shared limiter.
    pub fn requests(&self) -> &Mutex<Ring> {
        &self.ring
    }

    /// The rotations of the last hour, for the same callers.
    pub fn rotations(&self) -> &Mutex<Ring> {
        &self.rotations
    }

    /// Admits and counts one rotation of a key, or rejects it.
    pub fn take_rotation(&self, now_ns: u64) -> Verdict {
        self.rotations.lock().take(ROTATIONS_PER_HOUR, HOUR_NS, now_ns)
    }

    /// Whether it can be dropped without loss: its quotas are unused, and no counts are left in its ledger.
    pub(crate) fn is_idle(&self, now_ns: u64) -> bool {
        self.ring.lock().is_idle(WINDOW_NS, now_ns)
            && self.rotations.lock().is_idle(HOUR_NS, now_ns)
            && !self.has_uncollected_usage()
    }

    /// Whether the ledger holds counts that no batch has taken yet.
    pub fn has_uncollected_usage(&self) -> bool {
        !self.ledger.lock().is_empty()
    }

    /// Frees the memory of an unused quota.
    pub(crate) fn rest(&self, now_ns: u64) {
        let mut ring = self.ring.lock();
        if ring.is_idle(WINDOW_NS, now_ns) {
            *ring = Ring::new();
        }
    }
}
