//! Many rows in one statement: an array for each column.

use std::collections::HashSet;

use tokio_postgres::types::{ToSql, Type};

use super::session::Session;
use crate::sql::{Column, Upsert};
use crate::transaction::{Row, Upserted, Value};
use crate::{Result, StoreError};

/// Rows of one key are written one after the other, so that the last stands; all others together.
pub(super) fn upsert(session: &Session<'_>, upsert: &Upsert, rows: &[Value<'_>]) -> Result<Vec<Upserted>> {
    let rows: Vec<&[Value<'_>]> = rows.chunks_exact(upsert.columns.len().max(1)).collect();
    let mut outcome = vec![Upserted::Known; rows.len()];
    for run in runs(&rows, upsert) {
        let added = places(session, upsert, upsert.insert_many, &rows, &run)?;
        // The second statement looks only at rows that exist: the first filling of a table pays for one alone.
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

/// The places of the rows, cut where a key comes again.
fn runs(rows: &[&[Value<'_>]], upsert: &Upsert) -> Vec<Vec<usize>> {
    let (mut runs, mut run, mut keys) = (Vec::new(), Vec::new(), HashSet::new());
    for (place, row) in rows.iter().enumerate() {
        let key = &row[row.len().saturating_sub(upsert.key_columns)..];
        if !keys.insert(key) {
            runs.push(std::mem::take(&mut run));
            keys = HashSet::from([key]);
        }
        run.push(place);
    }
    runs.push(run);
    runs
}

/// Sends the rows at these places, and gives the places of those that the statement tells of.
fn places(
    session: &Session<'_>,
    upsert: &Upsert,
    sql: &str,
    rows: &[&[Value<'_>]],
    run: &[usize],
) -> Result<HashSet<usize>> {
    let columns: Vec<Array<'_>> = upsert
        .columns
        .iter()
        .enumerate()
        .map(|(column, kind)| Array::of(*kind, run.iter().map(|place| &rows[*place][column])))
        .collect::<Result<_>>()?;
    let values: Vec<_> = columns.iter().map(Array::typed).collect();
    let mut places = HashSet::new();
    for row in session.query(sql, &values)? {
        let row: &dyn Row = &row;
        let place: usize = row.number(0)?;
        places.extend(place.checked_sub(1).and_then(|place| run.get(place)));
    }
    Ok(places)
}

/// The values of one column.
#[derive(Debug)]
enum Array<'a> {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<&'a str>>),
}

impl<'a> Array<'a> {
    fn of<'v: 'a>(kind: Column, values: impl Iterator<Item = &'a Value<'v>>) -> Result<Self> {
        match kind {
            Column::Integer => values.map(integer).collect::<Result<_>>().map(Self::Integers),
            Column::Text => values.map(text).collect::<Result<_>>().map(Self::Texts),
        }
    }

    fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Self::Integers(numbers) => (numbers, Type::INT8_ARRAY),
            Self::Texts(texts) => (texts, Type::TEXT_ARRAY),
        }
    }
}

fn integer(value: &Value<'_>) -> Result<Option<i64>> {
    match value {
        Value::Null => Ok(None),
        Value::Integer(number) => Ok(Some(*number)),
        Value::Text(_) => Err(misfit()),
    }
}

fn text<'a>(value: &'a Value<'_>) -> Result<Option<&'a str>> {
    match value {
        Value::Null => Ok(None),
        Value::Text(text) => Ok(Some(text)),
        Value::Integer(_) => Err(misfit()),
    }
}

fn misfit() -> StoreError {
    StoreError::Backend("a row has a value of another kind than its column".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql;

    #[test]
    fn rows_are_cut_where_a_key_comes_again() {
        let row = |series, day: i32| [Value::from("1"), Value::from(series), Value::from(day)];
        let rows = [row("a", 1), row("b", 1), row("a", 1), row("a", 2), row("a", 2)];
        let rows: Vec<&[Value<'_>]> = rows.iter().map(|row| &row[..]).collect();
        assert_eq!(runs(&rows, &sql::RATE), [vec![0, 1], vec![2, 3], vec![4]]);
    }
}
