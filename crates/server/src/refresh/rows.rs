//! Helpers for rows loaded from the store.

use lastro_model::{Records, Stamp};
use lastro_store::{Loaded, StoreError};
use tokio::sync::mpsc;

pub(super) fn stamp_of(loaded: &Loaded) -> Stamp {
    Stamp { edition: loaded.edition, published_unix_ms: loaded.published_at.as_millisecond() }
}

/// Passes every batch to `take`. Rows of another source mean that the store is broken.
pub(super) fn drain<T>(
    mut batches: mpsc::Receiver<Result<Records, StoreError>>,
    mut take: impl FnMut(Vec<T>),
) -> anyhow::Result<()>
where
    Vec<T>: TryFrom<Records>,
{
    while let Some(batch) = batches.blocking_recv() {
        let Ok(rows) = batch?.try_into() else { anyhow::bail!("the store gave rows of another source") };
        take(rows);
    }
    Ok(())
}

/// Collects the rows of all batches.
pub(super) fn collect<T>(batches: mpsc::Receiver<Result<Records, StoreError>>) -> anyhow::Result<Vec<T>>
where
    Vec<T>: TryFrom<Records>,
{
    let mut all = Vec::new();
    drain(batches, |rows| all.extend(rows))?;
    Ok(all)
}
