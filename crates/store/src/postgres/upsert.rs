//! Upserts of many rows per statement, with the result of each row.

use std::collections::HashSet;

use super::arrays::{Arrays, runs};
use super::session::Session;
use crate::Result;
use crate::sql::Upsert;
use crate::transaction::{Row, Upserted, Value};

/// Writes rows of the same key one after the other, so that the last one wins, and all others together.
pub(super) fn upsert(
    session: &Session<'_>,
    upsert: &Upsert,
    rows: &[Value<'_>],
    replaced: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
) -> Result<Vec<Upserted>> {
    let rows: Vec<&[Value<'_>]> = rows.chunks_exact(upsert.columns.len().max(1)).collect();
    let mut outcome = vec![Upserted::Known; rows.len()];
    for run in runs(&rows, upsert.key_columns) {
        let batch = Batch { session, upsert, rows: &rows };
        let added: HashSet<usize> = batch.visit(upsert.insert_many, &run, 0, &mut |_, _| Ok(()))?;
        // Only rows that exist are compared, so the first filling of a table needs only the insert.
        let rest: Vec<usize> = run.into_iter().filter(|place| !added.contains(place)).collect();
        let changed = batch.visit(upsert.stored_many, &rest, upsert.stored_columns, replaced)?;
        let changing: Vec<usize> = rest.into_iter().filter(|place| changed.contains(place)).collect();
        batch.visit(upsert.update_many, &changing, 0, &mut |_, _| Ok(()))?;
        added.into_iter().for_each(|place| outcome[place] = Upserted::Added);
        changed.into_iter().for_each(|place| outcome[place] = Upserted::Changed);
    }
    Ok(outcome)
}

/// The rows of an upsert.
struct Batch<'a, 'v> {
    session: &'a Session<'a>,
    upsert: &'a Upsert,
    rows: &'a [&'a [Value<'v>]],
}

impl Batch<'_, '_> {
    /// Sends the rows at these positions, and returns those whose position the statement reports in `column`.
    fn visit(
        &self,
        sql: &str,
        run: &[usize],
        column: usize,
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<HashSet<usize>> {
        let mut places = HashSet::new();
        if run.is_empty() {
            return Ok(places);
        }
        let arrays = Arrays::of(self.upsert.columns, self.rows, run)?;
        for row in self.session.query(sql, &arrays.typed())? {
            let row: &dyn Row = &row;
            let place: usize = row.number(column)?;
            if let Some(place) = place.checked_sub(1).and_then(|place| run.get(place)) {
                each(*place, row)?;
                places.insert(*place);
            }
        }
        Ok(places)
    }
}
