//! Keeps the sources fresh while the service runs. `lastro_ingest` decides when and how.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use lastro_ingest::result::{SyncError, Synchronised};
use lastro_ingest::schedule::{self, Observer};
use lastro_ingest::sync::Synchronizer;
use lastro_model::{Source, SourceState};
use tokio::sync::watch;

use crate::clock::random_fraction;
use crate::metrics::Metrics;
use crate::served::Served;
use crate::wait::{stopped, tick};

/// The parts of a service that a synchronisation concerns.
#[derive(Debug)]
pub struct Observed {
    pub served: Arc<Served>,
    pub metrics: Arc<Metrics>,
}

/// Keeps one source fresh until the service stops.
pub async fn run(
    observed: Arc<Observed>,
    sync: Arc<Synchronizer>,
    source: Source,
    poll_interval: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let pause = move |polls| tick(poll_interval * polls).boxed();
    schedule::keep_fresh(&*observed, &sync, source, random_fraction(), &pause, stopped(&mut stop)).await;
}

impl Observer for Observed {
    fn known_states(&self) -> Arc<Vec<SourceState>> {
        self.served.freshness.load_full()
    }

    fn ended(&self, source: Source, result: &Result<Synchronised, SyncError>) {
        if matches!(result, Err(SyncError::Panicked)) {
            self.metrics.panics.fetch_add(1, Ordering::Relaxed);
        }
        self.metrics.synchronised(source, result.as_ref().map_or_else(SyncError::kind, |_| "ok"));
    }
}
