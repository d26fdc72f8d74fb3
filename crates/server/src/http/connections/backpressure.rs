//! Backpressure: while too many bytes of answers are unsent, requests wait before anything is done for them.
//!
//! A connection with nothing unsent may begin an answer even while others have too much, so that whoever reads what he
//! asked for hardly notices. At twice the limit everybody waits.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::Request;

use super::connection::{Connection, State, UnderWay};
use super::totals::{Reason, Totals};

/// One connection may have this part of what may be unsent in all.
const SHARE_OF_ONE: usize = 8;
/// Headers of waiting requests may have this part of it, in all and on one connection.
const SHARE_OF_WAITING: usize = 4;
const SHARE_OF_ONE_WAITING: usize = 32;
/// Whoever has no more unsent than this part is told to come again, and no worse.
const SHARE_OF_THE_POLITE: usize = 512;
/// How long a request waits for others to take their answers, in seconds.
const WAIT_TIMEOUT: u32 = 5;

impl Totals {
    /// More is unsent than should be.
    pub(super) fn is_pressed(&self) -> bool {
        self.unsent() >= self.limits.most_unsent
    }
}

impl Connection {
    /// Whether a request that came on it has to wait.
    pub fn must_wait(&self) -> bool {
        let (limit, all) = (self.totals.limits.most_unsent, self.totals.unsent());
        match self.unsent.load(Ordering::Relaxed) {
            0 => all >= 2 * limit,
            own => all >= limit || own >= limit / SHARE_OF_ONE,
        }
    }

    /// Waits until one more answer may begin. `false` when it takes too long.
    pub async fn wait_for_capacity<B>(self: &Arc<Self>, request: &Request<B>) -> bool {
        let Some(_waiting) = Waiting::begin(self, head_bytes(request)) else { return false };
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

    /// Something may have become possible for those that wait.
    pub(super) fn notify_waiting(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.capacity.notify_waiters();
        }
    }
}

/// A request that waits. Its header is kept meanwhile, and is counted.
struct Waiting {
    connection: Arc<Connection>,
    bytes: usize,
    _under_way: UnderWay,
}

impl Waiting {
    /// None when too many wait already. Whoever has had answers and has not taken them is hung up on.
    fn begin(connection: &Arc<Connection>, bytes: usize) -> Option<Self> {
        let limit = connection.totals.limits.most_unsent;
        let all = connection.totals.waiting.fetch_add(bytes, Ordering::Relaxed);
        let own = connection.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        connection.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Self { connection: Arc::clone(connection), bytes, _under_way: connection.under_way() };
        if own < limit / SHARE_OF_ONE_WAITING && all < limit / SHARE_OF_WAITING {
            return Some(waiting);
        }
        if connection.unsent.load(Ordering::Relaxed) > limit / SHARE_OF_THE_POLITE {
            connection.hang_up(Reason::Pressure);
            return Some(waiting);
        }
        None
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.connection.waiting.fetch_sub(1, Ordering::Relaxed);
        self.connection.waiting_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.connection.totals.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// About what a request's header takes in memory, with what is kept beside it.
fn head_bytes<B>(request: &Request<B>) -> usize {
    const BESIDE_THE_BYTES: usize = 4096;
    const BESIDE_A_HEADER: usize = 128;
    let headers = request.headers().iter();
    let target = request.uri().path().len() + request.uri().query().map_or(0, str::len);
    headers.fold(BESIDE_THE_BYTES + target, |sum, (name, value)| {
        sum + name.as_str().len() + value.len() + BESIDE_A_HEADER
    })
}
