//! A part of the catalog as a table: each row as one JSON object, or as cells for formats that are made of columns.
//!
//! Both forms come from the same columns and have the same names and the same values. How a cell is quoted or a decimal
//! is punctuated is the writer's business, not this crate's.

use std::fmt::{self, Display};

/// One value of a row.
pub enum Cell<'a> {
    /// Words that somebody wrote: they may hold anything.
    Text(&'a str),
    /// An identifier or a day: a text of one known form.
    Token(&'a dyn Display),
    /// Digits, perhaps a sign and a decimal point.
    Number(&'a dyn Display),
    /// What JSON calls `null`.
    Nothing,
}

impl<'a> Cell<'a> {
    /// A text, or nothing where there is none.
    pub fn optional_text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Nothing, Self::Text)
    }

    /// A token, or nothing where there is none.
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
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}

pub trait Table {
    /// The names of the fields, in the order of the JSON object and of the cells.
    const COLUMNS: &'static [&'static str];

    /// Appends a row as one JSON object.
    ///
    /// # Panics
    /// As every method that takes a position: if this part did not give it out.
    fn write_json(&self, position: u32, out: &mut Vec<u8>);

    /// Hands over the cells of a row, one for each of [`Table::COLUMNS`].
    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>));
}
