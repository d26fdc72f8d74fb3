//! The rules of a transfer: reading some rows of a table, writing them, and their digest.

use std::ops::ControlFlow;

use sha2::{Digest, Sha256};

use super::statements::CopiedTable;
use crate::sql::Column;
use crate::transaction::{Query, Reading, Row, Transaction, Value, checksum, feed};
use crate::{Result, StoreError};

/// Maximum number of rows that are read and written at once.
const ROWS_AT_ONCE: usize = 5_000;

/// Size of the texts after which a page ends earlier: messages may be long.
const BYTES_AT_ONCE: usize = 4 << 20;

/// The values of some rows, one row after the other.
pub(super) type Values = Vec<Value<'static>>;

/// Reads the rows after a key. Returns none at the end of the table.
pub(super) fn read(
    reading: &dyn Reading,
    table: &CopiedTable,
    after: Option<&[Value<'_>]>,
) -> Result<Values> {
    let has_checksums = table.upsert.is_some() && reading.keeps_checksums();
    let page = if has_checksums { table.page_with_checksum } else { table.page };
    let sql = if after.is_some() { page.after } else { page.first };
    let mut parameters = after.unwrap_or_default().to_vec();
    parameters.push(ROWS_AT_ONCE.into());
    let (mut values, mut bytes) = (Values::new(), 0);
    reading.visit(sql, &parameters, &mut |row| {
        let begin = values.len();
        for (place, column) in table.columns.iter().enumerate() {
            let value = value(row, place, *column)?;
            bytes += if let Value::Text(text) = &value { text.len() } else { 0 };
            values.push(value);
        }
        if has_checksums {
            check(table, row, &values[begin..])?;
        }
        Ok(if bytes < BYTES_AT_ONCE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(values)
}

fn value(row: &dyn Row, place: usize, column: Column) -> Result<Value<'static>> {
    Ok(match column {
        Column::Integer => row.integer_or_null(place)?.into(),
        Column::Text => row.optional_string(place)?.into(),
    })
}

/// Fails if a row differs from what was written. Rows of earlier versions have no checksum to compare.
fn check(table: &CopiedTable, row: &dyn Row, values: &[Value<'_>]) -> Result<()> {
    let unchecked = table.upsert.map_or(0, |upsert| upsert.unchecked);
    match row.optional_number::<u32>(values.len())? {
        Some(written) if written != checksum(&values[unchecked..]) => {
            Err(StoreError::damaged(format!("a row of the table {} is not as it was written", table.name)))
        }
        _ => Ok(()),
    }
}

/// Reads all rows of a small table.
pub(super) fn read_all(reading: &dyn Reading, table: &CopiedTable) -> Result<Values> {
    let mut all = Values::new();
    loop {
        let page = read(reading, table, last_key(table, &all))?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// The key of the last of some rows.
pub(super) fn last_key<'a>(
    table: &CopiedTable,
    values: &'a [Value<'static>],
) -> Option<&'a [Value<'static>]> {
    (!values.is_empty()).then(|| &values[values.len() - table.key_columns..])
}

/// The key of the last row that a table holds.
pub(super) fn last_key_held(reading: &dyn Reading, table: &CopiedTable) -> Result<Option<Values>> {
    let key = &table.columns[table.columns.len() - table.key_columns..];
    reading.first(table.last_key, &[], |row| {
        key.iter().enumerate().map(|(place, column)| value(row, place, *column)).collect()
    })
}

pub(super) fn write(target: &dyn Transaction, table: &CopiedTable, values: &[Value<'_>]) -> Result<()> {
    match &table.upsert {
        Some(upsert) => target.upsert(upsert, values, &mut |_, _| Ok(())).map(drop),
        None => target.execute_each(&table.insert, values).map(drop),
    }
}

/// Writes all rows of a small table in place of those that are there.
pub(super) fn replace(target: &dyn Transaction, table: &CopiedTable, values: &[Value<'_>]) -> Result<()> {
    target.execute(table.delete, &[])?;
    write(target, table, values)
}

pub(super) fn count(reading: &dyn Reading, table: &CopiedTable) -> Result<u64> {
    reading.number(table.count, &[])
}

/// Whether a table holds rows that a new database does not have.
pub(super) fn is_used(reading: &dyn Reading, table: &CopiedTable) -> Result<bool> {
    reading.one(table.is_used, &[], |row| row.flag(0))
}

/// The number of rows of a table, and a digest of all values in the order of the key.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    pub(super) rows: u64,
    digest: Sha256,
}

impl Summary {
    pub(super) fn add(&mut self, table: &CopiedTable, values: &[Value<'_>]) {
        feed(values, &mut |bytes| self.digest.update(bytes));
        self.rows += rows(table, values);
    }

    pub(super) fn digest(self) -> [u8; 32] {
        self.digest.finalize().into()
    }
}

pub(super) fn rows(table: &CopiedTable, values: &[Value<'_>]) -> u64 {
    (values.len() / table.columns.len().max(1)) as u64
}
