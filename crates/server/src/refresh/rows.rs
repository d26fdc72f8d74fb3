//! Helpers for rows loaded from the store.

use lastro_model::{Records, Stamp};
use lastro_store::{Loaded, StoreError};

pub(super) fn stamp_of(loaded: &Loaded) -> Stamp {
    Stamp { edition: loaded.edition, published_unix_ms: loaded.published_at.as_millisecond() }
}

/// Passes every batch to `take`, which returns false for rows of another source: then the store is broken.
pub(super) fn drain(
    mut rows: tokio::sync::mpsc::Receiver<Result<Records, StoreError>>,
    mut take: impl FnMut(Records) -> bool,
) -> anyhow::Result<()> {
    while let Some(batch) = rows.blocking_recv() {
        anyhow::ensure!(take(batch?), "the store gave rows of another source");
    }
    Ok(())
}
