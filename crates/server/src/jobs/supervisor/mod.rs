//! Keeps background jobs running: one that panics, or ends before the service does, is started again after a pause.
//!
//! Every death is named in the log and counted. A job that dies again and again is told in `/health` and in the metrics;
//! requests are answered from memory meanwhile, so the service stays ready.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use jiff::Timestamp;
use lastro_model::{Clock, Now, panic_message};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::stopped;
use crate::metrics::Metrics;
use crate::state::App;

/// The pause before a start, doubled with each death in a row.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A job that has run so long is well: its next death is the first of a new row.
const WELL_AFTER: Duration = Duration::from_secs(5 * 60);
/// So many deaths in a row are no accident.
const FAILING_AFTER: u32 = 3;

/// Starts jobs, watches over them, and stops them.
#[derive(Debug)]
pub struct Supervisor {
    app: Arc<App>,
    stop: watch::Sender<bool>,
    running: Vec<JoinHandle<()>>,
}

impl Supervisor {
    pub fn new(app: Arc<App>) -> Self {
        Self { app, stop: watch::Sender::new(false), running: Vec::new() }
    }

    /// Runs what `job` makes, again and again, until the service stops. A job is told of the stop and must end itself.
    pub fn start<F>(
        &mut self,
        name: impl Into<String>,
        job: impl Fn(Arc<App>, watch::Receiver<bool>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let (app, name, mut stop) = (Arc::clone(&self.app), name.into(), self.stop.subscribe());
        let told = stop.clone();
        self.running.push(tokio::spawn(async move {
            let ward = Ward { name: &name, jobs: &app.jobs, metrics: &app.metrics, clock: &*app.clock };
            keep_running(ward, || job(Arc::clone(&app), told.clone()), &mut stop).await;
        }));
    }

    /// Returns when every job has ended.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        for job in self.running {
            if let Err(error) = job.await {
                tracing::error!(%error, "a background job did not end in order");
            }
        }
    }
}

/// One job, and where its fate is written down.
#[derive(Clone, Copy)]
struct Ward<'a> {
    name: &'a str,
    jobs: &'a Jobs,
    metrics: &'a Metrics,
    clock: &'a dyn Clock,
}

async fn keep_running<F>(ward: Ward<'_>, job: impl Fn() -> F, stop: &mut watch::Receiver<bool>)
where
    F: Future<Output = ()>,
{
    loop {
        ward.jobs.note_start(ward.name, ward.clock.now());
        let ended = AssertUnwindSafe(async { job().await }).catch_unwind().await;
        let reason = match &ended {
            Err(panic) => {
                ward.metrics.panics.fetch_add(1, Ordering::Relaxed);
                panic_message(&**panic)
            }
            Ok(()) if is_over(stop) => return,
            Ok(()) => "it ended by itself",
        };
        let deaths = ward.jobs.note_death(ward.name, ward.clock.now());
        let pause = pause_after(deaths);
        tracing::error!(
            job = ward.name,
            deaths,
            ?pause,
            "a background job died and is started again: {reason}"
        );
        if deaths == FAILING_AFTER {
            tracing::error!(job = ward.name, "this job dies again and again; what it does is not being done");
        }
        tokio::select! {
            () = stopped(stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Whoever could still say stop may also be gone.
fn is_over(stop: &watch::Receiver<bool>) -> bool {
    *stop.borrow() || stop.has_changed().is_err()
}

fn pause_after(deaths: u32) -> Duration {
    let doublings = deaths.saturating_sub(1).min(6);
    (FIRST_PAUSE * 2_u32.pow(doublings)).min(LONGEST_PAUSE)
}

/// The jobs of this process by name, and how they fare.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<BTreeMap<String, Fortune>>);

#[derive(Debug, Default)]
struct Fortune {
    restarts: u64,
    /// In a row, and when the first of them was.
    deaths: u32,
    since_unix_ms: i64,
    /// By the monotonic clock; `None` while it pauses.
    running_since_ns: Option<u64>,
}

impl Fortune {
    fn is_well(&self, now: Now) -> bool {
        let well_ns = WELL_AFTER.as_nanos() as u64;
        self.running_since_ns.is_some_and(|since| now.monotonic_ns.saturating_sub(since) >= well_ns)
    }

    fn is_failing(&self, now: Now) -> bool {
        self.deaths >= FAILING_AFTER && !self.is_well(now)
    }
}

/// A job that dies again and again, as `/health` tells of it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct FailingJob {
    pub name: String,
    /// Since the process started.
    pub restarts: u64,
    /// Its first death in a row.
    pub since: Timestamp,
}

impl Jobs {
    fn note_start(&self, name: &str, now: Now) {
        let mut jobs = self.0.lock();
        let fortune = jobs.entry(name.to_owned()).or_default();
        fortune.running_since_ns = Some(now.monotonic_ns);
        fortune.restarts += u64::from(fortune.deaths > 0);
    }

    /// Says how many deaths in a row that makes.
    fn note_death(&self, name: &str, now: Now) -> u32 {
        let mut jobs = self.0.lock();
        let fortune = jobs.entry(name.to_owned()).or_default();
        if fortune.deaths == 0 || fortune.is_well(now) {
            (fortune.deaths, fortune.since_unix_ms) = (0, now.unix_ms);
        }
        fortune.running_since_ns = None;
        fortune.deaths = fortune.deaths.saturating_add(1);
        fortune.deaths
    }

    pub fn failing(&self, now: Now) -> Vec<FailingJob> {
        let jobs = self.0.lock();
        let failing = jobs.iter().filter(|(_, fortune)| fortune.is_failing(now));
        let shown = |(name, fortune): (&String, &Fortune)| FailingJob {
            name: name.clone(),
            restarts: fortune.restarts,
            since: Timestamp::from_millisecond(fortune.since_unix_ms).unwrap_or_default(),
        };
        failing.map(shown).collect()
    }

    /// In the Prometheus text format.
    pub fn render(&self, now: Now, out: &mut String) {
        let jobs = self.0.lock();
        out.push_str("# HELP lastro_job_restarts_total Starts of a background job after it died.\n# TYPE lastro_job_restarts_total counter\n");
        for (name, fortune) in jobs.iter() {
            let _ = writeln!(out, "lastro_job_restarts_total{{job=\"{name}\"}} {}", fortune.restarts);
        }
        out.push_str("# HELP lastro_job_failing Whether a background job dies again and again.\n# TYPE lastro_job_failing gauge\n");
        for (name, fortune) in jobs.iter() {
            let failing = u8::from(fortune.is_failing(now));
            let _ = writeln!(out, "lastro_job_failing{{job=\"{name}\"}} {failing}");
        }
    }
}

#[cfg(test)]
mod tests;
