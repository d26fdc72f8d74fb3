//! A running service: opened, filled, listening, and stopped in order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use lastro_access::{KeyRing, RegistrationLimits, TrustedProxies};
use lastro_ingest::fetch::Fetcher;
use lastro_ingest::lease::LeaseHolder;
use lastro_ingest::report::Lines;
use lastro_ingest::sync::{Publishers, Sync};
use lastro_model::{Clock, Source};
use lastro_store::{DATABASE_ID, Store};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::clock::random_hex;
use crate::http::connections::{self, Limits};
use crate::http::routes::ROUTES;
use crate::jobs::forget::Retention;
use crate::jobs::supervisor::Supervisor;
use crate::jobs::{flush, forget, sweep, synchronise};
use crate::metrics::Metrics;
use crate::refresh::follow;
use crate::refresh::snapshot_file::SnapshotFile;
use crate::state::{App, Parts};
use crate::webhooks::{self, dispatcher};
use crate::{admin, http, pepper, sample};

/// What a service is started with.
#[derive(Debug)]
pub struct Options {
    pub store: Arc<dyn Store>,
    /// How often is looked at what other processes wrote into the store.
    pub poll_interval: Duration,
    pub clock: Arc<dyn Clock>,
    pub pepper_file: PathBuf,
    /// Where the built filings are kept between runs; `None` builds them at every start.
    pub index_dir: Option<PathBuf>,
    pub listen: SocketAddr,
    pub admin_listen: Option<SocketAddr>,
    pub trusted_proxies: TrustedProxies,
    pub registrations: RegistrationLimits,
    pub limiter_capacity: usize,
    /// How many keys are kept in memory before those make room that were not used for longest.
    pub key_cache: usize,
    pub connections: Limits,
    pub webhooks: webhooks::Settings,
    /// `None` serves what the store holds and asks nobody.
    pub synchronisation: Option<Synchronisation>,
}

/// How the data is kept fresh.
#[derive(Debug)]
pub struct Synchronisation {
    pub fetcher: Fetcher,
    pub publishers: Publishers,
    /// The first year of filings.
    pub since: i16,
    pub lease_holder: LeaseHolder,
    /// How often is looked whether something is due.
    pub poll_interval: Duration,
}

/// A service that answers. Dropping it without [`Service::stop`] leaves its tasks to the runtime.
#[derive(Debug)]
pub struct Service {
    pub app: Arc<App>,
    pub address: SocketAddr,
    pub admin_address: Option<SocketAddr>,
    stop_serving: watch::Sender<bool>,
    serving: JoinHandle<()>,
    jobs: Supervisor,
}

impl Service {
    /// Returns when the first request can be answered. Both ports are taken at once, so a conflict is told early.
    pub async fn start(mut options: Options) -> anyhow::Result<Self> {
        let listener = bind(options.listen).await?;
        stay_close_to_clients(&listener, options.connections.send_timeout);
        let admin_listener = match options.admin_listen {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let address = listener.local_addr()?;
        let admin_address = admin_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let poll_interval = options.poll_interval;
        let synchronisation = options.synchronisation.take();
        let app = Arc::new(open(options).await?);

        let mut jobs =
            Supervisor::new(Arc::clone(&app.jobs), Arc::clone(&app.metrics), Arc::clone(&app.clock));
        if let Some(listener) = admin_listener.map(Arc::new) {
            jobs.start("admin", &app, move |app, stop| admin::serve(app, Arc::clone(&listener), stop));
        }
        fill(&app).await?;
        start_jobs(&mut jobs, &app, poll_interval);
        if let Some(synchronisation) = synchronisation {
            start_synchronisation(&mut jobs, &app, synchronisation);
        }
        app.ready.store(true, Ordering::Release);
        let (stop_serving, serving_stop) = watch::channel(false);
        let serving = tokio::spawn(http::listener::serve(Arc::clone(&app), listener, serving_stop));
        Ok(Self { app, address, admin_address, stop_serving, serving, jobs })
    }

    /// Finishes what is running, then writes what was counted.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.app.draining.store(true, Ordering::Release);
        self.stop_serving.send_replace(true);
        let served = self.serving.await;
        self.jobs.stop().await;
        self.app.usage_flusher.flush_last().await?;
        served.context("the listener failed")
    }
}

fn start_jobs(jobs: &mut Supervisor, app: &Arc<App>, poll_interval: Duration) {
    let wanted = Arc::new(follow::Wanted::new(None));
    let looked_at = Arc::clone(&wanted);
    jobs.start("follow", app, move |app, stop| follow::run(app, Arc::clone(&looked_at), poll_interval, stop));
    jobs.start("rebuild", app, move |app, stop| follow::rebuild(app, Arc::clone(&wanted), stop));
    jobs.start("flush", &app.usage_flusher, flush::run);
    jobs.start("sweep", app, sweep::run);
    jobs.start("connections", &app.connections, connections::sweep::run);
    jobs.start("webhooks", &app.webhooks, dispatcher::run);
    let retention = Retention { store: Arc::clone(&app.store), clock: Arc::clone(&app.clock) };
    jobs.start("forget", &Arc::new(retention), forget::run);
}

fn start_synchronisation(jobs: &mut Supervisor, app: &Arc<App>, synchronisation: Synchronisation) {
    let Synchronisation { fetcher, publishers, since, lease_holder, poll_interval } = synchronisation;
    let (store, clock) = (Arc::clone(&app.store), Arc::clone(&app.clock));
    let report = Box::new(Lines { every_step: false });
    let sync =
        Arc::new(Sync { store, clock, fetcher, publishers, since, lease_holder, accept: Vec::new(), report });
    for source in Source::ALL {
        let sync = Arc::clone(&sync);
        jobs.start(format!("sync:{source}"), app, move |app, stop| {
            synchronise::run(app, Arc::clone(&sync), source, poll_interval, stop)
        });
    }
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// What the system may take over of an answer before the client does. Beyond that a socket takes no more, so that we see
/// whether the client does. What it has taken it gives up, like us, when the client takes nothing for so long: else it
/// would keep it for minutes after we have hung up. Connections inherit both.
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

async fn open(options: Options) -> anyhow::Result<App> {
    let store = options.store;
    let pepper = pepper::of(&*store, &options.pepper_file).await?;
    let database = store.setting(DATABASE_ID).await?.context("the database has no name")?;
    App::new(Parts {
        clock: options.clock,
        store,
        keys: KeyRing::new(pepper, options.key_cache),
        proxies: options.trusted_proxies,
        boot: random_hex(16),
        snapshot_file: options.index_dir.map(|directory| SnapshotFile::new(directory, database.clone())),
        database,
        limiter_capacity: options.limiter_capacity,
        registrations: options.registrations,
        connections: options.connections,
        metrics: Metrics::new(ROUTES.iter().map(|route| route.endpoint)),
        webhooks: options.webhooks,
    })
}

/// Brings keys and data into memory; an empty store gets the sample first.
async fn fill(app: &App) -> anyhow::Result<()> {
    let now = app.clock.now().timestamp();
    sample::fill_if_empty(&*app.store, now).await.context("cannot write the built-in sample")?;
    let counters = app.store.counters().await?;
    app.keys.start_at(counters.key_revision);
    follow::follow_data(app, &counters).await?;
    if app.freshness.load().iter().any(|state| state.sample) {
        tracing::warn!("serving the built-in SAMPLE: made-up data, for trying the service out");
    }
    Ok(())
}
