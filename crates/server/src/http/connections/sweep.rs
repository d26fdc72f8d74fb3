//! Closes idle and slow connections and those that hold too much memory. One pass a second replaces a timer for each.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lastro_background::wait::{stopped, tick};
use tokio::sync::watch;

use super::Connections;
use super::connection::Connection;
use super::totals::Reason;

/// Seconds an idle connection may take to close after it was asked to.
const CLOSE_TIMEOUT: u32 = 3;
/// Seconds a response may make no progress while too many bytes are unsent.
const PRESSURE_TIMEOUT: u32 = 2;
/// Divisors for the share of memory that is freed: of pending bytes when they are near their limit, and of unsent
/// bytes when no request could be answered any more.
const PENDING_FREED: usize = 4;
const SLOW_FREED: usize = 2;

pub async fn run(connections: Arc<Connections>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(connections.limits().sweep_interval) => connections.sweep(),
        }
    }
}

impl Connections {
    /// Checks every connection once.
    pub fn sweep(&self) {
        let second = self.read_clock();
        let memory = self.limits().client_memory;
        let (pressed, full) = (self.totals.is_pressed(), self.totals.is_full());
        // Clients that read a little now and then are not stalled, but still block all the others.
        let overflowing = self.unsent() >= 2 * memory.unsent;
        let (mut stalled, mut slow, mut hoarding) = (Vec::new(), Vec::new(), Vec::new());
        self.open.lock().each(|connection| {
            self.judge(connection, second);
            if pressed && connection.takes_nothing(PRESSURE_TIMEOUT, second) {
                stalled.push(Arc::clone(connection));
            }
            if full && !connection.trusted && connection.pending.load(Ordering::Relaxed) > 0 {
                hoarding.push(Arc::clone(connection));
            }
            if overflowing && !connection.trusted && connection.unsent.load(Ordering::Relaxed) > 0 {
                slow.push(Arc::clone(connection));
            }
            connection.notify_waiting();
        });
        relieve(stalled, self.unsent().saturating_sub(memory.unsent), |connection| &connection.unsent);
        relieve(slow, memory.unsent / SLOW_FREED, |connection| &connection.unsent);
        relieve(hoarding, memory.pending / PENDING_FREED, |connection| &connection.pending);
        // The accept loop checks again: some connections may have become idle enough to be evicted.
        self.changed.notify_one();
    }

    fn judge(&self, connection: &Connection, second: u32) {
        let send_timeout = seconds(self.limits().send_timeout);
        if connection.takes_nothing(send_timeout, second) {
            connection.hang_up(Reason::Unread);
        }
        if let Some(idle) = connection.idle_for(second) {
            if idle > seconds(self.limits().idle_timeout) {
                connection.close(Reason::Idle);
            }
            if connection.lingers(second, CLOSE_TIMEOUT) {
                connection.hang_up(Reason::Idle);
            }
        }
    }
}

/// Hangs up on the connections that hold most, until `wanted` bytes are free.
fn relieve(
    mut connections: Vec<Arc<Connection>>,
    mut wanted: usize,
    held: impl Fn(&Connection) -> &AtomicUsize,
) {
    let held = |connection: &Connection| held(connection).load(Ordering::Relaxed);
    connections.sort_by_cached_key(|connection| Reverse(held(connection)));
    for connection in connections {
        if wanted == 0 {
            return;
        }
        wanted = wanted.saturating_sub(held(&connection));
        connection.hang_up(Reason::Pressure);
    }
}

impl Connection {
    /// Whether a response has made no progress for more than `timeout` seconds.
    pub(super) fn takes_nothing(&self, timeout: u32, second: u32) -> bool {
        self.unsent.load(Ordering::Relaxed) > 0 && self.ages.any_beyond(timeout, second)
    }
}

fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis().div_ceil(1000)).unwrap_or(u32::MAX)
}
