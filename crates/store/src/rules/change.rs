//! The log of changes: reading it, and logging replacements that no publication logs.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Edition, Source};

use super::change_writer::dataset;
use super::edition::{self, CurrentEdition};
use super::{SqlStore, filing_log, logged, recording, source_state};
use crate::engine::Database;
use crate::sql::change as change_sql;
use crate::transaction::{Query, Reading, Transaction, values};
use crate::{ChangeEdition, ChangePosition, ChangeStore, LoggedChange, Result, StoreError};

#[async_trait]
impl ChangeStore for SqlStore {
    async fn oldest_change_edition(&self) -> Result<Option<ChangeEdition>> {
        self.engine.read(Database::Data, logged::oldest).await
    }

    async fn change_edition(&self, edition: Edition) -> Result<Option<ChangeEdition>> {
        self.engine.read(Database::Data, move |data| logged::edition(data, edition)).await
    }

    async fn change_editions(&self, after: Edition, limit: usize) -> Result<Vec<ChangeEdition>> {
        self.engine.read(Database::Data, move |data| logged::editions(data, after, limit)).await
    }

    async fn logged_changes(
        &self,
        after: ChangePosition,
        up_to: Edition,
        batches: usize,
    ) -> Result<Vec<LoggedChange>> {
        self.engine.read(Database::Data, move |data| logged::changes(data, after, up_to, batches)).await
    }

    async fn log_replacements(&self, shapes: Vec<(Source, String)>, at: Timestamp) -> Result<Vec<Source>> {
        let unlogged = move |data: &dyn Reading| {
            let mut unlogged = shapes.clone();
            unlogged.sort_unstable();
            let mut kept = Vec::new();
            for (source, shape) in unlogged {
                if is_unlogged(data, source, &shape)? {
                    kept.push((source, shape));
                }
            }
            Ok(kept)
        };
        // Only a read in nearly all cases: a start must not wait for a publication.
        let unlogged = self.engine.read(Database::Data, unlogged).await?;
        if unlogged.is_empty() {
            return Ok(Vec::new());
        }
        let (replaced, is_busy) =
            self.engine.change(Database::Data, move |data| log_all(data, &unlogged, at)).await?;
        if is_busy { Err(StoreError::Busy) } else { Ok(replaced) }
    }

    async fn forget_changes(&self, before: Timestamp) -> Result<u64> {
        self.engine.change(Database::Data, move |data| logged::forget(data, before)).await
    }
}

fn shape_of(data: &dyn Reading, source: Source) -> Result<Option<String>> {
    data.first(change_sql::SHAPE, values![source.name()], |row| row.string(0))
}

fn is_unlogged(data: &dyn Reading, source: Source, shape: &str) -> Result<bool> {
    let edition = CurrentEdition::or_none(data, source)?.edition;
    Ok(!logged::is_logged(data, edition)? || shape_of(data, source)?.as_deref() != Some(shape))
}

/// Logs a replacement of the sources that are not being published. Returns them, and whether there were others. All are locked before the
/// first takes the number of an edition, which publications wait for.
fn log_all(
    data: &dyn Transaction,
    unlogged: &[(Source, String)],
    at: Timestamp,
) -> Result<(Vec<Source>, bool)> {
    let mut free = Vec::new();
    for (source, shape) in unlogged {
        if source_state::try_lock(data, *source)? {
            free.push((*source, shape));
        }
    }
    let is_busy = free.len() < unlogged.len();
    let mut replaced = Vec::new();
    for (source, shape) in free {
        if log_replacement(data, source, shape, at)? {
            replaced.push(source);
        }
    }
    Ok((replaced, is_busy))
}

/// Logs a replacement of a source that is locked.
fn log_replacement(data: &dyn Transaction, source: Source, shape: &str, at: Timestamp) -> Result<bool> {
    let current = CurrentEdition::of(data, source)?;
    let shown_before = shape_of(data, source)?;
    data.execute(change_sql::KEEP_SHAPE, values![shape, source.name()])?;
    // A source that has no rows, or was never shown, has nothing to log.
    let is_shown_differently = shown_before.is_some_and(|before| before != shape);
    let is_logged = logged::is_logged(data, current.edition)? && !is_shown_differently;
    if current.edition == Edition(0) || is_logged {
        return Ok(false);
    }
    let rows = source_state::rows_shown(data, dataset(source))?;
    let edition = edition::next(data)?;
    data.execute(change_sql::REISSUE, values![edition, at, source.name()])?;
    recording::carry_over(data, source, current, edition)?;
    if source == Source::Filings {
        filing_log::write(data, current.edition, edition, at, Some(Vec::new()))?;
    }
    let batch = logged::list(&[logged::replacement(dataset(source), rows)]);
    data.execute(change_sql::INSERT_BATCH, values![batch, edition, 1])?;
    data.execute(change_sql::INSERT_EDITION, values![source.name(), at, 1, edition])?;
    Ok(true)
}
