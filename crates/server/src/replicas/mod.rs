//! The processes that serve one database, and know of each other by its table `replica`.
//!
//! Each writes what it serves every two seconds, in the store's time, and reads the others. From that follow its share of a
//! limit, who must serve an edition before customers are told of it, and what the operator is told. It is the same on
//! every database; a single process finds itself alone.

pub mod census;
mod store_clock;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use lastro_access::Share;
use lastro_catalog::Catalog;
use lastro_model::{BySource, Clock, Edition};
use lastro_store::{Replica, Store, StoreError};
use parking_lot::Mutex;
use tokio::sync::watch;

pub use store_clock::StoreClock;

use crate::jobs::{stopped, tick};
use crate::metrics::prometheus::Exposition;
use crate::refresh::parts;
use census::Census;

/// Clocks drift slowly.
const MEASURE_EVERY_NS: u64 = 30_000_000_000;
/// A store that takes longer to answer is away.
const TIMEOUT: Duration = Duration::from_secs(5);
/// A stop does not wait longer for a store that is away.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);
/// How often between two beats is looked whether there is something new to tell.
const LOOKS_BETWEEN_BEATS: u32 = 4;

/// Who this process is.
#[derive(Debug)]
pub struct Identity {
    pub boot: String,
    /// For people.
    pub name: String,
}

/// This process among those that serve the same database.
pub struct Replicas {
    identity: Identity,
    store: Arc<dyn Store>,
    catalog: Arc<ArcSwap<Catalog>>,
    /// What is compared between machines is told by this one.
    pub clock: Arc<StoreClock>,
    /// The place of this process, for whoever divides a limit.
    pub share: Arc<ArcSwap<Share>>,
    beat_interval: Duration,
    /// Limits are counted for all replicas at one place.
    counts_together: bool,
    is_reachable: AtomicBool,
    progress: Mutex<Progress>,
}

/// What there was to tell and to hear so far.
#[derive(Debug, Default)]
struct Progress {
    census: Census,
    started_at: Option<Timestamp>,
    /// What the store was last told that this process serves.
    told: Option<BySource<Edition>>,
    /// By the clock that only grows.
    measured_ns: Option<u64>,
}

impl std::fmt::Debug for Replicas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replicas").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// Beats until the service stops, and takes leave then.
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
    /// Alone, until it has looked.
    pub fn new(
        identity: Identity,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        catalog: Arc<ArcSwap<Catalog>>,
        beat_interval: Duration,
        counts_together: bool,
    ) -> Self {
        Self {
            identity,
            store,
            catalog,
            clock: Arc::new(StoreClock::new(clock)),
            share: Arc::new(ArcSwap::from_pointee(Share::WHOLE)),
            beat_interval,
            counts_together,
            is_reachable: AtomicBool::new(false),
            progress: Mutex::default(),
        }
    }

    /// Names this process among all that ever ran on the database.
    pub fn boot(&self) -> &str {
        &self.identity.boot
    }

    /// Tells that this process lives and what it serves, and hears of the others. While the store is away, who was alive
    /// still counts.
    pub async fn beat(&self) {
        let looked = match tokio::time::timeout(TIMEOUT, self.look()).await {
            Ok(looked) => looked.map_err(|error| error.to_string()),
            Err(_) => Err(format!("it did not answer within {TIMEOUT:?}")),
        };
        let was_reachable = self.is_reachable.swap(looked.is_ok(), Ordering::Relaxed);
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
                if was_reachable {
                    tracing::warn!(%error, "the other replicas cannot be heard of; those known last still count");
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
        let served = parts::editions(&self.catalog.load());
        let all = self.store.beat(self.row(&served)).await?;
        self.progress.lock().told = Some(served);
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
            version: crate::VERSION.to_owned(),
            started_at: *self.progress.lock().started_at.get_or_insert(seen_at),
            seen_at,
            editions: BySource::new(|source| Some(served[source])),
        }
    }

    /// Until the next beat: a new edition is told sooner, for others may wait to hear of it.
    async fn pause(&self) {
        for _ in 0..LOOKS_BETWEEN_BEATS {
            tick(self.beat_interval / LOOKS_BETWEEN_BEATS).await;
            let told = self.progress.lock().told;
            if told.is_some_and(|told| told != parts::editions(&self.catalog.load())) {
                return;
            }
        }
    }

    /// The others know at once that this one is gone.
    async fn leave(&self) {
        let left = tokio::time::timeout(LEAVE_TIMEOUT, self.store.leave(&self.identity.boot)).await;
        if !matches!(left, Ok(Ok(()))) {
            tracing::warn!(
                "the store could not be told that this replica stops; the others notice in ten seconds"
            );
        }
    }

    /// The others that are alive at this moment.
    pub async fn others(&self) -> Result<Vec<Replica>, StoreError> {
        let now = self.clock.now().timestamp();
        let mut others = self.store.replicas().await?;
        others.retain(|other| other.boot != self.identity.boot && census::is_alive(other, now));
        Ok(others)
    }

    /// What the operator is told.
    pub fn render(&self, out: &mut Exposition) {
        let help = "Replicas that serve this database, this one included.";
        out.gauge("lastro_replicas", help, self.share.load().replicas());
        let help = "How far the database's clock is ahead of this machine's.";
        out.gauge("lastro_clock_offset_seconds", help, self.clock.offset_ms() as f64 / 1000.0);
        let help = "Whether the last look at the store succeeded.";
        out.gauge("lastro_store_reachable", help, u8::from(self.is_reachable.load(Ordering::Relaxed)));
    }
}
