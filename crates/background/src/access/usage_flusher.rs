//! Writes the usage counters to the store, often enough that a killed process loses less than a second.
//!
//! A caller that needs all counts in the store (a usage report) waits for a flush that began after its call.
//! Concurrent callers share one flush.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use lastro_access::{Batch, Usage};
use lastro_model::{Clock, UsageCount};
use lastro_store::Store;
use tokio::sync::{Mutex, watch};

use crate::metrics::Metrics;
use crate::wait::{stopped, tick};
use crate::write_state::{WriteState, Writer};

const INTERVAL: Duration = Duration::from_millis(500);
/// Time limit of the last flush at shutdown, and the pause between its attempts.
const LAST_WITHIN: Duration = Duration::from_secs(10);
const BETWEEN_LAST: Duration = Duration::from_millis(300);

/// Writes usage to the store. Flushes are numbered in the order in which they begin.
#[derive(Debug)]
pub struct UsageFlusher {
    usage: Arc<Usage>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    writes: Arc<WriteState>,
    /// Identifies this process among all that ever wrote usage into the store.
    boot: String,
    turn: Mutex<()>,
    begun: AtomicU64,
    succeeded: AtomicU64,
}

pub async fn run(flusher: Arc<UsageFlusher>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            // A failure is logged by the store, and counts that could not be written are kept.
            () = tick(INTERVAL) => { let _ = flusher.flush().await; }
        }
    }
}

impl UsageFlusher {
    pub fn new(
        usage: Arc<Usage>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
        writes: Arc<WriteState>,
        boot: String,
    ) -> Self {
        let (begun, succeeded) = (AtomicU64::default(), AtomicU64::default());
        Self { usage, store, clock, metrics, writes, boot, turn: Mutex::default(), begun, succeeded }
    }

    /// Returns when everything counted before this call is in the store.
    pub async fn flush(&self) -> lastro_store::Result<()> {
        let begun_before = self.begun.load(Ordering::Acquire);
        let _turn = self.turn.lock().await;
        if self.succeeded.load(Ordering::Acquire) > begun_before {
            return Ok(());
        }
        let number = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
        // A batch that failed before, or was cancelled half-way, goes first and unchanged.
        if let Some(batch) = self.usage.under_way() {
            self.write(&batch).await?;
        }
        if let Some(batch) = self.usage.take() {
            self.write(&batch).await?;
        }
        self.succeeded.store(number, Ordering::Release);
        Ok(())
    }

    /// Flushes after the last response: a shutdown loses no counts unless the store is unreachable for too long.
    pub async fn flush_last(&self) -> anyhow::Result<()> {
        let attempts = async {
            while !AssertUnwindSafe(self.flush()).catch_unwind().await.is_ok_and(|written| written.is_ok()) {
                tokio::time::sleep(BETWEEN_LAST).await;
            }
        };
        let lost = |_| {
            let requests = self.usage.unflushed();
            anyhow::anyhow!("{requests} counted requests could not be written to the store and are lost")
        };
        tokio::time::timeout(LAST_WITHIN, attempts).await.map_err(lost)
    }

    /// Writes a batch without counts, before the first one: whether usage can be written at all.
    pub async fn try_out(&self) -> lastro_store::Result<()> {
        self.add(0, &[]).await
    }

    async fn write(&self, batch: &Batch) -> lastro_store::Result<()> {
        let begun_ns = self.clock.monotonic_ns();
        let written = self.add(batch.sequence, &batch.rows).await;
        self.metrics.flushes.record_ns(self.clock.monotonic_ns().saturating_sub(begun_ns));
        match &written {
            Ok(()) => self.usage.settle(batch),
            Err(error) => {
                tracing::debug!(%error, "usage could not be written; it is kept and retried");
                self.metrics.flush_failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        written
    }

    async fn add(&self, sequence: u64, rows: &[UsageCount]) -> lastro_store::Result<()> {
        let added = self.store.add_usage(&self.boot, sequence, self.clock.now().timestamp(), rows).await;
        self.writes.note(Writer::Usage, added.as_ref().copied().map_err(ToString::to_string));
        added
    }
}
