//! Many rows in one statement: an array per column.

use std::collections::HashSet;

use tokio_postgres::types::{ToSql, Type};

use crate::sql::Column;
use crate::transaction::Value;
use crate::{Result, StoreError};

/// Groups the positions of the rows, starting anew at each repeated key: no statement changes a row twice.
pub(super) fn runs(rows: &[&[Value<'_>]], key_columns: usize) -> Vec<Vec<usize>> {
    let (mut runs, mut run, mut keys) = (Vec::new(), Vec::new(), HashSet::new());
    for (place, row) in rows.iter().enumerate() {
        let key = &row[row.len().saturating_sub(key_columns)..];
        if !keys.insert(key) {
            runs.push(std::mem::take(&mut run));
            keys = HashSet::from([key]);
        }
        run.push(place);
    }
    runs.push(run);
    runs
}

/// The values of rows, column by column.
pub(super) struct Arrays<'a>(Vec<Array<'a>>);

impl<'a> Arrays<'a> {
    /// Arrays of the rows at these positions.
    pub(super) fn of<'v: 'a>(columns: &[Column], rows: &[&'a [Value<'v>]], places: &[usize]) -> Result<Self> {
        let values = |column: usize| places.iter().map(move |place| &rows[*place][column]);
        let arrays = columns.iter().enumerate().map(|(column, kind)| Array::of(*kind, values(column)));
        arrays.collect::<Result<_>>().map(Self)
    }

    /// The arrays as statement parameters.
    pub(super) fn typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.0.iter().map(Array::typed).collect()
    }
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

    #[test]
    fn rows_are_split_at_repeated_keys() {
        let row = |series, day: i32| [Value::from("1"), Value::from(series), Value::from(day)];
        let rows = [row("a", 1), row("b", 1), row("a", 1), row("a", 2), row("a", 2)];
        let rows: Vec<&[Value<'_>]> = rows.iter().map(|row| &row[..]).collect();
        assert_eq!(runs(&rows, 2), [vec![0, 1], vec![2, 3], vec![4]]);
    }
}
