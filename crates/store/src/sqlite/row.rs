//! Conversion between SQLite's values and those of the rules.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row as SqliteRow, ToSql};

use crate::Result;
use crate::transaction::{Row, Value, unreadable};

impl Row for SqliteRow<'_> {
    fn text_or_null(&self, column: usize) -> Result<Option<&str>> {
        match self.get_ref(column)? {
            ValueRef::Null => Ok(None),
            value => value.as_str().map(Some).map_err(|_| unreadable(self, column)),
        }
    }

    fn integer_or_null(&self, column: usize) -> Result<Option<i64>> {
        match self.get_ref(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(number)),
            _ => Err(unreadable(self, column)),
        }
    }

    fn column_name(&self, column: usize) -> &str {
        self.as_ref().column_name(column).unwrap_or("unknown")
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
