//! The filings of the catalog, by the shortest way: those served or kept with what changed since, or else all rows.
//!
//! A new edition of two million filings costs about what changed in it. Whatever the store does not remember, or does
//! not fit, is read whole: that is always right.

use std::sync::Arc;

use lastro_catalog::{Filings, FilingsBuilder, Part};
use lastro_model::{Filing, Records, Source};
use lastro_store::{Loaded, Store, StoreError};
use tokio::sync::mpsc;

use super::background::{self, Priority};
use super::rows::{drain, stamp_of};
use super::snapshot_file::SnapshotFile;

/// The filings of the store's edition, where these are served.
pub(super) async fn fresh(
    served: &Arc<Part<Filings>>,
    store: &dyn Store,
    snapshot_file: Option<&SnapshotFile>,
    priority: Priority,
) -> anyhow::Result<Arc<Part<Filings>>> {
    // Only a start can find anything kept that is of use: what is served is at least as new.
    let known = match (priority, snapshot_file) {
        (Priority::Background, _) => Some(Arc::clone(served)),
        (Priority::Foreground, Some(snapshot_file)) => kept(store, snapshot_file).await?,
        (Priority::Foreground, None) => None,
    };
    let caught_up = match known {
        Some(known) => caught_up(store, known, priority).await?,
        None => None,
    };
    let fresh = match caught_up {
        Some(fresh) => fresh,
        None => whole(store, priority).await?,
    };
    if let Some(snapshot_file) = snapshot_file {
        keep(store, snapshot_file.clone(), Arc::clone(&fresh)).await?;
    }
    Ok(fresh)
}

/// What an earlier run kept, of an edition that the store remembers.
async fn kept(store: &dyn Store, snapshot_file: &SnapshotFile) -> anyhow::Result<Option<Arc<Part<Filings>>>> {
    let states = store.source_states().await?;
    let sample = states.iter().any(|state| state.source == Source::Filings && state.sample);
    let remembered = store.remembered_editions(Source::Filings).await?;
    let snapshot_file = snapshot_file.clone();
    let found = read_if_sound(move || snapshot_file.find(&remembered)).await;
    Ok(found.map(|(stamp, data)| Arc::new(Part { stamp, sample, data })))
}

/// What `read` finds. Should it stop halfway, it found nothing: a file that is never the truth must not end a start.
async fn read_if_sound<T: Send + 'static>(read: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
        tracing::error!(
            "the kept index of the filings is not used and will be built anew: its reader stopped"
        );
        None
    })
}

/// These filings with what changed since, if the store can tell.
async fn caught_up(
    store: &dyn Store,
    known: Arc<Part<Filings>>,
    priority: Priority,
) -> anyhow::Result<Option<Arc<Part<Filings>>>> {
    let Some(loaded) = store.changes(Source::Filings, known.stamp.edition).await? else { return Ok(None) };
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    if stamp == known.stamp {
        return Ok(Some(known));
    }
    let changed = gathered(loaded.rows).await?;
    match priority.run(move || known.data.with_changes(&changed)).await? {
        Ok(data) => Ok(Some(Arc::new(Part { stamp, sample, data }))),
        Err(error) => {
            tracing::info!(%error, "the changed filings do not fit; all are built anew");
            Ok(None)
        }
    }
}

/// The store tells of no more than are easily held in memory.
async fn gathered(mut rows: mpsc::Receiver<Result<Records, StoreError>>) -> anyhow::Result<Vec<Filing>> {
    let mut changed = Vec::new();
    while let Some(batch) = rows.recv().await {
        let Records::Filings(more) = batch? else { anyhow::bail!("the store gave rows of another source") };
        changed.extend(more);
    }
    Ok(changed)
}

async fn whole(store: &dyn Store, priority: Priority) -> anyhow::Result<Arc<Part<Filings>>> {
    let loaded = store.load(Source::Filings).await?;
    priority.run(move || built(loaded)).await?
}

/// Filings go into their columns as they come: two million of them never stand in memory as records.
fn built(loaded: Loaded) -> anyhow::Result<Arc<Part<Filings>>> {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    let mut builder = FilingsBuilder::new();
    drain(loaded.rows, |batch| {
        let Records::Filings(rows) = batch else { return false };
        rows.into_iter().for_each(|filing| builder.push(filing));
        true
    })?;
    Ok(Arc::new(Part { stamp, sample, data: builder.finish()? }))
}

/// Leaves it to the snapshot_file, aside, whether these are worth keeping.
async fn keep(
    store: &dyn Store,
    snapshot_file: SnapshotFile,
    fresh: Arc<Part<Filings>>,
) -> anyhow::Result<()> {
    let remembered = store.remembered_editions(Source::Filings).await?;
    background::spawn(move || snapshot_file.keep(&remembered, &fresh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_that_stops_halfway_has_found_nothing() {
        assert_eq!(read_if_sound(|| Some(7)).await, Some(7));
        assert_eq!(read_if_sound(|| -> Option<u8> { panic!("on purpose") }).await, None);
    }
}
