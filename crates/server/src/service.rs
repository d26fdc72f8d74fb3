//! A running service: opened, filled, listening, and stopped in order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use lastro_access::{KeyRing, TrustedProxies};
use lastro_model::Clock;
use lastro_store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::clock::random_hex;
use crate::http::connections::{self, Limits};
use crate::ingest::fetch::Fetcher;
use crate::ingest::lease::Tenant;
use crate::ingest::report::Lines;
use crate::ingest::shelf::Shelf;
use crate::ingest::sync::{Publishers, Sync};
use crate::ingest::{made_up, schedule};
use crate::jobs::{flush, fold, follow, forget, sweep};
use crate::state::{App, Parts};
use crate::webhooks::{self, Webhooks, dispatcher};
use crate::{admin, http, pepper};

/// What a service is started with.
#[derive(Debug)]
pub struct Options {
    pub store: Arc<dyn Store>,
    /// How often is looked at what other processes wrote into the store.
    pub look: Duration,
    pub clock: Arc<dyn Clock>,
    pub pepper_file: PathBuf,
    /// Where the built filings are kept between runs; `None` builds them at every start.
    pub index_dir: Option<PathBuf>,
    pub listen: SocketAddr,
    pub admin_listen: Option<SocketAddr>,
    pub trusted_proxies: TrustedProxies,
    pub registrations_per_hour: u32,
    pub limiter_capacity: usize,
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
    pub tenant: Tenant,
    /// How often is looked whether something is due.
    pub look: Duration,
}

/// A service that answers. Dropping it without [`Service::stop`] leaves its tasks to the runtime.
#[derive(Debug)]
pub struct Service {
    pub app: Arc<App>,
    pub address: SocketAddr,
    pub admin_address: Option<SocketAddr>,
    stop_serving: watch::Sender<bool>,
    stop_jobs: watch::Sender<bool>,
    serving: JoinHandle<()>,
    jobs: Vec<JoinHandle<()>>,
}

impl Service {
    /// Returns when the first request can be answered. Both ports are taken at once, so a conflict is told early.
    pub async fn start(mut options: Options) -> anyhow::Result<Self> {
        let listener = bind(options.listen).await?;
        stay_close_to_clients(&listener);
        let admin_listener = match options.admin_listen {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let address = listener.local_addr()?;
        let admin_address = admin_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let look = options.look;
        let synchronisation = options.synchronisation.take();
        let app = Arc::new(open(options).await?);

        let (stop_serving, serving_stop) = watch::channel(false);
        let (stop_jobs, jobs_stop) = watch::channel(false);
        let mut jobs = Vec::new();
        if let Some(listener) = admin_listener {
            jobs.push(tokio::spawn(admin::serve(Arc::clone(&app), listener, jobs_stop.clone())));
        }
        fill(&app).await?;
        jobs.push(tokio::spawn(follow::run(Arc::clone(&app), look, jobs_stop.clone())));
        jobs.push(tokio::spawn(fold::run(Arc::clone(&app), jobs_stop.clone())));
        jobs.push(tokio::spawn(flush::run(Arc::clone(&app), jobs_stop.clone())));
        jobs.push(tokio::spawn(sweep::run(Arc::clone(&app), jobs_stop.clone())));
        jobs.push(tokio::spawn(connections::sweep::run(Arc::clone(&app.connections), jobs_stop.clone())));
        jobs.push(tokio::spawn(dispatcher::run(Arc::clone(&app), jobs_stop.clone())));
        jobs.push(tokio::spawn(forget::run(Arc::clone(&app), jobs_stop.clone())));
        if let Some(Synchronisation { fetcher, publishers, since, tenant, look }) = synchronisation {
            let (store, clock) = (Arc::clone(&app.store), Arc::clone(&app.clock));
            let report = Box::new(Lines { every_step: false });
            let sync = Sync { store, clock, fetcher, publishers, since, tenant, accept: Vec::new(), report };
            jobs.push(tokio::spawn(schedule::run(Arc::clone(&app), sync, look, jobs_stop)));
        }
        app.ready.store(true, Ordering::Release);
        let serving = tokio::spawn(http::listener::serve(Arc::clone(&app), listener, serving_stop));
        Ok(Self { app, address, admin_address, stop_serving, stop_jobs, serving, jobs })
    }

    /// Finishes what is running, then writes what was counted.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.app.draining.store(true, Ordering::Release);
        self.stop_serving.send_replace(true);
        self.serving.await.context("the listener failed")?;
        self.stop_jobs.send_replace(true);
        for job in self.jobs {
            job.await.context("a background job failed")?;
        }
        flush::last(&self.app).await
    }
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// What the system may take over of an answer before the client does. Beyond that a socket takes no more, so that we see
/// whether the client does. Connections inherit it.
#[cfg(target_os = "linux")]
fn stay_close_to_clients(listener: &TcpListener) {
    const AHEAD_OF_THE_CLIENT: u32 = 128 * 1024;
    if let Err(error) = socket2::SockRef::from(listener).set_tcp_notsent_lowat(AHEAD_OF_THE_CLIENT) {
        tracing::debug!(%error, "the system decides by itself how much it takes ahead of clients");
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_close_to_clients(_: &TcpListener) {}

async fn open(options: Options) -> anyhow::Result<App> {
    let store = options.store;
    let pepper = pepper::of(&*store, &options.pepper_file).await?;
    let database = store.setting_or("database_id", &random_hex(8)).await?;
    Ok(App::new(Parts {
        clock: options.clock,
        store,
        keys: KeyRing::new(pepper),
        proxies: options.trusted_proxies,
        boot: random_hex(16),
        shelf: options.index_dir.map(|directory| Shelf::new(directory, database.clone())),
        database,
        limiter_capacity: options.limiter_capacity,
        registrations_per_hour: options.registrations_per_hour,
        connections: options.connections,
        webhooks: Webhooks::new(options.webhooks)?,
    }))
}

/// Brings keys and data into memory; an empty store gets the sample first.
async fn fill(app: &App) -> anyhow::Result<()> {
    let now = jiff::Timestamp::from_millisecond(app.clock.now().unix_ms)?;
    made_up::fill_if_empty(&*app.store, now).await.context("cannot write the built-in sample")?;
    follow::take_over_keys(app).await?;
    let counters = app.store.counters().await?;
    follow::follow_data(app, &counters).await?;
    if app.freshness.load().iter().any(|state| state.sample) {
        tracing::warn!("serving the built-in SAMPLE: made-up data, for trying the service out");
    }
    Ok(())
}
