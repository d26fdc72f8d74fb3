//! The processes that serve one database. They find each other through its table `replica`.
//!
//! Every three seconds, in the store's time, each process writes the editions that it serves and reads the other rows.
//! They determine its share of a limit, which replicas must serve an edition before customers are notified, and the
//! metrics. It works the same on every database; a single process finds only itself.

pub mod census;
mod store_clock;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use lastro_access::Share;
use lastro_model::{BySource, Clock, Edition};
use lastro_store::{Replica, Store, StoreError};
use parking_lot::Mutex;
use tokio::sync::watch;

pub use store_clock::StoreClock;

use crate::metrics::prometheus::Exposition;
use crate::served::Served;
use crate::wait::{stopped, tick};
use crate::write_state::{WriteState, Writer};
use census::Census;

/// Interval of measuring the store's clock. Clocks drift slowly.
const MEASURE_EVERY_NS: u64 = 30_000_000_000;
/// Timeout after which the store counts as unreachable.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for removing the own row at shutdown.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);
/// Checks for a new edition per heartbeat interval.
const LOOKS_BETWEEN_BEATS: u32 = 6;

/// The identity of this process.
#[derive(Debug)]
pub struct Identity {
    pub boot: String,
    /// Human-readable.
    pub name: String,
    /// The build that it runs.
    pub version: &'static str,
}

/// This process among those that serve the same database.
pub struct Replicas {
    identity: Identity,
    store: Arc<dyn Store>,
    served: Arc<Served>,
    writes: Arc<WriteState>,
    /// The clock for times that are compared between machines.
    pub clock: Arc<StoreClock>,
    /// The number of replicas and the rank of this one, used to divide limits.
    pub share: Arc<ArcSwap<Share>>,
    beat_interval: Duration,
    /// Whether limits are counted for all replicas in one place.
    counts_together: bool,
    is_reachable: AtomicBool,
    progress: Mutex<Progress>,
}

/// The state of the heartbeat so far.
#[derive(Debug, Default)]
struct Progress {
    census: Census,
    started_at: Option<Timestamp>,
    /// The served editions last written to the store.
    reported: Option<BySource<Edition>>,
    /// Monotonic time of the last clock measurement.
    measured_ns: Option<u64>,
}

impl std::fmt::Debug for Replicas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replicas").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// Writes heartbeats until the service stops, then removes the own row.
pub async fn run(replicas: Arc<Replicas>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            () = replicas.pause() => replicas.beat().await,
        }
    }
    replicas.leave().await;
}

impl Replicas {
    /// Starts as the only replica, until the first heartbeat.
    pub fn new(
        identity: Identity,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        served: Arc<Served>,
        writes: Arc<WriteState>,
        beat_interval: Duration,
        counts_together: bool,
    ) -> Self {
        Self {
            identity,
            store,
            served,
            writes,
            clock: Arc::new(StoreClock::new(clock)),
            share: Arc::new(ArcSwap::from_pointee(Share::WHOLE)),
            beat_interval,
            counts_together,
            is_reachable: AtomicBool::new(false),
            progress: Mutex::default(),
        }
    }

    /// Identifies this process among all that ever ran on the database.
    pub fn boot(&self) -> &str {
        &self.identity.boot
    }

    /// Writes a heartbeat with the served editions and reads the other replicas. While the store is unreachable,
    /// replicas that were alive still count.
    pub async fn beat(&self) {
        let looked = tokio::time::timeout(TIMEOUT, self.look()).await.unwrap_or_else(|_| {
            Err(StoreError::Unreachable { why: format!("it did not answer within {TIMEOUT:?}") })
        });
        // A database that refuses to be written does answer.
        let is_reachable = matches!(looked, Ok(_) | Err(StoreError::Unwritable { .. }));
        let was_reachable = self.is_reachable.swap(is_reachable, Ordering::Relaxed);
        let outcome = looked.as_ref().map(drop).map_err(ToString::to_string);
        self.writes.note(Writer::Heartbeat, outcome);
        match looked {
            Ok(rows) => {
                let share = self.progress.lock().census.take(&rows, &self.identity.boot, self.clock.now());
                let before = self.share.swap(Arc::new(share));
                if before.replicas() != share.replicas() {
                    self.tell_number(share.replicas());
                }
            }
            Err(error) => {
                self.progress.lock().census.lose();
                if was_reachable && !is_reachable {
                    tracing::warn!(%error, "the other replicas cannot be read; those known last still count");
                }
            }
        }
    }

    fn tell_number(&self, replicas: u32) {
        tracing::info!("{replicas} replicas serve this database now");
        if replicas > 1 && !self.counts_together {
            tracing::warn!(
                "limits are counted by each replica alone: every client has {replicas} times its quota; \
                 give all replicas the same --redis to count together"
            );
        }
    }

    async fn look(&self) -> Result<Vec<Replica>, StoreError> {
        self.measure_if_due().await?;
        let served = self.served.catalog.load().editions();
        let all = self.store.beat(self.row(&served)).await?;
        self.progress.lock().reported = Some(served);
        Ok(all)
    }

    async fn measure_if_due(&self) -> Result<(), StoreError> {
        let now_ns = self.clock.monotonic_ns();
        let measured_ns = self.progress.lock().measured_ns;
        if measured_ns.is_none_or(|measured| now_ns.saturating_sub(measured) >= MEASURE_EVERY_NS) {
            self.clock.measure(&*self.store).await?;
            self.progress.lock().measured_ns = Some(now_ns);
        }
        Ok(())
    }

    fn row(&self, served: &BySource<Edition>) -> Replica {
        let seen_at = self.clock.now().timestamp();
        Replica {
            boot: self.identity.boot.clone(),
            name: self.identity.name.clone(),
            version: self.identity.version.to_owned(),
            started_at: *self.progress.lock().started_at.get_or_insert(seen_at),
            seen_at,
            editions: BySource::new(|source| Some(served[source])),
        }
    }

    /// Waits for the next heartbeat, or until a new edition is served, because other replicas may wait for it.
    async fn pause(&self) {
        for _ in 0..LOOKS_BETWEEN_BEATS {
            tick(self.beat_interval / LOOKS_BETWEEN_BEATS).await;
            let reported = self.progress.lock().reported;
            if reported.is_some_and(|reported| reported != self.served.catalog.load().editions()) {
                return;
            }
        }
    }

    /// Removes the own row, so that the other replicas notice the shutdown at once.
    async fn leave(&self) {
        let left = tokio::time::timeout(LEAVE_TIMEOUT, self.store.leave(&self.identity.boot)).await;
        if !matches!(left, Ok(Ok(()))) {
            tracing::warn!(
                "the shutdown could not be recorded in the store; other replicas notice it after ten seconds"
            );
        }
    }

    /// Reads the other replicas that are alive now.
    pub async fn others(&self) -> Result<Vec<Replica>, StoreError> {
        let now = self.clock.now().timestamp();
        let mut others = self.store.replicas().await?;
        others.retain(|other| other.boot != self.identity.boot && census::is_alive(other, now));
        Ok(others)
    }

    /// Writes the metrics.
    pub fn render(&self, out: &mut Exposition) {
        let help = "Replicas that serve this database, this one included.";
        out.gauge("lastro_replicas", help, self.share.load().replicas());
        let help = "How far the database's clock is ahead of this machine's.";
        out.gauge("lastro_clock_offset_seconds", help, self.clock.offset_ms() as f64 / 1000.0);
        let help = "Whether the last database query succeeded.";
        out.gauge("lastro_store_reachable", help, u8::from(self.is_reachable.load(Ordering::Relaxed)));
    }
}
