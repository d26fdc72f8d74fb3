//! The state that the operator watches: readiness, counters, background jobs, replicas, and whether writes succeed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lastro_model::Now;

use crate::jobs::supervisor::Jobs;
use crate::metrics::Metrics;
use crate::replicas::Replicas;
use crate::write_state::WriteState;

#[derive(Debug)]
pub struct Operations {
    pub metrics: Arc<Metrics>,
    /// When the service started, for the metrics.
    pub started_unix_seconds: i64,
    /// The states of the background jobs.
    pub jobs: Arc<Jobs>,
    /// The processes that serve the same database.
    pub replicas: Arc<Replicas>,
    /// Whether the database accepts writes.
    pub writes: Arc<WriteState>,
    pub ready: AtomicBool,
    pub draining: AtomicBool,
}

impl Operations {
    pub fn new(
        metrics: Arc<Metrics>,
        replicas: Arc<Replicas>,
        writes: Arc<WriteState>,
        started: Now,
    ) -> Self {
        let (ready, draining) = (AtomicBool::new(false), AtomicBool::new(false));
        let started_unix_seconds = started.unix_seconds();
        Self { metrics, started_unix_seconds, jobs: Arc::default(), replicas, writes, ready, draining }
    }

    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire) && !self.draining.load(Ordering::Acquire)
    }

    /// One line for the operator: whether the service is ready, and why not or with which fault.
    pub fn readiness(&self) -> String {
        let fault = self.writes.failure().map(|failure| failure.reason);
        match (self.is_ready(), fault) {
            (true, None) => "ready\n".to_owned(),
            (true, Some(reason)) => format!("ready, but {reason}\n"),
            (false, _) if self.draining.load(Ordering::Acquire) => "not ready: it is stopping\n".to_owned(),
            (false, None) => "not ready: the data is being loaded\n".to_owned(),
            (false, Some(reason)) => format!("not ready: {reason}\n"),
        }
    }
}
