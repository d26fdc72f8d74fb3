//! Conversion of columns into the model's types.
//!
//! This program wrote every value itself, so one that does not parse is damage, and the error names its column.

use std::str::FromStr;

use jiff::Timestamp;
use lastro_model::{Day, Decimal, ParseError};

use crate::{Result, StoreError};

/// A row as the engine holds it, with two types of values. Text is borrowed, because millions of rows are read here.
pub(crate) trait Row {
    /// `None` if the column is NULL.
    fn text_or_null(&self, column: usize) -> Result<Option<&str>>;

    /// `None` if the column is NULL. A boolean is 0 or 1.
    fn integer_or_null(&self, column: usize) -> Result<Option<i64>>;

    fn column_name(&self, column: usize) -> &str;
}

pub(crate) fn unreadable(row: &(impl Row + ?Sized), column: usize) -> StoreError {
    StoreError::damaged(format!("a value in the column {} cannot be read", row.column_name(column)))
}

impl dyn Row + '_ {
    pub(crate) fn text(&self, column: usize) -> Result<&str> {
        self.text_or_null(column)?.ok_or_else(|| unreadable(self, column))
    }

    pub(crate) fn string(&self, column: usize) -> Result<String> {
        self.text(column).map(str::to_owned)
    }

    pub(crate) fn optional_string(&self, column: usize) -> Result<Option<String>> {
        Ok(self.text_or_null(column)?.map(str::to_owned))
    }

    pub(crate) fn parsed<T>(
        &self,
        column: usize,
        parse: impl FnOnce(&str) -> Result<T, ParseError>,
    ) -> Result<T> {
        parse(self.text(column)?).map_err(|_| unreadable(self, column))
    }

    pub(crate) fn optional_parsed<T>(
        &self,
        column: usize,
        parse: impl FnOnce(&str) -> Result<T, ParseError>,
    ) -> Result<Option<T>> {
        self.text_or_null(column)?.map(parse).transpose().map_err(|_| unreadable(self, column))
    }

    /// A decimal with its original scale.
    pub(crate) fn decimal(&self, column: usize) -> Result<Decimal> {
        Decimal::from_str(self.text(column)?).map_err(|_| unreadable(self, column))
    }

    /// A number of any width.
    pub(crate) fn number<T: TryFrom<i64>>(&self, column: usize) -> Result<T> {
        self.optional_number(column)?.ok_or_else(|| unreadable(self, column))
    }

    pub(crate) fn optional_number<T: TryFrom<i64>>(&self, column: usize) -> Result<Option<T>> {
        self.integer_or_null(column)?
            .map(|number| T::try_from(number).map_err(|_| unreadable(self, column)))
            .transpose()
    }

    pub(crate) fn flag(&self, column: usize) -> Result<bool> {
        self.number::<i64>(column).map(|flag| flag != 0)
    }

    pub(crate) fn day(&self, column: usize) -> Result<Day> {
        self.optional_day(column)?.ok_or_else(|| unreadable(self, column))
    }

    pub(crate) fn optional_day(&self, column: usize) -> Result<Option<Day>> {
        self.optional_number(column)?
            .map(|number| Day::from_number(number).ok_or_else(|| unreadable(self, column)))
            .transpose()
    }

    pub(crate) fn time(&self, column: usize) -> Result<Timestamp> {
        self.optional_time(column)?.ok_or_else(|| unreadable(self, column))
    }

    pub(crate) fn optional_time(&self, column: usize) -> Result<Option<Timestamp>> {
        self.integer_or_null(column)?
            .map(|millis| Timestamp::from_millisecond(millis).map_err(|_| unreadable(self, column)))
            .transpose()
    }
}
