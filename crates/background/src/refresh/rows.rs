//! Helpers for rows loaded from the store.

use lastro_model::{History, Records, Stamp};
use lastro_store::{Loaded, LoadedRows, StoreError};
use tokio::sync::mpsc;

pub(super) fn stamp_of(loaded: &Loaded) -> Stamp {
    Stamp { edition: loaded.edition, published_unix_ms: loaded.published_at.as_millisecond() }
}

/// The batches of an edition.
type Batches = mpsc::Receiver<Result<LoadedRows, StoreError>>;

/// Passes every batch to `take`, with the histories of its rows. Rows of another source mean that the store is broken.
fn drain_batches<T>(mut batches: Batches, mut take: impl FnMut(Vec<T>, Vec<History>)) -> anyhow::Result<()>
where
    Vec<T>: TryFrom<Records>,
{
    while let Some(batch) = batches.blocking_recv() {
        let LoadedRows { rows, histories } = batch?;
        let Ok(rows) = rows.try_into() else { anyhow::bail!("the store gave rows of another source") };
        take(rows, histories);
    }
    Ok(())
}

/// Passes every row to `take`, with its history.
pub(super) fn drain<T>(batches: Batches, mut take: impl FnMut(T, History)) -> anyhow::Result<()>
where
    Vec<T>: TryFrom<Records>,
{
    drain_batches(batches, |rows: Vec<T>, histories| {
        rows.into_iter().zip(histories).for_each(|(row, history)| take(row, history));
    })
}

/// Collects the rows of all batches.
pub(super) fn collect<T>(batches: Batches) -> anyhow::Result<Vec<T>>
where
    Vec<T>: TryFrom<Records>,
{
    let mut all = Vec::new();
    drain_batches(batches, |rows, _| all.extend(rows))?;
    Ok(all)
}

/// Collects the rows of all batches with their histories.
pub(super) fn collect_with_histories<T>(batches: Batches) -> anyhow::Result<Vec<(T, History)>>
where
    Vec<T>: TryFrom<Records>,
{
    let mut all = Vec::new();
    drain(batches, |row, history| all.push((row, history)))?;
    Ok(all)
}
