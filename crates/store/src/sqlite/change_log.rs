//! Which filings each edition changed, as far back as is worth remembering.
//!
//! Written in the publication's own transaction. The log reaches from its oldest edition to the one that stands, without
//! a gap: an edition that cannot be described by a list of rows begins it anew.

use jiff::Timestamp;
use lastro_model::{Edition, FilingId};
use rusqlite::{Connection, Row, Transaction, params};

use super::column::{self, stored_count};
use crate::{RememberedEdition, Result, sql};

/// Whoever is more rows behind had better read them all.
pub(super) const MOST_CHANGES: usize = 20_000;

/// Nobody is further behind who still runs.
const MOST_EDITIONS: usize = 200;

/// Takes note of an edition that was just published. Without `changes` all rows may differ from those before.
pub(super) fn write(
    transaction: &Transaction<'_>,
    standing: Edition,
    edition: Edition,
    at: Timestamp,
    changes: Option<Vec<FilingId>>,
) -> Result<()> {
    let changes = if is_remembered(transaction, standing)? { changes } else { None };
    let mut insert = transaction.prepare_cached(sql::INSERT_FILING_CHANGE)?;
    let mut count = 0;
    for id in changes.iter().flatten() {
        count += insert.execute(params![stored_count(edition.0), id.to_string()])?;
    }
    let inserted = params![at.as_millisecond(), stored_count(count as u64)];
    transaction.execute(sql::INSERT_FILING_EDITION, inserted)?;
    let oldest = if changes.is_some() { oldest_worth_keeping(transaction)? } else { Some(edition) };
    oldest.map_or(Ok(()), |oldest| forget_before(transaction, oldest))
}

pub(super) fn is_remembered(connection: &Connection, edition: Edition) -> Result<bool> {
    let found: i64 =
        connection.query_row_and_then(sql::IS_FILING_EDITION, [stored_count(edition.0)], |row| {
            column::number(row, 0)
        })?;
    Ok(found > 0)
}

/// All of them, newest first.
pub(super) fn editions(connection: &Connection) -> Result<Vec<RememberedEdition>> {
    connection.prepare_cached(sql::FILING_EDITIONS)?.query_and_then([], remembered)?.collect()
}

/// The oldest edition from which whoever is behind would still rather be told the changes.
fn oldest_worth_keeping(transaction: &Transaction<'_>) -> Result<Option<Edition>> {
    let mut since = 0;
    let mut worth_keeping = |edition: &RememberedEdition| {
        let worth_it = since <= MOST_CHANGES as u64;
        since += edition.changes;
        worth_it
    };
    let editions = editions(transaction)?;
    let kept = editions.iter().take(MOST_EDITIONS).take_while(|edition| worth_keeping(edition));
    Ok(kept.last().map(|edition| edition.edition))
}

fn forget_before(transaction: &Transaction<'_>, oldest: Edition) -> Result<()> {
    let oldest = [stored_count(oldest.0)];
    transaction.execute(sql::FORGET_FILING_CHANGES, oldest)?;
    transaction.execute(sql::FORGET_FILING_EDITIONS, oldest)?;
    Ok(())
}

fn remembered(row: &Row<'_>) -> Result<RememberedEdition> {
    Ok(RememberedEdition {
        edition: Edition(column::number(row, 0)?),
        rows: column::number(row, 1)?,
        newest_day: column::optional_day(row, 2)?,
        published_at: column::time(row, 3)?,
        changes: column::number(row, 4)?,
    })
}
