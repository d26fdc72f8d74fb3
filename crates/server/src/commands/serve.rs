//! `lastro serve`: runs the service until a signal stops it.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lastro_background::clock::SystemClock;
use lastro_config::{Common, ConnectionSettings, Serve};
use lastro_ingest::regular_file;
use lastro_store::Store;

use super::reload::Reloader;
use super::settings;
use super::signals::{Request, Requests, Signals};
use crate::listeners::Listeners;
use crate::service::Service;
use crate::setup::Setup;
use crate::{descriptors, pepper};

/// Locks a file beside the database while this process serves. Warns if another process does and limits are not
/// shared: each then admits every quota in full. The kernel releases the lock however the process ends.
fn alone_on(database: &str, counts_together: bool) -> Option<File> {
    let mut path = lastro_store::sqlite_path(database)?.into_os_string();
    path.push(".serving");
    let file = regular_file::open_lock(Path::new(&path)).ok()?;
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock) if counts_together => None,
        Err(TryLockError::WouldBlock) => {
            tracing::warn!(
                "another server uses this database: without --redis each server counts limits alone, so clients get both quotas"
            );
            None
        }
        Err(TryLockError::Error(_)) => None,
    }
}

/// Removes the rows of earlier replicas, so that nothing waits for them. The lock's holder is alone, so they are dead.
async fn forget_the_dead(store: &dyn Store) {
    if let Err(error) = store.forget_replicas(Timestamp::MAX).await {
        tracing::debug!(%error, "earlier servers could not be removed from the list; they expire in ten seconds");
    }
}

/// Warns once at startup: the default place of the pepper is for trials.
fn warn_of_pepper_beside(common: &Common) {
    if common.pepper_file.is_none() && pepper::default_path(&common.database).is_some() {
        tracing::warn!(
            "the pepper lies beside the database, so that whoever copies the directory has both; \
             keep it elsewhere with --pepper-file"
        );
    }
}

/// Limits the requested number of connections to what the system allows.
fn connections(asked: ConnectionSettings) -> anyhow::Result<ConnectionSettings> {
    let most_asked = asked.most();
    let settings = asked.within(descriptors::connections()?);
    if settings.most() < most_asked {
        tracing::warn!(
            "accepting at most {} connections instead of {most_asked}: the system allows no more open files (ulimit -n)",
            settings.most(),
        );
    }
    Ok(settings)
}

fn warn_of_private_receivers(serve: &Serve) {
    if serve.webhooks.allow_private() {
        tracing::warn!(
            "webhooks may use private addresses and plain HTTP: customers can make this machine request internal hosts"
        );
    }
}

/// Opens all that can be wrong with the settings and the machine, before anything is created.
async fn prepare(common: &Common, serve: &mut Serve) -> anyhow::Result<Listeners> {
    settings::check(common, serve)?;
    pepper::check_file(&pepper::path_of(common)?)?;
    serve.connections = connections(serve.connections.clone())?;
    Listeners::open(serve).await
}

pub async fn run(common: &Common, mut serve: Serve, reloader: Reloader) -> anyhow::Result<()> {
    let (mut stop, mut requests) = (Signals::listen()?, Requests::listen()?);
    let listeners = prepare(common, &mut serve).await?;
    let scheme = if listeners.certificate.is_some() { "https" } else { "http" };
    let mut drain = serve.drain;
    let counts_together = serve.redis.redis.is_some();
    let store = common.open_store().await?;
    let alone = alone_on(&common.database, counts_together);
    if alone.is_some() {
        forget_the_dead(&*store).await;
    }
    warn_of_private_receivers(&serve);
    let clock = Arc::new(SystemClock::start());
    let starting = Service::start(listeners, Setup { store, clock, common: common.clone(), settings: serve });
    let service = tokio::select! {
        started = starting => started?,
        // Nothing has been answered or counted yet.
        () = stop.requested() => return Ok(()),
    };
    warn_of_pepper_beside(common);
    tell_addresses(&service, scheme);
    loop {
        tokio::select! {
            () = stop.requested() => break,
            request = requests.next() => match request {
                // It may wait for Stripe, which must not delay a stop.
                Request::Reload => tokio::select! {
                    () = stop.requested() => break,
                    () = reloader.reload(&service, &mut drain) => {}
                },
                Request::State => tell_state(&service),
            },
        }
    }
    wait_for_balancers(&service, drain, &mut stop).await;
    tracing::info!("stopping: finishing running requests and writing usage counts");
    service.stop().await
}

fn tell_addresses(service: &Service, scheme: &str) {
    let address = service.address;
    tracing::info!("Lastro {} ({}) answers on {scheme}://{address}", crate::VERSION, crate::COMMIT);
    tracing::info!(
        "try {scheme}://{address}/docs, {scheme}://{address}/pricing, {scheme}://{address}/api/v1/market/overview"
    );
    if let Some(admin) = service.admin_address {
        tracing::info!("for the operator: http://{admin}/livez, /readyz, /metrics");
    }
}

/// Logs one line about the running service, as SIGUSR1 asks for.
fn tell_state(service: &Service) {
    let (operations, access) = (&service.app.operations, &service.app.access);
    tracing::info!(
        version = crate::VERSION,
        replicas = access.share.load().replicas(),
        keys_in_memory = access.keys.len(),
        unwritten_counts = access.usage.unflushed(),
        failing_jobs = operations.jobs.failing(service.app.clock.now()).len(),
        "state: {}",
        operations.readiness().trim_end()
    );
}

/// Reports not ready and keeps answering for `time`, until load balancers have noticed. Another signal ends the wait.
async fn wait_for_balancers(service: &Service, time: Duration, stop: &mut Signals) {
    service.drain();
    if time.is_zero() {
        return;
    }
    tracing::info!("draining: no longer ready, answering for another {time:?}; a second signal ends this");
    tokio::select! {
        () = tokio::time::sleep(time) => {}
        () = stop.requested() => {}
    }
}
