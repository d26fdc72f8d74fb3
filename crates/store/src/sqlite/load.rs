//! Streams one edition of a source, or its changes since an earlier one, from a single read transaction.

use std::sync::Arc;

use lastro_model::{Edition, Source};
use rusqlite::Connection;

use super::readers::Idle;
use crate::blocking::blocking;
use crate::rules::load::{self, Batches, CurrentEdition, Selection};
use crate::{Loaded, Result};

/// Streams all rows. Each load has its own connection, so a slow consumer blocks no other read.
pub(super) async fn whole(idle: Arc<Idle>, source: Source) -> Result<Loaded> {
    let snapshot = blocking(move || Snapshot::take(idle, source)).await?;
    Ok(streamed(snapshot, Selection::Whole))
}

/// Streams the filings that changed since an edition, if that edition is remembered.
pub(super) async fn changed_filings(idle: Arc<Idle>, since: Edition) -> Result<Option<Loaded>> {
    let snapshot = blocking(move || {
        let snapshot = Snapshot::take(idle, Source::Filings)?;
        let known = load::is_remembered(&snapshot.connection, since)?;
        Ok(known.then_some(snapshot))
    });
    Ok(snapshot.await?.map(|snapshot| streamed(snapshot, Selection::ChangedSince(since))))
}

/// Keeps the channel open until the result of the read is known, so that an interrupted read never looks complete.
fn streamed(snapshot: Snapshot, selection: Selection) -> Loaded {
    let (loaded, batches) = load::under_way(snapshot.current);
    tokio::spawn(async move {
        let sink = batches.clone();
        if let Err(error) = blocking(move || snapshot.stream(selection, &sink)).await {
            // A receiver that has gone does not need the error.
            let _ = batches.send(Err(error)).await;
        }
    });
    loaded
}

/// A connection inside a read transaction. It is given back once all is streamed, and closed if it is dropped before.
struct Snapshot {
    connection: Connection,
    idle: Arc<Idle>,
    source: Source,
    current: CurrentEdition,
}

impl Snapshot {
    fn take(idle: Arc<Idle>, source: Source) -> Result<Self> {
        let connection = idle.take()?;
        connection.execute_batch("BEGIN")?;
        // This first read fixes the state that all later reads see.
        let current = CurrentEdition::of(&connection, source)?;
        Ok(Self { connection, idle, source, current })
    }

    fn stream(self, selection: Selection, batches: &Batches) -> Result<()> {
        load::stream(&self.connection, self.source, selection, batches)?;
        self.connection.execute_batch("COMMIT")?;
        self.idle.give_back(self.connection);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Presence;
    use crate::sqlite::{Sqlite, connection};
    use lastro_model::Series;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn writes_after_the_snapshot_are_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lastro.db");
        let engine = Sqlite::open(path.clone(), Presence::Optional).await.unwrap();
        let snapshot = Snapshot::take(engine.data.readers.idle(), Source::Series(Series::Selic)).unwrap();
        let late = "INSERT INTO rate (series, day, value) VALUES ('selic', 1, '15.00')";
        connection::open_writer(&path).unwrap().execute_batch(late).unwrap();

        let (batches, mut rows) = mpsc::channel(1);
        blocking(move || snapshot.stream(Selection::Whole, &batches)).await.unwrap();
        assert_eq!(rows.recv().await, None);
    }
}
