//! Response bytes that no socket has accepted yet.
//!
//! An [`Unsent`] travels with the bytes through hyper's queues and is dropped with them: the sums are exact.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::connection::Connection;

/// Memory of a response beside its bytes: header, stream, task.
const BESIDE_THE_BYTES: usize = 4096;

/// A response, or a chunk of one, being sent. Dropped with its last byte.
#[derive(Debug)]
pub struct Unsent {
    connection: Arc<Connection>,
    bytes: usize,
    progress: u32,
}

impl Unsent {
    pub fn new(connection: &Arc<Connection>, bytes: usize) -> Self {
        let (bytes, progress) = (bytes + BESIDE_THE_BYTES, connection.second());
        connection.unsent.fetch_add(bytes, Ordering::Relaxed);
        connection.of_address.unsent.fetch_add(bytes, Ordering::Relaxed);
        connection.totals.unsent.fetch_add(bytes, Ordering::Relaxed);
        connection.ages.add(progress);
        Self { connection: Arc::clone(connection), bytes, progress }
    }

    /// Records progress: hyper requested more, so the bytes before were sent.
    pub fn progressed(&mut self) {
        let now = self.connection.second();
        if now != self.progress {
            self.connection.ages.add(now);
            self.connection.ages.remove(self.progress);
            self.progress = now;
        }
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        let connection = &self.connection;
        connection.mark_active();
        connection.ages.remove(self.progress);
        connection.totals.unsent.fetch_sub(self.bytes, Ordering::Relaxed);
        connection.of_address.unsent.fetch_sub(self.bytes, Ordering::Relaxed);
        connection.unsent.fetch_sub(self.bytes, Ordering::Relaxed);
        connection.notify_waiting();
    }
}
