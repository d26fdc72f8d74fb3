//! Detects writes of other processes by reading one row of counters twice a second.
//!
//! Changed keys are loaded at once. Changed data is rebuilt by a separate job, so that a large rebuild never delays a
//! revocation. The store logs its outages itself.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_catalog::{Catalog, Part, Timeline};
use lastro_model::{
    Clock, Edition, Mark, Outage, OutageChange, OutageExtent, RatePoint, Series, Source, SourceState,
};
use lastro_store::Counters;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::background::Priority;
use super::snapshot_file::SnapshotFile;
use super::{background, marks, parts, series};
use crate::access::Access;
use crate::changes::Changes;
use crate::metrics::Metrics;
use crate::served::Served;
use crate::wait::{stopped, tick};

const KEYS_AT_ONCE: usize = 1_000;
const REBUILD_RETRY_DELAY: Duration = Duration::from_secs(5);

/// The parts of a service that follow the store.
pub struct Follower {
    pub served: Arc<Served>,
    pub access: Arc<Access>,
    pub clock: Arc<dyn Clock>,
    pub metrics: Arc<Metrics>,
    pub changes: Arc<Changes>,
    /// Notified when some sources may have to be logged as replaced.
    pub unlogged: Notify,
    /// The file that keeps the built filings between runs.
    pub snapshot_file: Option<SnapshotFile>,
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower").field("snapshot_file", &self.snapshot_file).finish_non_exhaustive()
    }
}

/// Loads everything before the first request is answered. Keys are followed from the current revision. The log of changes
/// is brought up to date later if a publication is under way, or if the database cannot be written.
///
/// Boxed, so that all of it is compiled in this crate.
pub fn load(follower: &Follower) -> BoxFuture<'_, anyhow::Result<()>> {
    let Follower { access, clock, .. } = follower;
    let loading = async {
        if let Err(error) = marks::log_replacements(&*access.store, clock.now()).await {
            tracing::info!(%error, "replaced sources are logged later");
            follower.unlogged.notify_one();
        }
        let counters = access.store.counters().await?;
        access.keys.start_at(counters.key_revision);
        follow_data(follower, &counters).await
    };
    loading.boxed()
}

/// Follows the store until the service stops.
pub async fn run(follower: Arc<Follower>, poll_interval: Duration, mut stop: watch::Receiver<bool>) {
    let mut freshness = Freshness::default();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(poll_interval) => look(&follower, &mut freshness).await,
        }
    }
}

/// Time and counters of the last read of the source states. Reading the states costs the store several times as much
/// as the counters, and every replica polls twice a second.
#[derive(Default)]
struct Freshness {
    read: Option<(Instant, Counters)>,
}

impl Freshness {
    /// Interval of rereading the states, for changes that the counters do not cover.
    const LONGEST: Duration = Duration::from_secs(30);

    fn is_old(&self, counters: &Counters) -> bool {
        self.read.is_none_or(|(at, before)| {
            at.elapsed() >= Self::LONGEST
                || (before.editions, before.attempts) != (counters.editions, counters.attempts)
        })
    }
}

/// Brings new editions into service until the service stops, including those detected before this call.
pub async fn rebuild(follower: Arc<Follower>, mut stop: watch::Receiver<bool>) {
    let mut counters = follower.served.counters.subscribe();
    counters.mark_changed();
    tokio::select! {
        () = stopped(&mut stop) => {}
        () = rebuild_when_changed(&follower, counters) => {}
    }
}

async fn look(follower: &Follower, freshness: &mut Freshness) {
    match follower.access.store.counters().await {
        Ok(counters) => {
            if counters.key_revision > follower.access.keys.revision()
                && let Err(error) = take_over_keys(follower).await
            {
                tracing::debug!(%error, "changed keys could not be read; retrying shortly");
            }
            follower.served.counters.send_if_modified(|known| {
                known.replace(counters).is_none_or(|before| before.editions != counters.editions)
            });
            if freshness.is_old(&counters) {
                match take_over_freshness(follower).await {
                    Ok(()) => freshness.read = Some((Instant::now(), counters)),
                    Err(error) => {
                        tracing::debug!(%error, "the state of the sources could not be read; retrying shortly");
                    }
                }
            }
        }
        Err(error) => tracing::debug!(%error, "the store does not answer; serving from memory"),
    }
}

/// Reloads the source states, which every attempt changes. One whose new edition is not served yet stays as it was.
async fn take_over_freshness(follower: &Follower) -> anyhow::Result<()> {
    let states = follower.access.store.source_states().await?;
    let (shown, known) = (follower.served.catalog.load().editions(), follower.served.freshness.load());
    let shown_with = |state: SourceState| match known.iter().find(|known| known.source == state.source) {
        Some(known) if shown[state.source] != state.edition => known.clone(),
        _ => state,
    };
    let fresh: Vec<SourceState> = states.into_iter().map(shown_with).collect();
    if fresh != **known {
        follower.served.freshness.store(Arc::new(fresh));
    }
    Ok(())
}

/// Reads every key that changed since the last revision.
pub async fn take_over_keys(follower: &Follower) -> anyhow::Result<()> {
    loop {
        let changed = follower.access.store.keys_since(follower.access.keys.revision(), KEYS_AT_ONCE).await?;
        let last_page = changed.len() < KEYS_AT_ONCE;
        follower.access.keys.catch_up(changed, follower.clock.monotonic_ns());
        // Streams of keys that were revoked end now.
        follower.changes.wakeups.wake_all();
        if last_page {
            return Ok(());
        }
    }
}

async fn rebuild_when_changed(follower: &Follower, mut wanted: watch::Receiver<Option<Counters>>) {
    let mut outage = Outage::default();
    while wanted.changed().await.is_ok() {
        let Some(counters) = *wanted.borrow_and_update() else { continue };
        while let Err(error) = follow_data(follower, &counters).await {
            log_failure(outage.failed(follower.clock.monotonic_ns()), &error);
            follower.metrics.rebuild_failures.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(REBUILD_RETRY_DELAY).await;
        }
        if let Some(OutageExtent { failures, seconds }) = outage.end() {
            tracing::info!(failures, seconds, "the catalog could be rebuilt again");
        }
    }
}

/// Logs the first failure, and a reminder now and then.
fn log_failure(change: Option<OutageChange>, error: &anyhow::Error) {
    match change {
        Some(OutageChange::Lasts(OutageExtent { failures, seconds })) => {
            tracing::error!(%error, failures, seconds, "the catalog still cannot be rebuilt");
        }
        Some(_) => {
            tracing::error!(%error, "the catalog could not be rebuilt; the last good edition stays in service");
        }
        None => tracing::debug!(%error, "the catalog could not be rebuilt"),
    }
}

/// Rebuilds the parts whose edition differs from the store's and swaps in each when it is ready. A part that cannot be
/// rebuilt does not block the others. All series are swapped in together, so that they are the state of one edition.
pub async fn follow_data(follower: &Follower, counters: &Counters) -> anyhow::Result<()> {
    let mut followed = follow_series(follower, counters).await;
    for source in Source::ALL.into_iter().filter(|source| !matches!(source, Source::Series(_))) {
        followed = followed.and(follow_source(follower, source, counters.edition(source)).await);
    }
    take_over_freshness(follower).await?;
    // Needed at a start, and if it failed after a part was swapped in.
    follower.changes.advance_to(follower.served.catalog.load().mark).await?;
    followed
}

async fn follow_source(follower: &Follower, source: Source, edition: Edition) -> anyhow::Result<()> {
    let current = follower.served.catalog.load_full();
    if current.editions()[source] == edition {
        return Ok(());
    }
    let begun_ns = follower.clock.monotonic_ns();
    let fresh =
        parts::with_fresh(&current, &*follower.access.store, source, follower.snapshot_file.as_ref()).await?;
    drop(current);
    let before = swap_in(follower, fresh, &[source]).await?;
    let elapsed_ns = follower.clock.monotonic_ns().saturating_sub(begun_ns);
    follower.metrics.rebuilds(source).record_ns(elapsed_ns);
    if source == Source::Filings {
        tokio::spawn(background::retire(Arc::clone(&before.filings)));
    }
    Ok(())
}

/// Rebuilds all series that differ. Series published meanwhile are rebuilt too, except those whose only new editions are
/// newer than all loaded ones.
async fn follow_series(follower: &Follower, counters: &Counters) -> anyhow::Result<()> {
    let mut fresh = (*follower.served.catalog.load_full()).clone();
    let (mut counters, mut changed, mut followed) = (*counters, Vec::new(), Ok(()));
    let newest =
        |catalog: &Catalog| Series::ALL.map(|series| catalog.series[series].stamp.edition).into_iter().max();
    let priority = Priority::beside(newest(&fresh).unwrap_or_default());
    loop {
        let loaded = newest(&fresh).filter(|_| !changed.is_empty());
        let skipped = match loaded {
            Some(loaded) => marks::unserved_before(&fresh, loaded, &*follower.access.store).await?,
            None => Vec::new(),
        };
        let is_due = |series: &Series| {
            let (edition, served) = (counters.edition((*series).into()), fresh.series[*series].stamp.edition);
            let is_older = |loaded| edition < loaded || skipped.contains(&(*series).into());
            edition != served && loaded.is_none_or(is_older)
        };
        let with_priority = |series: Series| (series, Priority::beside(fresh.series[series].stamp.edition));
        let due: Vec<_> = Series::ALL.into_iter().filter(is_due).map(with_priority).collect();
        if due.is_empty() || followed.is_err() {
            break;
        }
        let mut parts = Vec::new();
        for (series, priority) in due {
            match load_series(follower, series, priority).await {
                Ok(part) => parts.push(part),
                Err(error) => followed = followed.and(Err(error)),
            }
        }
        changed.extend(parts.iter().map(|(series, _)| Source::from(*series)));
        fresh = priority.run(move || fresh.with_series(parts)).await?;
        counters = follower.access.store.counters().await?;
    }
    if !changed.is_empty() {
        swap_in(follower, fresh, &changed).await?;
    }
    followed
}

type SeriesPart = (Series, Arc<Part<Timeline<RatePoint>>>);

async fn load_series(follower: &Follower, series: Series, priority: Priority) -> anyhow::Result<SeriesPart> {
    let begun_ns = follower.clock.monotonic_ns();
    let part = series::fresh(&*follower.access.store, series.into(), priority).await?;
    let elapsed_ns = follower.clock.monotonic_ns().saturating_sub(begun_ns);
    follower.metrics.rebuilds(series.into()).record_ns(elapsed_ns);
    Ok((series, part))
}

/// Brings a catalog into service and announces its changes to the waiting clients. Returns the one before.
async fn swap_in(
    follower: &Follower,
    mut fresh: Catalog,
    sources: &[Source],
) -> anyhow::Result<Arc<Catalog>> {
    let store = &*follower.access.store;
    marks::update(&mut fresh, store).await?;
    let served = follower.served.catalog.load().editions();
    if marks::has_unlogged(store, &served, &fresh.editions()).await? {
        // The job `replacements` logs it as replaced, with an edition of its own.
        follower.unlogged.notify_one();
    }
    let (mark, editions) = (fresh.mark, fresh.editions());
    let before = follower.served.catalog.swap(Arc::new(fresh));
    for source in sources {
        tracing::info!(%source, edition = editions[*source].0, "a new edition is in service");
    }
    // At a start the changes begin where all parts have come into service.
    if follower.changes.mark() != Mark::default() {
        follower.changes.advance_to(mark).await?;
    }
    Ok(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use lastro_store::LastAttempt;

    #[tokio::test(start_paused = true)]
    async fn reloads_source_states_after_activity_or_a_while() {
        let known = Counters::default();
        assert!(Freshness::default().is_old(&known), "never read");
        let read = Freshness { read: Some((Instant::now(), known)) };
        let with_key = Counters { key_revision: 7, ..known };
        assert!(!read.is_old(&known) && !read.is_old(&with_key));
        let (mut published, mut attempted) = (known, known);
        published.editions[Source::Fx] = Edition(1);
        attempted.attempts[Source::Fx] = Some(LastAttempt { at: Timestamp::UNIX_EPOCH, failed: true });
        assert!(read.is_old(&published) && read.is_old(&attempted));
        tokio::time::advance(Freshness::LONGEST).await;
        assert!(read.is_old(&known));
    }
}
