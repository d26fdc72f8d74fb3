//! Values of the vocabulary in columns, both ways.
//!
//! What comes out was written by us: a value that does not parse is damage, and the message names its column.

use std::str::FromStr;

use jiff::Timestamp;
use lastro_model::{Day, Decimal, ParseError};
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::{Result, StoreError};

fn unreadable(row: &Row<'_>, column: usize) -> StoreError {
    let name = row.as_ref().column_name(column).unwrap_or("unknown");
    StoreError::damaged(format!("a value in the column {name} cannot be read"))
}

/// Borrowed from SQLite: millions of rows are read through here.
pub(super) fn text<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a str> {
    row.get_ref(column)?.as_str().map_err(|_| unreadable(row, column))
}

pub(super) fn string(row: &Row<'_>, column: usize) -> Result<String> {
    text(row, column).map(str::to_owned)
}

pub(super) fn optional_string(row: &Row<'_>, column: usize) -> Result<Option<String>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        _ => string(row, column).map(Some),
    }
}

pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Result<T, ParseError>,
) -> Result<T> {
    parse(text(row, column)?).map_err(|_| unreadable(row, column))
}

/// With all the decimals it was written with.
pub(super) fn decimal(row: &Row<'_>, column: usize) -> Result<Decimal> {
    Decimal::from_str(text(row, column)?).map_err(|_| unreadable(row, column))
}

pub(super) fn optional_integer(row: &Row<'_>, column: usize) -> Result<Option<i64>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(number) => Ok(Some(number)),
        _ => Err(unreadable(row, column)),
    }
}

/// A number of any width.
pub(super) fn number<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Result<T> {
    optional_number(row, column)?.ok_or_else(|| unreadable(row, column))
}

pub(super) fn optional_number<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Result<Option<T>> {
    optional_integer(row, column)?
        .map(|number| T::try_from(number).map_err(|_| unreadable(row, column)))
        .transpose()
}

pub(super) fn day(row: &Row<'_>, column: usize) -> Result<Day> {
    optional_day(row, column)?.ok_or_else(|| unreadable(row, column))
}

pub(super) fn optional_day(row: &Row<'_>, column: usize) -> Result<Option<Day>> {
    optional_number(row, column)?
        .map(|number| Day::from_number(number).ok_or_else(|| unreadable(row, column)))
        .transpose()
}

pub(super) fn time(row: &Row<'_>, column: usize) -> Result<Timestamp> {
    optional_time(row, column)?.ok_or_else(|| unreadable(row, column))
}

pub(super) fn optional_time(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    optional_integer(row, column)?
        .map(|millis| Timestamp::from_millisecond(millis).map_err(|_| unreadable(row, column)))
        .transpose()
}

/// A count as the database holds it; no real one reaches the bound.
pub(super) fn stored_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
