//! Loads the filings of the catalog: the served or saved ones plus later changes if possible, otherwise all rows.
//!
//! A new edition of two million filings costs about as much as its changes. If the store no longer has the changes, or
//! they do not fit, all rows are read, which is always correct.

use std::sync::Arc;

use lastro_catalog::{Filings, FilingsBuilder, Part};
use lastro_model::{Filing, Source};
use lastro_store::{Loaded, Store};

use super::background::{self, Priority};
use super::rows::{collect_with_histories, drain, stamp_of};
use super::snapshot_file::SnapshotFile;

/// The filings of the store's current edition, based on the `served` ones.
pub(super) async fn fresh(
    served: &Arc<Part<Filings>>,
    store: &dyn Store,
    snapshot_file: Option<&SnapshotFile>,
    priority: Priority,
) -> anyhow::Result<Arc<Part<Filings>>> {
    // The saved file is useful only at startup: later, the served filings are at least as new.
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

/// The filings saved by an earlier run, if the store still remembers their edition.
async fn kept(store: &dyn Store, snapshot_file: &SnapshotFile) -> anyhow::Result<Option<Arc<Part<Filings>>>> {
    let states = store.source_states().await?;
    let sample = states.iter().any(|state| state.source == Source::Filings && state.sample);
    let remembered = store.remembered_editions(Source::Filings).await?;
    let snapshot_file = snapshot_file.clone();
    let found = read_if_sound(move || snapshot_file.find(&remembered)).await;
    Ok(found.map(|(stamp, data)| Arc::new(Part { stamp, sample, data })))
}

/// Returns the result of `read`, or `None` if it panics: a file that is only a cache must not prevent a start.
async fn read_if_sound<T: Send + 'static>(read: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
        tracing::error!("the saved index of the filings is not used and will be rebuilt: its reader stopped");
        None
    })
}

/// These filings with the changes since; `None` if the store no longer has them or they do not fit.
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
    // The store returns no more than easily fits in memory.
    let merge = move || collect_with_histories(loaded.rows).map(|changed| known.data.with_changes(&changed));
    match priority.run(merge).await?? {
        Ok(data) => Ok(Some(Arc::new(Part { stamp, sample, data }))),
        Err(error) => {
            tracing::info!(%error, "the changed filings could not be merged; rebuilding all filings");
            Ok(None)
        }
    }
}

async fn whole(store: &dyn Store, priority: Priority) -> anyhow::Result<Arc<Part<Filings>>> {
    let loaded = store.load(Source::Filings).await?;
    priority.run(move || built(loaded)).await?
}

/// Builds them row by row, so that two million filings are never in memory in their long form.
fn built(loaded: Loaded) -> anyhow::Result<Arc<Part<Filings>>> {
    let (stamp, sample) = (stamp_of(&loaded), loaded.sample);
    let mut builder = FilingsBuilder::new();
    drain(loaded.rows, |filing: Filing, history| builder.push_with(filing, history))?;
    Ok(Arc::new(Part { stamp, sample, data: builder.finish()? }))
}

/// Offers the filings to the snapshot file in the background. The file decides whether they are worth saving.
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
    async fn a_panic_of_the_snapshot_reader_returns_none() {
        assert_eq!(read_if_sound(|| Some(7)).await, Some(7));
        assert_eq!(read_if_sound(|| -> Option<u8> { panic!("on purpose") }).await, None);
    }
}
