//! Backpressure: while too many response bytes are unsent, new requests wait before they are processed.
//!
//! A connection with nothing unsent may still start a response, so that clients that read promptly hardly notice.
//! At twice the limit all connections wait.

use std::sync::atomic::Ordering;

use super::connection::{Connection, State};
use super::totals::{Reason, Totals};

/// Divisor of the unsent limit for one connection; one address may have twice as much.
const SHARE_OF_ONE: usize = 8;
/// Divisor of the unsent limit. A client below this share gets an error response instead of being disconnected.
const SHARE_OF_THE_POLITE: usize = 512;
/// Seconds a request waits for other clients to read their responses.
const WAIT_TIMEOUT: u32 = 5;

impl Totals {
    /// Whether more bytes are unsent than the limit.
    pub(super) fn is_pressed(&self) -> bool {
        self.unsent() >= self.limits.client_memory.unsent
    }
}

impl Connection {
    /// Whether a new request on this connection has to wait.
    pub fn must_wait(&self) -> bool {
        let (limit, all) = (self.totals.limits.client_memory.unsent, self.totals.unsent());
        let of_address = if self.trusted { 0 } else { self.of_address.unsent.load(Ordering::Relaxed) };
        let most = match self.unsent.load(Ordering::Relaxed) {
            0 => 2 * limit,
            own if own < limit / SHARE_OF_ONE => limit,
            _ => 0,
        };
        all >= most || of_address >= 2 * limit / SHARE_OF_ONE
    }

    /// Waits until one more response may start. Returns `false` on timeout.
    pub async fn wait_for_capacity(&self) -> bool {
        let _waiting = Waiting::begin(self);
        let began = self.second();
        loop {
            let freed = self.capacity.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            let gone = self.state() == State::HungUp;
            if !gone && !self.must_wait() {
                return true;
            }
            // The timeout applies only while the client waits for other clients, not for its own unread responses.
            let own = self.unsent.load(Ordering::Relaxed) > 0;
            if !gone && !own && self.second().saturating_sub(began) > WAIT_TIMEOUT {
                return false;
            }
            freed.await;
        }
    }

    /// Handles a request that has no room to wait. While too much is unsent, a client with unread responses is
    /// disconnected: an error response would be one more of them.
    pub fn refuse_to_wait(&self) {
        let (limit, all) = (self.totals.limits.client_memory.unsent, self.totals.unsent());
        let polite = if all < 2 * limit { limit / SHARE_OF_THE_POLITE } else { 0 };
        if self.must_wait() && self.unsent.load(Ordering::Relaxed) > polite {
            self.hang_up(Reason::Pressure);
        }
    }

    /// Wakes the waiting requests to check again.
    pub(super) fn notify_waiting(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.capacity.notify_waiters();
        }
    }
}

/// A request that waits for capacity, counted until dropped.
struct Waiting<'a>(&'a Connection);

impl<'a> Waiting<'a> {
    fn begin(connection: &'a Connection) -> Self {
        connection.waiting.fetch_add(1, Ordering::Relaxed);
        Self(connection)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
