//! `lastro serve`: runs until it is told to stop.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;

use lastro_access::TrustedProxies;
use lastro_ingest::fetch::Fetcher;
use lastro_ingest::lease::LeaseHolder;
use lastro_ingest::schedule;
use lastro_ingest::spool::Spool;
use lastro_model::Clock;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::clock::{SystemClock, random_fraction, random_hex};
use crate::config::{Common, Serve, Switch};
use crate::descriptors;
use crate::http::connections::Limits;
use crate::refresh::follow;
use crate::refresh::snapshot_file::SnapshotFile;
use crate::service::{Options, Service, Synchronisation};
use crate::{pepper, tls, webhooks};

/// How the background keeps the data fresh, unless it is told not to.
fn synchronisation(
    common: &Common,
    serve: &Serve,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Option<Synchronisation>> {
    if serve.sync == Switch::Off {
        return Ok(None);
    }
    let spool = Spool::beside(&common.database, Arc::clone(clock));
    Ok(Some(Synchronisation {
        fetcher: Fetcher::new(tls::client()?, (&serve.patience).into(), random_fraction, spool)?,
        publishers: serve.publishers.clone().into(),
        since: serve.since,
        lease_holder: LeaseHolder::new("lastro serve", &random_hex(6), serve.patience.sync_lease),
        poll_interval: schedule::POLL_INTERVAL,
    }))
}

fn webhooks(serve: &Serve) -> webhooks::Settings {
    let allow_private = serve.webhooks_allow_private == Switch::On;
    if allow_private {
        tracing::warn!(
            "webhooks may reach private addresses and plain HTTP: customers can send this machine anywhere"
        );
    }
    webhooks::Settings { allow_private, ..webhooks::Settings::default() }
}

/// Locks a file beside the database for as long as this process serves, and says so where another one does: each of them
/// admits every quota whole. The kernel lets go of the lock, however the process ends.
fn alone_on(database: &str) -> Option<File> {
    let mut path = lastro_store::sqlite_path(database)?.into_os_string();
    path.push(".serving");
    let file = File::options().create(true).append(true).mode(0o600).open(&path).ok()?;
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) => {
            tracing::warn!(
                "another server runs on this database: the two share no rate limits, so that every client has both quotas"
            );
            None
        }
        Err(TryLockError::Error(_)) => None,
    }
}

/// Said once: the default is for trying things out.
fn warn_of_pepper_beside(common: &Common) {
    if common.pepper_file.is_none() && pepper::default_path(&common.database).is_some() {
        tracing::warn!(
            "the pepper lies beside the database, so that whoever copies the directory has both; \
             keep it elsewhere with --pepper-file"
        );
    }
}

/// As many connections as are asked for, or as the system allows.
fn connections(serve: &Serve) -> anyhow::Result<Limits> {
    let limits = serve.connections.limits(descriptors::connections()?);
    if limits.most < serve.connections.max_connections as usize {
        tracing::warn!(
            "at most {} connections at once, not {}: the system allows no more open files (ulimit -n)",
            limits.most,
            serve.connections.max_connections
        );
    }
    Ok(limits)
}

pub async fn run(common: &Common, serve: Serve) -> anyhow::Result<()> {
    let trusted_proxies = TrustedProxies::parse(&serve.trusted_proxies)
        .map_err(|reason| anyhow::anyhow!("--trusted-proxies: {reason}"))?;
    let mut stop = Signals::listen()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let store = lastro_store::open(&common.database).await?;
    let _alone = alone_on(&common.database);
    let starting = Service::start(Options {
        connections: connections(&serve)?,
        store,
        poll_interval: follow::POLL_INTERVAL,
        synchronisation: synchronisation(common, &serve, &clock)?,
        webhooks: webhooks(&serve),
        clock,
        pepper_file: super::pepper_file(common)?,
        index_dir: serve.index_dir.or_else(|| SnapshotFile::beside(&common.database)),
        listen: serve.listen,
        admin_listen: serve.admin_listen.0,
        trusted_proxies,
        registrations: (&serve.registrations).into(),
        limiter_capacity: serve.limiter_capacity as usize,
        key_cache: serve.key_cache as usize,
    });
    let service = tokio::select! {
        started = starting => started?,
        // Nothing has been answered or counted yet.
        () = stop.requested() => return Ok(()),
    };
    warn_of_pepper_beside(common);
    let address = service.address;
    tracing::info!("Lastro {} answers on http://{address}", crate::VERSION);
    tracing::info!(
        "try http://{address}/docs, http://{address}/pricing, http://{address}/api/v1/market/overview"
    );
    if let Some(admin) = service.admin_address {
        tracing::info!("for the operator: http://{admin}/livez, /readyz, /metrics");
    }
    stop.requested().await;
    tracing::info!("stopping: finishing running requests and writing what was counted");
    service.stop().await
}

/// SIGTERM and Ctrl-C.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    pub(super) async fn requested(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
