//! Keeps background jobs running: one that panics, or ends before the service does, is restarted after a pause.
//!
//! Every death is logged and counted. A job that dies repeatedly is reported in `/health` and in the metrics. Requests
//! are answered from memory meanwhile, so the service stays ready.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use lastro_model::{Clock, Now, panic_message};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::metrics::Metrics;
use crate::metrics::prometheus::{Exposition, Kind};
use crate::wait::stopped;

/// Pause before the first restart, doubled with each further death in a row.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Run time after which a job counts as well: its next death is the first of a new row.
const WELL_AFTER: Duration = Duration::from_secs(5 * 60);
/// Deaths in a row after which a job counts as failing.
const FAILING_AFTER: u32 = 3;
/// Time limit for all jobs together to end at shutdown: one may wait for a store that does not reply.
const ENDED_WITHIN: Duration = Duration::from_secs(10);

/// Starts one run of a job.
type Job<'j> = Box<dyn Fn() -> BoxFuture<'j, ()> + Send + Sync + 'j>;

/// Starts, restarts and stops jobs.
#[derive(Debug)]
pub struct Supervisor {
    jobs: Arc<Jobs>,
    metrics: Arc<Metrics>,
    clock: Arc<dyn Clock>,
    stop: watch::Sender<bool>,
    /// Tasks with their job names.
    running: Vec<(String, JoinHandle<()>)>,
}

impl Supervisor {
    pub fn new(jobs: Arc<Jobs>, metrics: Arc<Metrics>, clock: Arc<dyn Clock>) -> Self {
        Self { jobs, metrics, clock, stop: watch::Sender::new(false), running: Vec::new() }
    }

    /// Runs `job` with its context until the service stops, restarting it whenever it ends. A job receives the stop
    /// signal and must end itself.
    pub fn start<C, F>(
        &mut self,
        name: impl Into<String>,
        context: &Arc<C>,
        job: impl Fn(Arc<C>, watch::Receiver<bool>) -> F + Send + Sync + 'static,
    ) where
        C: Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let (context, stop) = (Arc::clone(context), self.stop.subscribe());
        self.spawn(name.into(), Box::new(move || job(Arc::clone(&context), stop.clone()).boxed()));
    }

    /// Spawns a job. It is not generic, so that it is not compiled anew for each job.
    fn spawn(&mut self, name: String, job: Job<'static>) {
        let (jobs, metrics) = (Arc::clone(&self.jobs), Arc::clone(&self.metrics));
        let (clock, mut stop, running_as) = (Arc::clone(&self.clock), self.stop.subscribe(), name.clone());
        let running = tokio::spawn(async move {
            let supervised = Supervised { name: &name, jobs: &jobs, metrics: &metrics, clock: &*clock };
            keep_running(supervised, &job, &mut stop).await;
        });
        self.running.push((running_as, running));
    }

    /// Returns when every job has ended. A job that takes too long is aborted.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        let deadline = tokio::time::Instant::now() + ENDED_WITHIN;
        let mut cut_off = Vec::new();
        for (name, mut job) in self.running {
            match tokio::time::timeout_at(deadline, &mut job).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::error!(job = name, %error, "a background job ended with an error");
                }
                Err(_) => {
                    job.abort();
                    cut_off.push(name);
                }
            }
        }
        if !cut_off.is_empty() {
            let jobs = cut_off.join(", ");
            tracing::warn!(jobs, "some background jobs did not end within {ENDED_WITHIN:?} and were aborted");
        }
    }
}

/// One job, and the places where its starts and deaths are recorded.
#[derive(Clone, Copy)]
struct Supervised<'a> {
    name: &'a str,
    jobs: &'a Jobs,
    metrics: &'a Metrics,
    clock: &'a dyn Clock,
}

async fn keep_running(supervised: Supervised<'_>, job: &Job<'_>, stop: &mut watch::Receiver<bool>) {
    loop {
        supervised.jobs.note_start(supervised.name, supervised.clock.now());
        let ended = AssertUnwindSafe(async { job().await }).catch_unwind().await;
        let reason = match &ended {
            Err(panic) => {
                supervised.metrics.panics.fetch_add(1, Ordering::Relaxed);
                panic_message(&**panic)
            }
            Ok(()) if is_over(stop) => return,
            Ok(()) => "it ended by itself",
        };
        let deaths = supervised.jobs.note_death(supervised.name, supervised.clock.now());
        let pause = pause_after(deaths);
        tracing::error!(
            job = supervised.name,
            deaths,
            ?pause,
            "a background job died and is restarted: {reason}"
        );
        if deaths == FAILING_AFTER {
            tracing::error!(job = supervised.name, "this job keeps dying; its work is not being done");
        }
        tokio::select! {
            () = stopped(stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Whether the service stops, or the sender of the stop signal is gone.
fn is_over(stop: &watch::Receiver<bool>) -> bool {
    *stop.borrow() || stop.has_changed().is_err()
}

fn pause_after(deaths: u32) -> Duration {
    let doublings = deaths.saturating_sub(1).min(6);
    (FIRST_PAUSE * 2_u32.pow(doublings)).min(LONGEST_PAUSE)
}

/// The states of this process's jobs by name.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<BTreeMap<String, JobState>>);

#[derive(Debug, Default)]
struct JobState {
    restarts: u64,
    /// Deaths in a row; `since` is the time of the first.
    deaths: u32,
    since: Timestamp,
    /// By the monotonic clock; `None` during a pause.
    running_since_ns: Option<u64>,
}

impl JobState {
    fn is_well(&self, now: Now) -> bool {
        let well_ns = WELL_AFTER.as_nanos() as u64;
        self.running_since_ns.is_some_and(|since| now.monotonic_ns.saturating_sub(since) >= well_ns)
    }

    fn is_failing(&self, now: Now) -> bool {
        self.deaths >= FAILING_AFTER && !self.is_well(now)
    }
}

/// A job that dies repeatedly, as shown in `/health`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct FailingJob {
    pub name: String,
    /// Since the process started.
    pub restarts: u64,
    /// Time of its first death in a row.
    pub since: Timestamp,
}

impl Jobs {
    fn note_start(&self, name: &str, now: Now) {
        let mut jobs = self.0.lock();
        let state = jobs.entry(name.to_owned()).or_default();
        state.running_since_ns = Some(now.monotonic_ns);
        state.restarts += u64::from(state.deaths > 0);
    }

    /// Records a death and returns the number of deaths in a row.
    fn note_death(&self, name: &str, now: Now) -> u32 {
        let mut jobs = self.0.lock();
        let state = jobs.entry(name.to_owned()).or_default();
        if state.deaths == 0 || state.is_well(now) {
            (state.deaths, state.since) = (0, now.timestamp());
        }
        state.running_since_ns = None;
        state.deaths = state.deaths.saturating_add(1);
        state.deaths
    }

    pub fn failing(&self, now: Now) -> Vec<FailingJob> {
        let jobs = self.0.lock();
        let failing = jobs.iter().filter(|(_, state)| state.is_failing(now));
        let shown = |(name, state): (&String, &JobState)| FailingJob {
            name: name.clone(),
            restarts: state.restarts,
            since: state.since,
        };
        failing.map(shown).collect()
    }

    /// Writes the metrics.
    pub fn render(&self, now: Now, out: &mut Exposition) {
        let jobs = self.0.lock();
        let help = "Starts of a background job after it died.";
        let mut family = out.family("lastro_job_restarts_total", Kind::Counter, help);
        for (name, state) in jobs.iter() {
            family.sample(&[("job", name)], state.restarts);
        }
        let help = "Whether a background job keeps dying.";
        let mut family = out.family("lastro_job_failing", Kind::Gauge, help);
        for (name, state) in jobs.iter() {
            family.sample(&[("job", name)], u8::from(state.is_failing(now)));
        }
    }
}

#[cfg(test)]
mod tests;
