//! Background jobs. Each is one loop that ends when the service stops. [`supervisor`] starts it, and restarts it if it
//! ends earlier.
//!
//! The jobs of this crate are started here, because the code of an async function is generated in the crate that calls it.

pub mod forget;
mod shared_limits;
pub mod supervisor;
mod sweep;
pub mod synchronise;

use std::sync::Arc;
use std::time::Duration;

use forget::Retention;
use lastro_ingest::sync::Synchronizer;
use lastro_model::{Clock, Source};
use lastro_quota::Quota;
use supervisor::Supervisor;
use synchronise::Observed;

use crate::access::usage_flusher;
use crate::changes::waiting;
use crate::refresh::follow::{self, Follower};
use crate::refresh::replacements;
use crate::replicas::{self, Replicas};
use crate::webhooks::{Webhooks, dispatcher};

/// The parts of a service that have jobs.
#[derive(Debug)]
pub struct Worked<'a> {
    pub follower: &'a Arc<Follower>,
    pub poll_interval: Duration,
    pub replicas: &'a Arc<Replicas>,
    pub webhooks: &'a Arc<Webhooks>,
    pub retention: Retention,
}

/// Starts all jobs but those that need Redis or the publishers.
pub fn start(jobs: &mut Supervisor, worked: Worked<'_>) {
    let Worked { follower, poll_interval, replicas, webhooks, retention } = worked;
    jobs.start("follow", follower, move |follower, stop| follow::run(follower, poll_interval, stop));
    jobs.start("rebuild", follower, follow::rebuild);
    jobs.start("replacements", follower, replacements::run);
    jobs.start("flush", &follower.access.usage_flusher, usage_flusher::run);
    let clock: Arc<dyn Clock> = Arc::clone(&follower.clock);
    jobs.start("sweep", &follower.access, move |access, stop| sweep::run(access, Arc::clone(&clock), stop));
    jobs.start("replicas", replicas, replicas::run);
    jobs.start("webhooks", webhooks, dispatcher::run);
    jobs.start("changes", &follower.changes, waiting::run);
    jobs.start("forget", &Arc::new(retention), forget::run);
}

/// Starts the job that keeps the connection to Redis.
pub fn start_shared_limits(jobs: &mut Supervisor, quota: &Arc<Quota>) {
    jobs.start("redis", quota, shared_limits::run);
}

/// Starts one job for each source.
pub fn start_synchronisation(
    jobs: &mut Supervisor,
    observed: &Arc<Observed>,
    sync: &Arc<Synchronizer>,
    poll_interval: Duration,
) {
    for source in Source::ALL {
        let sync = Arc::clone(sync);
        jobs.start(format!("sync:{source}"), observed, move |observed, stop| {
            synchronise::run(observed, Arc::clone(&sync), source, poll_interval, stop)
        });
    }
}
