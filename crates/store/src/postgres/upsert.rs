//! Upserts of many rows per statement, with the result of each row.

use std::collections::HashSet;

use super::arrays::{Arrays, runs};
use super::session::Session;
use crate::Result;
use crate::sql::Upsert;
use crate::transaction::{Row, Upserted, Value};

/// Writes rows of the same key one after the other, so that the last one wins, and all others together.
pub(super) fn upsert(session: &Session<'_>, upsert: &Upsert, rows: &[Value<'_>]) -> Result<Vec<Upserted>> {
    let rows: Vec<&[Value<'_>]> = rows.chunks_exact(upsert.columns.len().max(1)).collect();
    let mut outcome = vec![Upserted::Known; rows.len()];
    for run in runs(&rows, upsert.key_columns) {
        let added = places(session, upsert, upsert.insert_many, &rows, &run)?;
        // The update gets only rows that exist, so the first filling of a table needs only the insert.
        let rest: Vec<usize> = run.into_iter().filter(|place| !added.contains(place)).collect();
        let changed = if rest.is_empty() {
            HashSet::new()
        } else {
            places(session, upsert, upsert.update_many, &rows, &rest)?
        };
        added.into_iter().for_each(|place| outcome[place] = Upserted::Added);
        changed.into_iter().for_each(|place| outcome[place] = Upserted::Changed);
    }
    Ok(outcome)
}

/// Sends the rows at these positions, and returns the positions that the statement reports.
fn places(
    session: &Session<'_>,
    upsert: &Upsert,
    sql: &str,
    rows: &[&[Value<'_>]],
    run: &[usize],
) -> Result<HashSet<usize>> {
    let arrays = Arrays::of(upsert.columns, rows, run)?;
    let mut places = HashSet::new();
    for row in session.query(sql, &arrays.typed())? {
        let row: &dyn Row = &row;
        let place: usize = row.number(0)?;
        places.extend(place.checked_sub(1).and_then(|place| run.get(place)));
    }
    Ok(places)
}
