//! Backpressure: while too many bytes of answers are unsent, requests wait before anything is done for them.
//!
//! A connection with nothing unsent may begin an answer even while others have too much, so that whoever reads what he
//! asked for hardly notices. At twice the limit everybody waits.

use std::sync::atomic::Ordering;

use super::connection::{Connection, State};
use super::totals::{Reason, Totals};

/// One connection may have this part of what may be unsent in all, and one address twice as much.
const SHARE_OF_ONE: usize = 8;
/// Whoever has no more unsent than this part is told to come again, and no worse.
const SHARE_OF_THE_POLITE: usize = 512;
/// How long a request waits for others to take their answers, in seconds.
const WAIT_TIMEOUT: u32 = 5;

impl Totals {
    /// More is unsent than should be.
    pub(super) fn is_pressed(&self) -> bool {
        self.unsent() >= self.limits.client_memory.unsent
    }
}

impl Connection {
    /// Whether a request that came on it has to wait.
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

    /// Waits until one more answer may begin. `false` when it takes too long.
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
            // For his own unread answers a client may wait as long as he likes; for those of others he need not.
            let own = self.unsent.load(Ordering::Relaxed) > 0;
            if !gone && !own && self.second().saturating_sub(began) > WAIT_TIMEOUT {
                return false;
            }
            freed.await;
        }
    }

    /// Refuses a request that has no room to wait. While too much is unsent, a client that leaves its answers unread is
    /// not even told: a reply would be one more of them.
    pub fn refuse_to_wait(&self) {
        let (limit, all) = (self.totals.limits.client_memory.unsent, self.totals.unsent());
        let polite = if all < 2 * limit { limit / SHARE_OF_THE_POLITE } else { 0 };
        if self.must_wait() && self.unsent.load(Ordering::Relaxed) > polite {
            self.hang_up(Reason::Pressure);
        }
    }

    /// Something may have become possible for those that wait.
    pub(super) fn notify_waiting(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.capacity.notify_waiters();
        }
    }
}

/// A request that waits until others are read.
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
