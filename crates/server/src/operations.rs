//! The state that the operator watches: readiness, counters, background jobs and replicas.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lastro_model::Now;

use crate::jobs::supervisor::Jobs;
use crate::metrics::Metrics;
use crate::replicas::Replicas;

#[derive(Debug)]
pub struct Operations {
    pub metrics: Arc<Metrics>,
    /// When the service started, for the metrics.
    pub started_unix_seconds: i64,
    /// The states of the background jobs.
    pub jobs: Arc<Jobs>,
    /// The processes that serve the same database.
    pub replicas: Arc<Replicas>,
    pub ready: AtomicBool,
    pub draining: AtomicBool,
}

impl Operations {
    pub fn new(metrics: Arc<Metrics>, replicas: Arc<Replicas>, started: Now) -> Self {
        let (ready, draining) = (AtomicBool::new(false), AtomicBool::new(false));
        let started_unix_seconds = started.unix_seconds();
        Self { metrics, started_unix_seconds, jobs: Arc::default(), replicas, ready, draining }
    }

    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire) && !self.draining.load(Ordering::Acquire)
    }
}
