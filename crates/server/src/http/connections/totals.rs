//! State shared by all connections: the limits, the time of the last sweep, and the sums.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use hashbrown::HashMap;
use lastro_access::ClientAddr;
use lastro_config::ConnectionSettings;
use parking_lot::Mutex;

/// The reason why we ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Idle for too long.
    Idle,
    /// A response made no progress for too long.
    Unread,
    /// Idle, while new connections waited for a place.
    Crowded,
    /// It held memory and briefly made no progress, while clients held too much in total.
    Pressure,
    /// It kept sending without making requests.
    Flood,
    /// It received so much that a new connection uses less memory.
    Heavy,
}

/// Label values in the metrics, in the order of [`Reason`].
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
    /// The second of the last sweep, so that a request need not read the clock.
    second: AtomicU32,
    /// Bytes of all responses that no socket has accepted.
    pub(super) unsent: AtomicUsize,
    /// Bytes of all pending requests.
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

    pub(super) fn unsent(&self) -> usize {
        self.unsent.load(Ordering::Relaxed)
    }

    /// Whether pending requests hold nearly as much as they may.
    pub(super) fn is_full(&self) -> bool {
        let most = self.limits.client_memory.pending;
        self.pending.load(Ordering::Relaxed) > most - most / 8
    }

    /// The second of the last sweep: how long connections have been served.
    pub(super) fn second(&self) -> u32 {
        self.second.load(Ordering::Relaxed)
    }

    pub(super) fn set_second(&self, second: u32) {
        self.second.store(second, Ordering::Relaxed);
    }

    pub(super) fn count_closed(&self, reason: Reason) {
        self.closed[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The number of closed connections by reason.
    pub(super) fn closed(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REASONS.into_iter().zip(self.closed.iter().map(|count| count.load(Ordering::Relaxed)))
    }
}
