//! A part of the catalog as a table: each row as one JSON object, or as cells for columnar formats.
//!
//! Both forms come from the same columns and have the same names and values. Quoting of cells and punctuation of
//! decimals are up to the writer, not this crate.

use std::fmt::{self, Display};

use jiff::Timestamp;

/// One value of a row.
pub enum Cell<'a> {
    /// Free text with any characters.
    Text(&'a str),
    /// An identifier or a day: a text of a fixed form.
    Token(&'a dyn Display),
    /// Digits, optionally with a sign and a decimal point.
    Number(&'a dyn Display),
    /// Texts, and the separator for formats without lists.
    List(&'a [String], &'static str),
    /// JSON's `null`.
    Nothing,
}

impl<'a> Cell<'a> {
    /// A text, or [`Cell::Nothing`] for `None`.
    pub fn optional_text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Nothing, Self::Text)
    }

    /// A token, or [`Cell::Nothing`] for `None`.
    pub fn optional_token(token: Option<&'a impl Display>) -> Self {
        token.map_or(Self::Nothing, |token| Self::Token(token))
    }
}

impl fmt::Debug for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({text:?})"),
            Self::Token(token) => write!(f, "Token({token})"),
            Self::Number(number) => write!(f, "Number({number})"),
            Self::List(texts, _) => write!(f, "List({texts:?})"),
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}

/// The type of a column, for formats that have types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    /// A day, or the midnight that begins it.
    Day,
    /// An instant in UTC.
    Instant,
    Integer,
    Decimal,
    TextList,
}

pub trait Table {
    /// The field names, in the order of the JSON object and of the cells.
    const COLUMNS: &'static [&'static str];
    /// The types of [`Table::COLUMNS`].
    const TYPES: &'static [ColumnType];

    /// Appends a row as one JSON object.
    ///
    /// # Panics
    /// Like every method that takes a position: if this part did not return that position.
    fn write_json(&self, position: u32, out: &mut Vec<u8>);

    /// Passes the cells of a row to `put`, one for each of [`Table::COLUMNS`].
    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>));

    /// The time at which the publisher had stopped listing a row. It is not among the cells.
    fn withdrawn_at(&self, _position: u32) -> Option<Timestamp> {
        None
    }
}
