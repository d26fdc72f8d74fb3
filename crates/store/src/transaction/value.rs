//! Conversion of the model's types into statement parameters.

use std::borrow::Cow;

use jiff::Timestamp;
use lastro_model::{AccountId, Day, Decimal, Edition, FilingId, KeyId, MessageId, WebhookId};

/// A parameter of a statement. Every database supports these types, with varying widths.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Text(Cow<'a, str>),
}

/// The parameters of a statement, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::transaction::Value::from($value)),*]
    };
}

pub(crate) use values;

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Value<'_> {
            fn from(number: $type) -> Self {
                Self::Integer(number.into())
            }
        }
    )*};
}

integers!(i64, i32, u32, u16, bool);

/// Counts are capped at `i64::MAX`, which no real count reaches.
impl From<u64> for Value<'_> {
    fn from(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value<'_> {
    fn from(count: usize) -> Self {
        Self::from(count as u64)
    }
}

impl From<Edition> for Value<'_> {
    fn from(edition: Edition) -> Self {
        Self::from(edition.0)
    }
}

impl From<Day> for Value<'_> {
    fn from(day: Day) -> Self {
        Self::from(day.number())
    }
}

/// Milliseconds since 1970 UTC.
impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        Self::Integer(at.as_millisecond())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// Text that keeps the decimal's scale.
impl From<Decimal> for Value<'_> {
    fn from(number: Decimal) -> Self {
        Self::from(number.to_string())
    }
}

impl From<FilingId> for Value<'_> {
    fn from(id: FilingId) -> Self {
        Self::from(id.to_string())
    }
}

impl<'a> From<&'a KeyId> for Value<'a> {
    fn from(id: &'a KeyId) -> Self {
        Self::from(id.as_str())
    }
}

impl<'a> From<&'a AccountId> for Value<'a> {
    fn from(id: &'a AccountId) -> Self {
        Self::from(&id.0)
    }
}

impl<'a> From<&'a WebhookId> for Value<'a> {
    fn from(id: &'a WebhookId) -> Self {
        Self::from(id.as_str())
    }
}

impl<'a> From<&'a MessageId> for Value<'a> {
    fn from(id: &'a MessageId) -> Self {
        Self::from(id.as_str())
    }
}

impl<'a, T> From<Option<T>> for Value<'a>
where
    Value<'a>: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::from)
    }
}

/// For optional fields of a borrowed row.
impl<'a> From<&'a Option<String>> for Value<'a> {
    fn from(text: &'a Option<String>) -> Self {
        Self::from(text.as_deref())
    }
}
