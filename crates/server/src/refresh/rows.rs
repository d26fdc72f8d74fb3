//! Rows on their way from the store.

use lastro_model::{Records, Stamp};
use lastro_store::{Loaded, StoreError};

pub(super) fn stamp_of(loaded: &Loaded) -> Stamp {
    Stamp { edition: loaded.edition, published_unix_ms: loaded.published_at.as_millisecond() }
}

/// Hands every batch to `take`; a batch of another kind means that the store is broken.
pub(super) fn drain(
    mut rows: tokio::sync::mpsc::Receiver<Result<Records, StoreError>>,
    mut take: impl FnMut(Records) -> bool,
) -> anyhow::Result<()> {
    while let Some(batch) = rows.blocking_recv() {
        anyhow::ensure!(take(batch?), "the store gave rows of another source");
    }
    Ok(())
}
