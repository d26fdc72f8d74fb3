//! The lifecycle of a service: open, load, listen, and stop in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_background::clock::{random_fraction, random_hex};
use lastro_background::jobs::forget::Retention;
use lastro_background::jobs::supervisor::Supervisor;
use lastro_background::jobs::synchronise::Observed;
use lastro_background::jobs::{Worked, start_shared_limits};
use lastro_background::metrics::Metrics;
use lastro_background::operations::Operations;
use lastro_background::refresh::follow::{self, Follower};
use lastro_background::tls;
use lastro_config::{Serve, Switch};
use lastro_ingest::fetch::Fetcher;
use lastro_ingest::lease::LeaseHolder;
use lastro_ingest::report::Lines;
use lastro_ingest::spool::Spool;
use lastro_ingest::sync::Synchronizer;
use lastro_ingest::turns::Turns;
use lastro_model::Clock;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http::app::App;
use crate::http::routes::ROUTES;
use crate::http::{certificate, connections};
use crate::listeners::Listeners;
use crate::setup::Setup;
use crate::{admin, http, sample};

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
            start_shared_limits(&mut jobs, quota);
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
    let (store, served) = (Arc::clone(&app.access.store), Arc::clone(&app.served));
    let clock = store_clock(app);
    let worked = Worked {
        follower,
        poll_interval: settings.poll_interval,
        replicas: &app.operations.replicas,
        webhooks: &app.webhooks,
        retention: Retention { store, served, clock, changes_days: settings.changes_days },
    };
    lastro_background::jobs::start(jobs, worked);
    jobs.start("connections", &app.connections, connections::sweep::run);
    if let Some(certificate) = &app.certificate {
        jobs.start("certificate", certificate, certificate::run);
    }
    if let Some(billing) = &app.billing {
        billing.start_job(jobs);
    }
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
    lastro_background::jobs::start_synchronisation(jobs, &observed, &sync, *sync_poll_interval);
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

/// Loads the data into memory; an empty store gets the sample first.
async fn fill(follower: &Follower) -> anyhow::Result<()> {
    let Follower { served, access, clock, .. } = follower;
    let now = clock.now().timestamp();
    sample::fill_if_empty(&*access.store, now).await.context("cannot write the built-in sample")?;
    follow::load(follower).await?;
    if served.freshness.load().iter().any(|state| state.sample) {
        tracing::warn!("serving the built-in SAMPLE: made-up data, for trying the service out");
    }
    Ok(())
}
