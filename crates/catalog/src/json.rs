//! JSON writing: objects member by member, strings escaped once.
//!
//! [`Object`] is the only way to write an object by hand, here and in the server. Member names are constants that
//! are quoted at compile time ([`name!`](crate::name)); values are texts, values that need no escape ([`Plain`]), or
//! existing JSON. Tests compare the output with a parser.

use std::borrow::{BorrowMut, Cow};
use std::fmt::Display;
use std::io::Write as _;

use jiff::Timestamp;
use lastro_model::{Cnpj, CompanyId, Day, Decimal, FilingId, History, Pair, Ticker};

/// A member name with the punctuation before a token, made by [`name!`](crate::name): `,"id":"`. Before other values
/// its last quote is left out.
#[derive(Debug, Clone, Copy)]
pub struct Name(&'static str);

impl Name {
    /// For [`name!`](crate::name), which adds the punctuation.
    #[doc(hidden)]
    pub const fn punctuated(text: &'static str) -> Self {
        Self(text)
    }
}

/// A member name: letters, digits and underscores, which need no escape.
#[macro_export]
macro_rules! name {
    ($name:literal) => {
        $crate::Name::punctuated(concat!(",\"", $name, "\":\""))
    };
}

/// A JSON object being written at the end of a borrowed or owned buffer.
#[derive(Debug)]
#[must_use = "an object is whole only after `end`"]
pub struct Object<B> {
    buffer: B,
    /// 1 until the first member is written, which has no comma before it.
    comma: usize,
}

impl<B: BorrowMut<Vec<u8>>> Object<B> {
    #[inline]
    pub fn new(mut buffer: B) -> Self {
        buffer.borrow_mut().push(b'{');
        Self { buffer, comma: 1 }
    }

    /// Adds free text, escaped.
    #[inline]
    pub fn text(self, name: Name, text: &str) -> Self {
        self.written(name, |out| push_string(text, out))
    }

    #[inline]
    pub fn optional_text(self, name: Name, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(name, text),
            None => self.null(name),
        }
    }

    /// Adds an identifier or a day: a string that needs no escape.
    #[inline]
    pub fn token(mut self, name: Name, token: impl Plain) -> Self {
        let out = self.buffer.borrow_mut();
        out.extend_from_slice(&name.0.as_bytes()[self.comma..]);
        token.write_into(out);
        out.push(b'"');
        self.comma = 0;
        self
    }

    #[inline]
    pub fn optional_token(self, name: Name, token: Option<impl Plain>) -> Self {
        match token {
            Some(token) => self.token(name, token),
            None => self.null(name),
        }
    }

    #[inline]
    pub fn number(self, name: Name, number: impl Plain) -> Self {
        self.written(name, |out| number.write_into(out))
    }

    #[inline]
    pub fn boolean(self, name: Name, value: bool) -> Self {
        self.raw(name, if value { b"true" } else { b"false" })
    }

    #[inline]
    pub fn null(self, name: Name) -> Self {
        self.raw(name, b"null")
    }

    /// Adds a value that is JSON already.
    #[inline]
    pub fn raw(self, name: Name, json: &[u8]) -> Self {
        self.written(name, |out| out.extend_from_slice(json))
    }

    /// Adds a value that `write` appends as JSON.
    #[inline]
    pub fn written(mut self, name: Name, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let out = self.buffer.borrow_mut();
        out.extend_from_slice(&name.0.as_bytes()[self.comma..name.0.len() - 1]);
        write(out);
        self.comma = 0;
        self
    }

    /// Adds a member whose name is known only at run time.
    pub fn named(mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let out = self.buffer.borrow_mut();
        if self.comma == 0 {
            out.push(b',');
        }
        push_string(name, out);
        out.push(b':');
        write(out);
        self.comma = 0;
        self
    }

    /// Adds an array of values that are already joined by commas.
    #[inline]
    pub fn joined(self, name: Name, items: &[u8]) -> Self {
        self.written(name, |out| {
            out.push(b'[');
            out.extend_from_slice(items);
            out.push(b']');
        })
    }

    /// Adds an array with one value per item, which `write` appends as JSON.
    #[inline]
    pub fn array<T>(
        self,
        name: Name,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(T, &mut Vec<u8>),
    ) -> Self {
        self.written(name, |out| {
            out.push(b'[');
            for (index, item) in items.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        })
    }

    /// Completes the object and returns the buffer.
    #[inline]
    pub fn end(mut self) -> B {
        self.buffer.borrow_mut().push(b'}');
        self.buffer
    }
}

/// A value written to JSON unchanged, in quotes or as a number: it needs no escape.
pub trait Plain: Copy {
    fn write_into(&self, out: &mut Vec<u8>);
}

impl Plain for Day {
    #[inline]
    fn write_into(&self, out: &mut Vec<u8>) {
        Self::write_into(*self, out);
    }
}

impl Plain for CompanyId {
    #[inline]
    fn write_into(&self, out: &mut Vec<u8>) {
        self.0.write_into(out);
    }
}

impl Plain for FilingId {
    #[inline]
    fn write_into(&self, out: &mut Vec<u8>) {
        match self {
            Self::Protocol(number) => number.write_into(out),
            Self::Hash(_) => push_display(self, out),
        }
    }
}

macro_rules! plain_integers {
    ($($integer:ty),*) => {$(
        impl Plain for $integer {
            #[inline]
            fn write_into(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
            }
        }
    )*};
}

plain_integers!(i64, u16, u32, u64, usize);

macro_rules! plain_as_displayed {
    ($($type:ty),*) => {$(
        impl Plain for $type {
            fn write_into(&self, out: &mut Vec<u8>) {
                push_display(self, out);
            }
        }
    )*};
}

plain_as_displayed!(Cnpj, Decimal, Pair, Ticker);

/// The digits of a number that is written more than once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Digits<'a>(pub(crate) &'a str);

impl Plain for Digits<'_> {
    #[inline]
    fn write_into(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_bytes());
    }
}

fn push_display(value: impl Display, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = write!(out, "{value}");
}

/// The text as a JSON string, quotes included.
pub(crate) fn string(text: &str) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    push_string(text, &mut bytes);
    bytes.into_boxed_slice()
}

pub(crate) const NULL: &[u8] = b"null";

/// A time as a JSON string, quotes included.
pub(crate) fn time_json(time: Timestamp) -> Box<[u8]> {
    string(&time.to_string())
}

/// Adds the members of a row's history.
pub(crate) fn with_history(object: Object<Vec<u8>>, history: History) -> Object<Vec<u8>> {
    let first_seen = history.first_seen.map_or_else(|| NULL.into(), time_json);
    let object = object.raw(name!("first_seen_at"), &first_seen);
    match history.withdrawn {
        None => object,
        Some(time) => object.raw(name!("withdrawn_at"), &time_json(time)),
    }
}

pub(crate) fn push_string(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, text).is_err() {
        // Writing to memory does not fail. If it did, the response must still be JSON.
        out.truncate(start);
        out.extend_from_slice(b"\"\"");
    }
}

/// The text of a JSON string written by this crate, so parsing succeeds. Copied only if it has escapes.
pub(crate) fn text_of(string: &[u8]) -> Cow<'_, str> {
    match string {
        [b'"', text @ .., b'"'] if !text.contains(&b'\\') => String::from_utf8_lossy(text),
        escaped => Cow::Owned(serde_json::from_slice(escaped).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn an_object_may_be_empty() {
        assert_eq!(Object::new(Vec::new()).end(), b"{}");
    }

    #[test]
    fn an_object_is_appended_to_the_buffer() {
        let mut out = b"[".to_vec();
        Object::new(&mut out).number(name!("total"), 7usize).null(name!("next")).end().push(b']');
        assert_eq!(String::from_utf8(out).unwrap(), r#"[{"total":7,"next":null}]"#);
    }

    proptest! {
        #[test]
        fn written_objects_are_parsed_back(
            text: String, optional: Option<String>, number: u64, day in 0i32..30_000, hashed: bool, items: Vec<u16>,
        ) {
            let day = Day::from_number(day).unwrap();
            let id = if hashed { FilingId::Hash(number) } else { FilingId::Protocol(number) };
            let value = Decimal::new(number as i64, 4);
            let object = Object::new(Vec::new())
                .text(name!("text"), &text)
                .optional_text(name!("optional"), optional.as_deref())
                .token(name!("id"), id)
                .optional_token(name!("day"), hashed.then_some(day))
                .number(name!("number"), number)
                .raw(name!("value"), value.to_string().as_bytes())
                .joined(name!("joined"), b"1,2")
                .named("any \"name\"", |out| number.write_into(out))
                .array(name!("items"), &items, Plain::write_into)
                .end();
            let expected = json!({
                "text": text, "optional": optional, "id": id.to_string(), "day": hashed.then(|| day.to_string()),
                "number": number, "value": value.to_string().parse::<f64>().unwrap(), "joined": [1, 2], "any \"name\"": number,
                "items": items,
            });
            prop_assert_eq!(serde_json::from_slice::<Value>(&object).unwrap(), expected);
        }

        #[test]
        fn strings_are_parsed_back(text: String) {
            let json = string(&text);
            prop_assert_eq!(serde_json::from_slice::<String>(&json).unwrap(), text.as_str());
            prop_assert_eq!(text_of(&json), text);
        }
    }
}
