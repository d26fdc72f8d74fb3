//! Conversion between PostgreSQL's values and those of the rules.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::Row as PostgresRow;
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};

use crate::Result;
use crate::transaction::{Row, Value, unreadable};

impl Row for PostgresRow {
    fn text_or_null(&self, column: usize) -> Result<Option<&str>> {
        self.try_get(column).map_err(|_| unreadable(self, column))
    }

    /// Handles every width: the rules do not distinguish them, but columns do.
    fn integer_or_null(&self, column: usize) -> Result<Option<i64>> {
        let number = match self.columns().get(column).map(|column| column.type_().clone()) {
            Some(Type::INT8) => self.try_get(column),
            Some(Type::INT4) => self.try_get::<_, Option<i32>>(column).map(|number| number.map(i64::from)),
            Some(Type::INT2) => self.try_get::<_, Option<i16>>(column).map(|number| number.map(i64::from)),
            Some(Type::BOOL) => self.try_get::<_, Option<bool>>(column).map(|flag| flag.map(i64::from)),
            _ => return Err(unreadable(self, column)),
        };
        number.map_err(|_| unreadable(self, column))
    }

    fn column_name(&self, column: usize) -> &str {
        self.columns().get(column).map_or("unknown", |column| column.name())
    }
}

/// Sends values as text, like literals, so that the server converts them to the type required in their place.
impl ToSql for Value<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => return Ok(IsNull::Yes),
            Value::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}
