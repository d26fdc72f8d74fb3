//! Writes a publication: rows, edition number and source state in one transaction.

use lastro_model::{Edition, Source};
use rusqlite::{Transaction, params, params_from_iter};
use tokio::sync::mpsc;

use super::column::{self, stored_count};
use super::table::{self, Tally};
use crate::{Publication, Published, Result, StoreError, Write, sql};

/// The messages of a publication, the first of which is already here.
pub(super) struct Inbox {
    first: Option<Write>,
    rest: mpsc::Receiver<Write>,
}

impl Inbox {
    /// Waits for the first message, so that the write lock is not taken before there is something to write.
    pub(super) async fn opened(mut rows: mpsc::Receiver<Write>) -> Result<Self> {
        let first = rows.recv().await.ok_or(StoreError::Abandoned)?;
        Ok(Self { first: Some(first), rest: rows })
    }

    fn next(&mut self) -> Result<Write> {
        self.first.take().or_else(|| self.rest.blocking_recv()).ok_or(StoreError::Abandoned)
    }
}

pub(super) fn publish(
    transaction: &Transaction<'_>,
    publication: Publication,
    mut inbox: Inbox,
) -> Result<Published> {
    let source = publication.source;
    if publication.replace {
        let delete = table::whole(source).delete;
        transaction.execute(delete, params_from_iter(table::scope(source)))?;
    }
    let mut tally = Tally::default();
    while let Write::Rows(records) = inbox.next()? {
        tally.write(transaction, source, &records)?;
    }
    let edition = next_edition(transaction)?;
    update_state(transaction, publication, edition)?;
    Ok(Published { edition, added: tally.added, changed: tally.changed })
}

fn next_edition(transaction: &Transaction<'_>) -> Result<Edition> {
    transaction.query_row_and_then(sql::NEXT_EDITION, [], |row| Ok(Edition(column::number(row, 0)?)))
}

fn update_state(transaction: &Transaction<'_>, publication: Publication, edition: Edition) -> Result<()> {
    let Publication { source, sample, at, .. } = publication;
    let (rows, newest_day) = extent(transaction, source)?;
    transaction.execute(
        sql::PUBLISH,
        params![stored_count(edition.0), i64::from(sample), rows, newest_day, source.name()],
    )?;
    if !sample {
        transaction.execute(sql::SUCCEED, params![at.as_millisecond(), source.name()])?;
    }
    Ok(())
}

fn extent(transaction: &Transaction<'_>, source: Source) -> Result<(i64, Option<i64>)> {
    let query = table::whole(source).extent;
    transaction.query_row_and_then(query, params_from_iter(table::scope(source)), |row| {
        Ok((column::number(row, 0)?, column::optional_integer(row, 1)?))
    })
}
