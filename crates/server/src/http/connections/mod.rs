//! Open connections: their number, clients, age and unsent bytes.
//!
//! Any client can open a connection and then do nothing, or send requests and read no response. So all connections are
//! listed here, and one sweep a second closes idle ones and those that do not read. A request pays a few additions.
//!
//! - [`admission`]: admits connections, and evicts others for them.
//! - [`connection`]: one connection. [`totals`]: the state shared by all.
//! - [`unsent`]: response bytes that no socket has accepted yet. [`ages`]: their last progress.
//! - [`inbound`]: bytes received that form no request yet, with `frames` for HTTP/2. [`pending`]: pending requests.
//! - [`backpressure`]: makes requests wait while too much is unsent.
//! - [`last_head`]: the headers of the last response, of which the next one keeps most.
//! - [`sweep`]: closes idle and slow connections.

pub mod admission;
pub mod ages;
pub mod backpressure;
pub mod connection;
mod frames;
pub mod inbound;
pub mod last_head;
pub mod pending;
pub mod sweep;
pub mod totals;
pub mod unsent;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use admission::OpenConnections;
use connection::Connection;
use lastro_background::metrics::prometheus::{Exposition, Kind};
use lastro_config::ConnectionSettings;
use lastro_model::Clock;
use parking_lot::Mutex;
use tokio::sync::Notify;
use totals::Totals;

/// The largest request head: far more than any request needs.
pub const LARGEST_HEAD: usize = 32 * 1024;

/// The most that passes between two sweeps on the clock of the connections. For the rest the process stood still: it served
/// nobody, and what clients sent meanwhile may be unread.
const MOST_BETWEEN_SWEEPS_NS: u64 = 2_000_000_000;

/// All connections of the service.
#[derive(Debug)]
pub struct Connections {
    totals: Arc<Totals>,
    clock: Arc<dyn Clock>,
    swept_at_ns: AtomicU64,
    /// The time in which connections were served.
    served_ns: AtomicU64,
    open: Mutex<OpenConnections>,
    /// A connection has ended, or may be evicted now.
    changed: Notify,
    refused: AtomicU64,
}

/// An admitted connection, listed until this is dropped. Must be dropped after its socket.
#[derive(Debug)]
pub struct Admitted {
    connection: Arc<Connection>,
    connections: Arc<Connections>,
}

impl Admitted {
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.connections.leave(&self.connection);
    }
}

impl Connections {
    pub fn new(limits: ConnectionSettings, clock: Arc<dyn Clock>) -> Self {
        Self {
            totals: Arc::new(Totals::new(limits)),
            swept_at_ns: AtomicU64::new(clock.monotonic_ns()),
            served_ns: AtomicU64::new(0),
            clock,
            open: Mutex::default(),
            changed: Notify::new(),
            refused: AtomicU64::new(0),
        }
    }

    pub fn limits(&self) -> &ConnectionSettings {
        &self.totals.limits
    }

    /// Admits a connection, unless its address has reached its limit. Trusted proxies have no limit of their own.
    pub fn admit(self: &Arc<Self>, peer: IpAddr, trusted: bool) -> Option<Admitted> {
        let most = if trusted { usize::MAX } else { self.limits().most_per_address() };
        let admitted = self.open.lock().admit(&self.totals, peer, trusted, most);
        if admitted.is_none() {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        admitted.map(|connection| Admitted { connection, connections: Arc::clone(self) })
    }

    /// Waits until the number of open connections is below the limit.
    pub async fn wait_for_place(&self) {
        loop {
            if self.open.lock().has_place(&self.totals) {
                return;
            }
            self.changed.notified().await;
        }
    }

    /// Closes all connections gracefully and waits until none is left.
    pub async fn finish(&self) {
        self.open.lock().each(|connection| connection.ask_to_close());
        while !self.is_empty() {
            self.changed.notified().await;
        }
    }

    /// Ends the connections that did not finish.
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

    /// Response bytes that no socket has accepted yet.
    pub fn unsent(&self) -> usize {
        self.totals.unsent()
    }

    fn read_clock(&self) -> u32 {
        let now = self.clock.monotonic_ns();
        let passed =
            now.saturating_sub(self.swept_at_ns.swap(now, Ordering::Relaxed)).min(MOST_BETWEEN_SWEEPS_NS);
        let served = self.served_ns.fetch_add(passed, Ordering::Relaxed) + passed;
        let second = (served / 1_000_000_000) as u32;
        self.totals.set_second(second);
        second
    }

    /// Writes the metrics.
    pub fn render(&self, out: &mut Exposition) {
        out.gauge("lastro_connections", "Open client connections.", self.len());
        let help = "Bytes of answers that clients have not taken yet.";
        out.gauge("lastro_unsent_bytes", help, self.unsent());
        let help = "Bytes of requests that are not answered yet.";
        out.gauge("lastro_pending_bytes", help, self.totals.pending.load(Ordering::Relaxed));
        let help = "Connections refused because their address had reached its limit.";
        out.counter("lastro_connections_refused_total", help, self.refused.load(Ordering::Relaxed));
        let help = "Connections that the service ended, by reason.";
        let mut family = out.family("lastro_connections_closed_total", Kind::Counter, help);
        for (reason, count) in self.totals.closed() {
            family.sample(&[("reason", &reason)], count);
        }
    }
}
