//! The connections that are open: how many, on whose behalf, how long, and how much waits to go out on them.
//!
//! Anybody can open a connection and then do nothing, or ask and not read. So each connection is listed here, and one
//! sweep a second ends those that are silent or do not take what they asked for. A request pays for a few additions.
//!
//! - [`connection`]: one connection, as its requests see it.
//! - [`unsent`]: bytes of answers that no socket has taken yet, and since when.
//! - [`room`]: requests wait while too much is unsent.
//! - [`sweep`]: who is closed, and why.
//! - [`crowd`]: who makes place for newcomers.

pub mod connection;
pub mod crowd;
pub mod room;
pub mod sweep;
pub mod unsent;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

pub use connection::Connection;
use connection::Place;
use crowd::Open;
use lastro_model::Clock;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::config::ConnectionSettings;
use crate::metrics::prometheus::{Exposition, Kind};

/// Why a connection was ended from our side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Silent for too long.
    Idle,
    /// An answer made no progress for too long.
    Unread,
    /// Idle, while others waited for its place.
    Crowded,
    /// An answer made no progress for a moment, while too much was unsent in all.
    Pressure,
}

/// Their names in the metrics, in the order of [`Reason`].
const REASONS: [&str; 4] = ["idle", "unread", "crowded", "pressure"];

/// All connections of the service.
#[derive(Debug)]
pub struct Connections {
    pub limits: ConnectionSettings,
    clock: Arc<dyn Clock>,
    /// The time as of the last sweep, so that a request reads no clock for it.
    second: AtomicU32,
    open: Mutex<Open>,
    /// Somebody has left, or may be asked to by now.
    changed: Notify,
    /// Bytes of all answers that no socket has taken.
    unsent: AtomicUsize,
    /// Bytes of the headers of requests that wait for room.
    waiting: AtomicUsize,
    closed: [AtomicU64; REASONS.len()],
    refused: AtomicU64,
}

impl Connections {
    pub fn new(limits: ConnectionSettings, clock: Arc<dyn Clock>) -> Self {
        let connections = Self {
            limits,
            clock,
            second: AtomicU32::new(0),
            open: Mutex::default(),
            changed: Notify::new(),
            unsent: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            closed: Default::default(),
            refused: AtomicU64::new(0),
        };
        connections.read_clock();
        connections
    }

    /// A place for one more connection, or none while its address has as many as it may. Peers that we trust to speak
    /// for others have no limit of their own.
    pub fn admit(self: &Arc<Self>, peer: IpAddr, trusted: bool) -> Option<Place> {
        let most = if trusted { usize::MAX } else { self.limits.most_per_address() };
        let admitted = self.open.lock().admit(self, peer, trusted, most);
        if admitted.is_none() {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        admitted.map(Place)
    }

    /// Waits until fewer connections are open than may be.
    pub async fn place(&self) {
        loop {
            if self.open.lock().has_place(self.limits.most(), self.second()) {
                return;
            }
            self.changed.notified().await;
        }
    }

    /// Asks all to finish what they are doing, and waits until none is left.
    pub async fn finish(&self) {
        self.open.lock().each(|connection| connection.ask_to_close());
        while !self.is_empty() {
            self.changed.notified().await;
        }
    }

    /// Ends those that did not finish.
    pub fn cut_off(&self) {
        self.open.lock().each(|connection| connection.cut_off());
    }

    fn leave(&self, connection: &Connection) {
        self.open.lock().remove(connection);
        self.changed.notify_one();
    }

    pub fn len(&self) -> usize {
        self.open.lock().count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of answers that no socket has taken yet.
    pub fn unsent(&self) -> usize {
        self.unsent.load(Ordering::Relaxed)
    }

    /// The time of the last sweep, in seconds since the start of the clock.
    fn second(&self) -> u32 {
        self.second.load(Ordering::Relaxed)
    }

    fn read_clock(&self) -> u32 {
        let second = (self.clock.monotonic_ns() / 1_000_000_000) as u32;
        self.second.store(second, Ordering::Relaxed);
        second
    }

    fn count_closed(&self, reason: Reason) {
        self.closed[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// What the operator is told.
    pub fn render(&self, out: &mut Exposition) {
        out.gauge("lastro_connections", "Open client connections.", self.len());
        let help = "Bytes of answers that clients have not taken yet.";
        out.gauge("lastro_unsent_bytes", help, self.unsent());
        let help = "Connections refused because their address had as many as it may.";
        out.counter("lastro_connections_refused_total", help, self.refused.load(Ordering::Relaxed));
        let help = "Connections that the service ended, by reason.";
        let mut family = out.family("lastro_connections_closed_total", Kind::Counter, help);
        for (reason, count) in REASONS.iter().zip(&self.closed) {
            family.sample(&[("reason", reason)], count.load(Ordering::Relaxed));
        }
    }
}
