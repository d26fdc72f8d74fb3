//! What each connection knows of all of them: the limits, the time of the last sweep, and the sums.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use hashbrown::HashMap;
use lastro_access::ClientAddr;
use parking_lot::Mutex;

use crate::config::ConnectionSettings;

/// Why a connection was ended from our side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Silent for too long.
    Idle,
    /// An answer made no progress for too long.
    Unread,
    /// Idle, while others waited for its place.
    Crowded,
    /// It held memory and made no progress for a moment, while clients held too much in all.
    Pressure,
    /// It kept sending without asking for anything.
    Flood,
    /// So much was sent on it that a new connection is lighter.
    Heavy,
}

/// Their names in the metrics, in the order of [`Reason`].
const REASONS: [&str; 6] = ["idle", "unread", "crowded", "pressure", "flood", "heavy"];

/// Bytes that the connections of one client address hold together.
#[derive(Debug, Default)]
pub struct AddressTotals {
    pub(super) unsent: AtomicUsize,
    pub(super) pending: AtomicUsize,
}

#[derive(Debug)]
pub struct Totals {
    pub limits: ConnectionSettings,
    /// The time as of the last sweep, so that a request reads no clock for it.
    second: AtomicU32,
    /// Bytes of all answers that no socket has taken.
    pub(super) unsent: AtomicUsize,
    /// Bytes of all requests that are not answered yet.
    pub(super) pending: AtomicUsize,
    /// Requests whose bodies are being awaited, by client.
    pub(super) bodies: Mutex<HashMap<ClientAddr, u32>>,
    closed: [AtomicU64; REASONS.len()],
}

impl Totals {
    pub(super) fn new(limits: ConnectionSettings) -> Self {
        Self {
            limits,
            second: AtomicU32::new(0),
            unsent: AtomicUsize::new(0),
            pending: AtomicUsize::new(0),
            bodies: Mutex::default(),
            closed: Default::default(),
        }
    }

    /// Bytes of answers that no socket has taken yet.
    pub(super) fn unsent(&self) -> usize {
        self.unsent.load(Ordering::Relaxed)
    }

    /// Requests that wait hold nearly as much as they may.
    pub(super) fn is_full(&self) -> bool {
        let most = self.limits.client_memory.pending;
        self.pending.load(Ordering::Relaxed) > most - most / 8
    }

    /// The time of the last sweep, in seconds since the start of the clock.
    pub(super) fn second(&self) -> u32 {
        self.second.load(Ordering::Relaxed)
    }

    pub(super) fn set_second(&self, second: u32) {
        self.second.store(second, Ordering::Relaxed);
    }

    pub(super) fn count_closed(&self, reason: Reason) {
        self.closed[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How many were closed, by the names of the reasons.
    pub(super) fn closed(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REASONS.into_iter().zip(self.closed.iter().map(|count| count.load(Ordering::Relaxed)))
    }
}
