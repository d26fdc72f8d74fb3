//! Calls for many rings at once: requests that wait together share one script call.
//!
//! Two senders take turns. A request that finds one of them idle is sent at once. While both wait for Redis, requests queue
//! up and go together with the next call. So the busier a replica is, the less each request costs Redis.

use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::timeout;

use crate::client::{CallError, Client};
use crate::names::RingName;
use crate::reply::Reply;
use crate::scripts;

/// Rings in one call, during which Redis does nothing else.
const MOST_IN_BATCH: usize = 128;
/// Requests that may wait. Beyond that the share decides at once.
const MOST_WAITING: usize = 4_096;
/// Time to wait for a late reply in the background.
const LATEST_REPLY: Duration = Duration::from_secs(2);

/// A request that waits for a reply about its ring.
#[derive(Debug)]
pub(crate) struct BatchEntry {
    pub(crate) name: RingName,
    /// One, or none to read the state of the ring only.
    pub(crate) units: u32,
    pub(crate) limit: u32,
    pub(crate) window_ns: u64,
    pub(crate) reply: oneshot::Sender<Reply>,
}

#[derive(Debug)]
pub(crate) struct BatchQueue {
    pub(crate) sender: mpsc::Sender<BatchEntry>,
    receiver: Mutex<mpsc::Receiver<BatchEntry>>,
}

impl BatchQueue {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        Self { sender, receiver: Mutex::new(receiver) }
    }

    /// The number of requests that wait.
    pub(crate) fn len(&self) -> usize {
        self.sender.max_capacity() - self.sender.capacity()
    }
}

impl Client {
    /// Sends the requests of the queue, forever.
    pub(crate) async fn send_batches(&self) {
        let sender = async || {
            let mut batch = Vec::new();
            while self.queue.receiver.lock().await.recv_many(&mut batch, MOST_IN_BATCH).await > 0 {
                self.send(std::mem::take(&mut batch)).await;
            }
        };
        tokio::join!(sender(), sender());
    }

    /// A request whose entry is dropped without a reply is decided by the share.
    async fn send(&self, mut batch: Vec<BatchEntry>) {
        // Clients that have disconnected, or have waited too long.
        batch.retain(|entry| !entry.reply.is_closed());
        if batch.is_empty() || self.is_away() {
            return;
        }
        let mut command =
            self.command(&scripts::RING, batch.iter().map(|entry| entry.name.key(&self.prefix)));
        for BatchEntry { units, limit, window_ns, .. } in &batch {
            command.arg(units).arg(limit).arg(window_ns / 1_000);
        }
        command.arg(self.known_epoch());
        let sent_ns = self.clock.monotonic_ns();
        match self.call(command).await {
            Ok(numbers) => {
                self.replied(&numbers);
                deliver(batch, &numbers, (sent_ns, self.clock.monotonic_ns()));
            }
            // Requests that were refused meanwhile give their unit back.
            Err(CallError::Late(pending)) => drop(tokio::spawn(async move {
                if let Ok(Some(numbers)) = timeout(LATEST_REPLY, pending).await {
                    deliver(batch, &numbers, (sent_ns, sent_ns));
                }
            })),
            Err(CallError::Failed) => {}
        }
    }
}

fn deliver(batch: Vec<BatchEntry>, numbers: &[i64], times: (u64, u64)) {
    for (place, BatchEntry { limit, units, reply, .. }) in batch.into_iter().enumerate() {
        if let Some(read) = Reply::read(numbers, place, limit, units, times) {
            // The client may have disconnected.
            let _ = reply.send(read);
        }
    }
}
