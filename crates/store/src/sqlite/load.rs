//! Streams one edition of a source, or what changed since an earlier one, out of a single read transaction.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lastro_model::{Edition, Records, Source};
use rusqlite::{Connection, params_from_iter};
use tokio::sync::mpsc;

use super::column::stored_count;
use super::{blocking, change_log, column, connection, table};
use crate::{Loaded, Result, sql};

const ROWS_PER_BATCH: usize = 5_000;

/// Enough that reading and building overlap, few enough that memory stays flat.
const BATCHES_AHEAD: usize = 4;

/// All rows. Each load has a connection of its own: a slow consumer holds up nobody's question.
pub(super) async fn whole(path: PathBuf, source: Source) -> Result<Loaded> {
    let snapshot = blocking(move || Snapshot::take(&path, source)).await?;
    Ok(streamed(snapshot, Selection::Whole))
}

/// The filings that changed since an edition, if that can be told.
pub(super) async fn changed_filings(path: PathBuf, since: Edition) -> Result<Option<Loaded>> {
    let snapshot = blocking(move || {
        let snapshot = Snapshot::take(&path, Source::Filings)?;
        let known = change_log::is_remembered(&snapshot.connection, since)?;
        Ok(known.then_some(snapshot))
    });
    Ok(snapshot.await?.map(|snapshot| streamed(snapshot, Selection::ChangedSince(since))))
}

/// The channel stays open until it is known how the reading ended, so that a reading cut short never looks like a whole one.
fn streamed(snapshot: Snapshot, selection: Selection) -> Loaded {
    let (batches, rows) = mpsc::channel(BATCHES_AHEAD);
    let Standing { edition, published_at, sample } = snapshot.standing;
    tokio::spawn(async move {
        let sink = batches.clone();
        if let Err(error) = blocking(move || snapshot.stream(selection, &sink)).await {
            // If nobody listens any more, nobody misses the error.
            let _ = batches.send(Err(error)).await;
        }
    });
    Loaded { edition, published_at, sample, rows }
}

/// Which rows of a source.
#[derive(Debug, Clone, Copy)]
enum Selection {
    Whole,
    ChangedSince(Edition),
}

/// The edition that stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) edition: Edition,
    pub(super) published_at: Timestamp,
    /// Its rows are made up.
    pub(super) sample: bool,
}

pub(super) fn standing(connection: &Connection, source: Source) -> Result<Standing> {
    connection.query_row_and_then(sql::EDITION_OF, [source.name()], |row| {
        let sample: i64 = column::number(row, 2)?;
        Ok(Standing {
            edition: Edition(column::number(row, 0)?),
            published_at: column::time(row, 1)?,
            sample: sample != 0,
        })
    })
}

/// A connection inside a read transaction, which ends when it is dropped.
struct Snapshot {
    connection: Connection,
    source: Source,
    standing: Standing,
}

impl Snapshot {
    fn take(path: &Path, source: Source) -> Result<Self> {
        let connection = connection::open_reader(path)?;
        connection.execute_batch("BEGIN")?;
        // This first read fixes the state that all later ones see.
        let standing = standing(&connection, source)?;
        Ok(Self { connection, source, standing })
    }

    fn stream(&self, selection: Selection, batches: &mpsc::Sender<Result<Records>>) -> Result<()> {
        let accept = |batch| batches.blocking_send(Ok(batch)).is_ok();
        match selection {
            Selection::Whole => {
                let mut statement = self.connection.prepare(table::whole(self.source).select)?;
                let rows = statement.query(params_from_iter(table::scope(self.source)))?;
                table::read_batches(self.source, rows, ROWS_PER_BATCH, accept)
            }
            Selection::ChangedSince(edition) => {
                let mut statement = self.connection.prepare(sql::CHANGED_FILINGS)?;
                let rows = statement.query([stored_count(edition.0)])?;
                table::read_batches(self.source, rows, ROWS_PER_BATCH, accept)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{Presence, SqliteStore};
    use lastro_model::Series;

    #[tokio::test]
    async fn what_is_written_after_the_edition_was_announced_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lastro.db");
        let _store = SqliteStore::open(path.clone(), Presence::Optional).await.unwrap();
        let snapshot = Snapshot::take(&path, Source::Series(Series::Selic)).unwrap();
        let late = "INSERT INTO rate (series, day, value) VALUES ('selic', 1, '15.00')";
        connection::open_writer(&path).unwrap().execute_batch(late).unwrap();

        let (batches, mut rows) = mpsc::channel(1);
        blocking(move || snapshot.stream(Selection::Whole, &batches)).await.unwrap();
        assert_eq!(rows.recv().await, None);
    }
}
