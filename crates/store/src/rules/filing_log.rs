//! The log of the filings that each edition changed, as far back as is worth remembering, by which running servers catch
//! up. The log of changes that clients read is another one: see `change_writer` and `logged`.
//!
//! It is written in the publication's own transaction. The log is complete from its oldest edition to the current one:
//! an edition that cannot be described by a list of rows restarts it.

use jiff::Timestamp;
use lastro_model::{Edition, FilingId};

use crate::transaction::{Query, Reading, Row, Transaction, Value, values};
use crate::{RememberedEdition, Result, sql};

/// Maximum number of logged changes. A reader that is further behind had better load all rows.
pub(super) const MOST_CHANGES: usize = 20_000;

/// Maximum number of editions in the log. No running reader is further behind.
const MOST_EDITIONS: usize = 200;

/// Logs an edition that was just published. Without `changes`, all rows may differ from those before.
pub(super) fn write(
    data: &dyn Transaction,
    before: Edition,
    edition: Edition,
    at: Timestamp,
    changes: Option<Vec<FilingId>>,
) -> Result<()> {
    let changes = if is_remembered(data, before)? { changes } else { None };
    let rows: Vec<Value<'_>> =
        changes.iter().flatten().flat_map(|id| [edition.into(), Value::from(*id)]).collect();
    let count = data.execute_each(&sql::INSERT_FILING_CHANGE, &rows)?;
    data.execute(sql::INSERT_FILING_EDITION, values![at, count])?;
    let oldest = if changes.is_some() { oldest_worth_keeping(data)? } else { Some(edition) };
    oldest.map_or(Ok(()), |oldest| forget_before(data, oldest))
}

pub(crate) fn is_remembered(data: &dyn Reading, edition: Edition) -> Result<bool> {
    let found: u64 = data.number(sql::IS_FILING_EDITION, values![edition])?;
    Ok(found > 0)
}

/// All logged editions, newest first.
pub(super) fn editions(data: &dyn Reading) -> Result<Vec<RememberedEdition>> {
    data.rows(sql::FILING_EDITIONS, &[], remembered)
}

/// The oldest edition from which reading the changes is still better than loading all rows.
fn oldest_worth_keeping(data: &dyn Reading) -> Result<Option<Edition>> {
    let mut since = 0;
    let mut worth_keeping = |edition: &RememberedEdition| {
        let worth_it = since <= MOST_CHANGES as u64;
        since += edition.changes;
        worth_it
    };
    let editions = editions(data)?;
    let kept = editions.iter().take(MOST_EDITIONS).take_while(|edition| worth_keeping(edition));
    Ok(kept.last().map(|edition| edition.edition))
}

fn forget_before(data: &dyn Transaction, oldest: Edition) -> Result<()> {
    data.execute(sql::FORGET_FILING_CHANGES, values![oldest])?;
    data.execute(sql::FORGET_FILING_EDITIONS, values![oldest])?;
    Ok(())
}

fn remembered(row: &dyn Row) -> Result<RememberedEdition> {
    Ok(RememberedEdition {
        edition: Edition(row.number(0)?),
        rows: row.number(1)?,
        newest_day: row.optional_day(2)?,
        published_at: row.time(3)?,
        changes: row.number(4)?,
    })
}
