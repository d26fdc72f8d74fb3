//! The lifecycle of a service: open, load, listen, and stop in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_background::access::usage_flusher;
use lastro_background::changes::waiting;
use lastro_background::clock::{random_fraction, random_hex};
use lastro_background::jobs::forget::Retention;
use lastro_background::jobs::supervisor::Supervisor;
use lastro_background::jobs::synchronise::Observed;
use lastro_background::jobs::{forget, shared_limits, sweep, synchronise};
use lastro_background::metrics::Metrics;
use lastro_background::operations::Operations;
use lastro_background::refresh::follow::{self, Follower};
use lastro_background::refresh::{marks, replacements};
use lastro_background::replicas;
use lastro_background::tls;
use lastro_background::webhooks::dispatcher;
use lastro_config::{Serve, Switch};
use lastro_ingest::fetch::Fetcher;
use lastro_ingest::lease::LeaseHolder;
use lastro_ingest::report::Lines;
use lastro_ingest::spool::Spool;
use lastro_ingest::sync::Synchronizer;
use lastro_ingest::turns::Turns;
use lastro_model::{Clock, Source};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http::app::App;
use crate::http::routes::ROUTES;
use crate::http::{certificate, connections};
use crate::listeners::Listeners;
use crate::setup::Setup;
use crate::{admin, billing, http, sample};

/// Pause between attempts of the first write.
const WRITE_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A running service. Dropping it without [`Service::stop`] leaves its tasks to the runtime.
#[derive(Debug)]
pub struct Service {
    pub app: Arc<App>,
    pub follower: Arc<Follower>,
    pub address: SocketAddr,
    pub admin_address: Option<SocketAddr>,
    stop_serving: watch::Sender<bool>,
    serving: JoinHandle<()>,
    jobs: Supervisor,
}

impl Service {
    /// Returns when the first request can be answered and counted: not before a write to the database has succeeded.
    /// Not an async function: its code would be generated again in each crate that calls it, such as the tests.
    pub fn start(listeners: Listeners, setup: Setup) -> BoxFuture<'static, anyhow::Result<Self>> {
        Self::started(listeners, setup).boxed()
    }

    async fn started(listeners: Listeners, setup: Setup) -> anyhow::Result<Self> {
        let settings = &setup.settings;
        let Listeners { api: listener, admin: admin_listener, certificate } = listeners;
        let address = listener.local_addr()?;
        let admin_address = admin_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let metrics = Metrics::new(ROUTES.iter().map(|route| (route.endpoint, route.class())));
        let (app, follower) = setup.open(metrics, certificate).await?;
        let (app, follower) = (Arc::new(app), Arc::new(follower));

        let Operations { jobs, metrics, ready, .. } = &app.operations;
        let mut jobs = Supervisor::new(Arc::clone(jobs), Arc::clone(metrics), Arc::clone(&app.clock));
        if let Some(listener) = admin_listener.map(Arc::new) {
            jobs.start("admin", &app, move |app, stop| admin::serve(app, Arc::clone(&listener), stop));
        }
        if let Some(quota) = &app.access.quota {
            quota.connect().await;
            jobs.start("redis", quota, shared_limits::run);
        }
        fill(&follower).await?;
        until_written(&app).await;
        start_jobs(&mut jobs, &app, &follower, settings);
        if settings.sync == Switch::On {
            start_synchronisation(&mut jobs, &app, &setup)?;
        }
        ready.store(true, Ordering::Release);
        let (stop_serving, serving_stop) = watch::channel(false);
        let serving = tokio::spawn(http::listener::serve(Arc::clone(&app), listener, serving_stop));
        Ok(Self { app, follower, address, admin_address, stop_serving, serving, jobs })
    }

    /// Reports not ready from now on, so that load balancers go elsewhere. Requests are still answered.
    pub fn drain(&self) {
        self.app.operations.draining.store(true, Ordering::Release);
        self.app.changes.wakeups.close();
    }

    /// Finishes running requests, stops the jobs, then writes the usage counts, each within ten seconds.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.drain();
        self.stop_serving.send_replace(true);
        let served = self.serving.await;
        self.jobs.stop().await;
        self.app.access.usage_flusher.flush_last().await?;
        served.context("the listener failed")
    }
}

fn start_jobs(jobs: &mut Supervisor, app: &App, follower: &Arc<Follower>, settings: &Serve) {
    let (poll_interval, changes_days) = (settings.poll_interval, settings.changes_days);
    jobs.start("follow", follower, move |follower, stop| follow::run(follower, poll_interval, stop));
    jobs.start("rebuild", follower, follow::rebuild);
    jobs.start("replacements", follower, replacements::run);
    jobs.start("flush", &app.access.usage_flusher, usage_flusher::run);
    let clock = Arc::clone(&app.clock);
    jobs.start("sweep", &app.access, move |access, stop| sweep::run(access, Arc::clone(&clock), stop));
    jobs.start("connections", &app.connections, connections::sweep::run);
    jobs.start("replicas", &app.operations.replicas, replicas::run);
    if let Some(certificate) = &app.certificate {
        jobs.start("certificate", certificate, certificate::run);
    }
    jobs.start("webhooks", &app.webhooks, dispatcher::run);
    jobs.start("changes", &app.changes, waiting::run);
    if let Some(billing) = &app.billing {
        jobs.start("billing", billing, billing::job::run);
    }
    let (store, served) = (Arc::clone(&app.access.store), Arc::clone(&app.served));
    let retention = Retention { store, served, clock: store_clock(app), changes_days };
    jobs.start("forget", &Arc::new(retention), forget::run);
}

fn start_synchronisation(jobs: &mut Supervisor, app: &App, setup: &Setup) -> anyhow::Result<()> {
    let Serve { timeouts, publishers, since, sync_poll_interval, spool_dir, .. } = &setup.settings;
    let spool = Spool::of(spool_dir.clone(), &setup.common.database, Arc::clone(&setup.clock));
    let sync = Arc::new(Synchronizer {
        store: Arc::clone(&setup.store),
        clock: store_clock(app),
        fetcher: Fetcher::new(tls::client()?, timeouts.into(), random_fraction, spool)?,
        publishers: publishers.clone().into(),
        since: *since,
        lease_holder: LeaseHolder::new("lastro serve", &random_hex(6), timeouts.sync_lease),
        turns: Turns::default(),
        accept: Vec::new(),
        report: Box::new(Lines { every_step: false }),
    });
    let (served, metrics) = (Arc::clone(&app.served), Arc::clone(&app.operations.metrics));
    let observed = Arc::new(Observed { served, metrics });
    for source in Source::ALL {
        let (sync, poll_interval) = (Arc::clone(&sync), *sync_poll_interval);
        jobs.start(format!("sync:{source}"), &observed, move |observed, stop| {
            synchronise::run(observed, Arc::clone(&sync), source, poll_interval, stop)
        });
    }
    Ok(())
}

/// The clock for times that are compared between machines.
fn store_clock(app: &App) -> Arc<dyn Clock> {
    Arc::clone(&app.operations.replicas.clock) as Arc<dyn Clock>
}

/// Waits for the first successful write. Before it, no request could be counted, perhaps for as long as the process runs.
async fn until_written(app: &App) {
    let Operations { replicas, writes, .. } = &app.operations;
    loop {
        replicas.beat().await;
        // A failure of this write is noted, as is that of the heartbeat.
        let _ = app.access.usage_flusher.try_out().await;
        if writes.failure().is_none() {
            return;
        }
        tokio::time::sleep(WRITE_RETRY_PAUSE).await;
    }
}

/// Loads the data into memory; an empty store gets the sample first. Keys are followed from the current revision. The log
/// of changes is brought up to date later if a publication is under way, or if the database cannot be written.
async fn fill(follower: &Follower) -> anyhow::Result<()> {
    let Follower { served, access, clock, .. } = follower;
    let now = clock.now().timestamp();
    sample::fill_if_empty(&*access.store, now).await.context("cannot write the built-in sample")?;
    if let Err(error) = marks::log_replacements(&*access.store, clock.now()).await {
        tracing::info!(%error, "replaced sources are logged later");
        follower.unlogged.notify_one();
    }
    let counters = access.store.counters().await?;
    access.keys.start_at(counters.key_revision);
    follow::follow_data(follower, &counters).await?;
    if served.freshness.load().iter().any(|state| state.sample) {
        tracing::warn!("serving the built-in SAMPLE: made-up data, for trying the service out");
    }
    Ok(())
}
