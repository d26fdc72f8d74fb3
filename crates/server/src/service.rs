//! The lifecycle of a service: open, load, listen, and stop in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
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

use crate::access::usage_flusher;
use crate::clock::{random_fraction, random_hex};
use crate::config::{Serve, Switch};
use crate::http::app::App;
use crate::http::routes::ROUTES;
use crate::http::{certificate, connections};
use crate::jobs::forget::Retention;
use crate::jobs::supervisor::Supervisor;
use crate::jobs::synchronise::Observed;
use crate::jobs::{forget, shared_limits, sweep, synchronise};
use crate::metrics::Metrics;
use crate::operations::Operations;
use crate::refresh::follow::{self, Follower};
use crate::replicas;
use crate::setup::Setup;
use crate::webhooks::dispatcher;
use crate::{admin, billing, http, sample, tls};

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
    /// Returns when the first request can be answered. Both ports are bound first, so a conflict is reported early.
    /// Not an async function: its code would be generated again in each crate that calls it, such as the tests.
    pub fn start(setup: Setup) -> BoxFuture<'static, anyhow::Result<Self>> {
        Self::started(setup).boxed()
    }

    async fn started(setup: Setup) -> anyhow::Result<Self> {
        let settings = &setup.settings;
        let listener = bind(settings.listen).await?;
        stay_close_to_clients(&listener, settings.connections.send_timeout);
        let admin_listener = match settings.admin_listen.0 {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let address = listener.local_addr()?;
        let admin_address = admin_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let metrics = Metrics::new(ROUTES.iter().map(|route| (route.endpoint, route.class())));
        let (app, follower) = setup.open(metrics).await?;
        let (app, follower) = (Arc::new(app), Arc::new(follower));

        let Operations { jobs, metrics, replicas, ready, .. } = &app.operations;
        let mut jobs = Supervisor::new(Arc::clone(jobs), Arc::clone(metrics), Arc::clone(&app.clock));
        if let Some(listener) = admin_listener.map(Arc::new) {
            jobs.start("admin", &app, move |app, stop| admin::serve(app, Arc::clone(&listener), stop));
        }
        if let Some(quota) = &app.access.quota {
            quota.connect().await;
            jobs.start("redis", quota, shared_limits::run);
        }
        fill(&follower).await?;
        replicas.beat().await;
        start_jobs(&mut jobs, &app, &follower, settings.poll_interval);
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

fn start_jobs(jobs: &mut Supervisor, app: &App, follower: &Arc<Follower>, poll_interval: Duration) {
    let wanted = Arc::new(follow::Wanted::new(None));
    let looked_at = Arc::clone(&wanted);
    jobs.start("follow", follower, move |follower, stop| {
        follow::run(follower, Arc::clone(&looked_at), poll_interval, stop)
    });
    jobs.start("rebuild", follower, move |follower, stop| {
        follow::rebuild(follower, Arc::clone(&wanted), stop)
    });
    jobs.start("flush", &app.access.usage_flusher, usage_flusher::run);
    let clock = Arc::clone(&app.clock);
    jobs.start("sweep", &app.access, move |access, stop| sweep::run(access, Arc::clone(&clock), stop));
    jobs.start("connections", &app.connections, connections::sweep::run);
    jobs.start("replicas", &app.operations.replicas, replicas::run);
    if let Some(certificate) = &app.certificate {
        jobs.start("certificate", certificate, certificate::run);
    }
    jobs.start("webhooks", &app.webhooks, dispatcher::run);
    if let Some(billing) = &app.billing {
        jobs.start("billing", billing, billing::job::run);
    }
    let retention = Retention { store: Arc::clone(&app.access.store), clock: store_clock(app) };
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

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// Limits how much of a response the system buffers ahead of the client: a socket accepts no more, so the service sees
/// whether the client reads. The system drops the buffered part when the client reads nothing for the timeout;
/// otherwise it would keep it for minutes after the connection is closed. Connections inherit both settings.
#[cfg(target_os = "linux")]
fn stay_close_to_clients(listener: &TcpListener, send_timeout: Duration) {
    const AHEAD_OF_THE_CLIENT: u32 = 128 * 1024;
    let socket = socket2::SockRef::from(listener);
    let set = socket.set_tcp_notsent_lowat(AHEAD_OF_THE_CLIENT);
    if let Err(error) = set.and_then(|()| socket.set_tcp_user_timeout(Some(send_timeout))) {
        tracing::debug!(%error, "the system decides by itself how much it takes ahead of clients, and for how long");
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_close_to_clients(_: &TcpListener, _: Duration) {}

/// Loads the data into memory; an empty store gets the sample first. Keys are followed from the current revision.
async fn fill(follower: &Follower) -> anyhow::Result<()> {
    let Follower { served, access, clock, .. } = follower;
    let now = clock.now().timestamp();
    sample::fill_if_empty(&*access.store, now).await.context("cannot write the built-in sample")?;
    let counters = access.store.counters().await?;
    access.keys.start_at(counters.key_revision);
    follow::follow_data(follower, &counters).await?;
    if served.freshness.load().iter().any(|state| state.sample) {
        tracing::warn!("serving the built-in SAMPLE: made-up data, for trying the service out");
    }
    Ok(())
}
