//! The query parameters: parsed strictly, rejected with the name and the bounds.

use std::borrow::Cow;

use lastro_catalog::Page;
use lastro_model::Day;

use super::nearest::{nearest, shown};
use crate::error::ApiError;
use crate::http::parameters::Parameters;

/// The parameters in the order received, decoded once.
#[derive(Debug)]
pub struct Query<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The parameters of the route; `None` for a page, which ignores those it does not know.
    known: Option<Parameters>,
}

pub const LIST_LIMIT: usize = 1000;
pub const SERIES_LIMIT: usize = 10_000;
const DEFAULT_LIMIT: usize = 20;
const LONGEST_SEARCH: usize = 200;
const PAST_EVERY_END: usize = isize::MAX as usize;

impl<'a> Query<'a> {
    /// Parses the query string of a page; one that is not UTF-8 once decoded is rejected as a whole.
    pub fn of_page(raw: &'a str) -> Result<Self, ApiError> {
        Ok(Self { pairs: pairs(raw).collect::<Result<_, _>>()?, known: None })
    }

    /// Parses the query string of a route of the API. A parameter that is unknown or repeated is an error: ignoring it
    /// would answer another question than the one asked.
    pub fn of_api(raw: &'a str, known: Parameters) -> Result<Self, ApiError> {
        let mut query = Self { pairs: Vec::new(), known: Some(known) };
        for pair in pairs(raw) {
            let (name, value) = pair?;
            if !known.contains(&&*name) {
                return Err(unknown(&name, known));
            }
            if query.pairs.iter().any(|(other, _)| *other == name) {
                return Err(bad(&name, REPEATED));
            }
            query.pairs.push((name, value));
        }
        Ok(query)
    }

    /// The value of a parameter. A repeated parameter is an error.
    pub fn get(&self, name: &str) -> Result<Option<&str>, ApiError> {
        debug_assert!(self.known.is_none_or(|known| known.contains(&name)), "the route does not list {name}");
        let mut values = self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| &**value);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(bad(name, REPEATED)),
            (value, None) => Ok(value),
        }
    }

    /// The names of the parameters given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(name, _)| &**name)
    }

    /// The values of a comma-separated list, from 1 to `most`, each once; empty if it is left out.
    pub fn list(&self, name: &str, most: usize) -> Result<Vec<&str>, ApiError> {
        let Some(text) = self.get(name)? else { return Ok(Vec::new()) };
        let mut values: Vec<&str> = Vec::new();
        for value in text.split(',').map(str::trim) {
            if value.is_empty() || values.len() == most {
                return Err(bad(name, &format!("must be 1 to {most} values with commas between them")));
            }
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Ok(values)
    }

    /// `numbers`: whether decimals are requested as strings.
    pub fn decimals_as_strings(&self) -> Result<bool, ApiError> {
        if self.known.is_none() {
            return Ok(false);
        }
        let asked = self.word("numbers", &["number", "string"], |text| match text {
            "number" => Some(false),
            "string" => Some(true),
            _ => None,
        })?;
        Ok(asked.unwrap_or(false))
    }

    /// `limit`: the number of rows to return, from 1 to `most`.
    pub fn limit_or(&self, most: usize, default: usize) -> Result<usize, ApiError> {
        match self.integer("limit")? {
            None => Ok(default),
            Some(Ok(limit)) if (1..=most).contains(&limit) => Ok(limit),
            Some(_) => Err(bad("limit", &format!("must be an integer from 1 to {most}"))),
        }
    }

    /// `limit` and `offset` of a list.
    pub fn page(&self) -> Result<Page, ApiError> {
        self.page_of(LIST_LIMIT)
    }

    /// `limit` and `offset`, with at most `most` rows.
    pub fn page_of(&self, most: usize) -> Result<Page, ApiError> {
        self.page_or(most, DEFAULT_LIMIT)
    }

    /// `limit` and `offset` with another default of `limit`.
    pub fn page_or(&self, most: usize, default: usize) -> Result<Page, ApiError> {
        let limit = self.limit_or(most, default)?;
        match self.integer("offset")? {
            None => Ok(Page { limit, offset: 0 }),
            Some(Ok(offset)) => Ok(Page { limit, offset }),
            Some(Err(())) => Err(bad("offset", "must be an integer of at least 0")),
        }
    }

    /// Parses digits only; a number too large for an int64 counts as past every end.
    fn integer(&self, name: &str) -> Result<Option<Result<usize, ()>>, ApiError> {
        Ok(self.get(name)?.map(|text| {
            if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
                return Err(());
            }
            Ok(text.parse().unwrap_or(PAST_EVERY_END).min(PAST_EVERY_END))
        }))
    }

    /// A whole number from 0 to `most`.
    pub fn whole_number(&self, name: &str, most: usize) -> Result<Option<usize>, ApiError> {
        match self.integer(name)? {
            None => Ok(None),
            Some(Ok(number)) if number <= most => Ok(Some(number)),
            Some(_) => Err(bad(name, &format!("must be an integer from 0 to {most}"))),
        }
    }

    /// `withdrawn`: whether rows that the publisher no longer lists are shown, too.
    pub fn withdrawn(&self) -> Result<bool, ApiError> {
        let asked = self.word("withdrawn", &["include"], |word| (word == "include").then_some(true))?;
        Ok(asked.unwrap_or(false))
    }

    /// `from` and `to`, both inclusive. A month stands for its first day in `from`, and for its last in `to`.
    pub fn days(&self) -> Result<(Option<Day>, Option<Day>), ApiError> {
        let (from, to) = (self.end("from", Day::first_of_month)?, self.end("to", Day::last_of_month)?);
        match (from, to) {
            (Some(from), Some(to)) if from > to => Err(bad("from", "must not be after `to`")),
            days => Ok(days),
        }
    }

    /// A day, or the day that `of_month` returns for any day of a month written as `YYYY-MM`.
    fn end(&self, name: &str, of_month: fn(Day) -> Day) -> Result<Option<Day>, ApiError> {
        const MONTH: usize = "YYYY-MM".len();
        match self.get(name)? {
            Some(text) if text.len() == MONTH => match Day::parse(&format!("{text}-01")) {
                Ok(day) => Ok(Some(of_month(day))),
                Err(_) => Err(bad(name, "must be a real calendar day, YYYY-MM-DD, or a month, YYYY-MM")),
            },
            _ => self.day(name),
        }
    }

    pub fn day(&self, name: &str) -> Result<Option<Day>, ApiError> {
        self.get(name)?
            .map(|text| Day::parse(text).map_err(|reason| ApiError::parameter(name, &reason)))
            .transpose()
    }

    /// One of `words`, as parsed by `parse`.
    pub fn word<T>(
        &self,
        name: &str,
        words: &[&str],
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.get(name)? else { return Ok(None) };
        parse(text).map(Some).ok_or_else(|| bad(name, &format!("must be one of {}", words.join(", "))))
    }

    /// `true` or `false`; `false` if left out.
    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        Ok(self.word(name, &["true", "false"], |text| text.parse().ok())?.unwrap_or(false))
    }

    /// A parameter that cannot be left out.
    pub fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, ApiError> {
        value.ok_or_else(|| bad(name, "is required"))
    }

    /// `q`: the search text.
    pub fn search(&self) -> Result<&str, ApiError> {
        let text = self.get("q")?.unwrap_or_default();
        match text.trim() {
            "" => Err(bad("q", "is required: what to search for")),
            text if text.chars().count() > LONGEST_SEARCH => {
                Err(bad("q", "must have at most 200 characters"))
            }
            text => Ok(text),
        }
    }
}

const REPEATED: &str = "is given more than once";

/// The decoded names and values.
fn pairs(raw: &str) -> impl Iterator<Item = Result<(Cow<'_, str>, Cow<'_, str>), ApiError>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (pair, after) = split_once(rest, b'&');
            rest = after;
            if !pair.is_empty() {
                let (name, value) = split_once(pair, b'=');
                return Some(decode(name).and_then(|name| Ok((name, decode(value)?))));
            }
        }
        None
    })
}

/// The error for a parameter that the route does not take.
#[cold]
fn unknown(name: &str, known: Parameters) -> ApiError {
    let near = nearest(name, known.iter().copied()).unwrap_or_default();
    let message = format!(
        "`{}` is not a parameter of this path; the nearest one is `{near}`, and all are {}",
        shown(name),
        known.join(", ")
    );
    ApiError::BadRequest(message.into())
}

/// The error for a bad parameter.
pub fn bad(name: &str, reason: &str) -> ApiError {
    ApiError::BadRequest(format!("`{name}` {reason}").into())
}

/// The text before and after the first such byte. `str::split_once` takes twice the instructions for texts this short.
fn split_once(text: &str, byte: u8) -> (&str, &str) {
    let at = text.bytes().position(|other| other == byte);
    at.map_or((text, ""), |at| (&text[..at], &text[at + 1..]))
}

fn decode(text: &str) -> Result<Cow<'_, str>, ApiError> {
    let next = |rest: &[u8]| rest.iter().position(|byte| matches!(byte, b'%' | b'+'));
    let Some(mut end) = next(text.as_bytes()) else { return Ok(text.into()) };
    let hex = |byte: u8| char::from(byte).to_digit(16);
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    loop {
        decoded.extend_from_slice(&rest[..end]);
        rest = &rest[end..];
        let (byte, length) = match *rest {
            [] => break,
            [b'%', high, low, ..] if let (Some(high), Some(low)) = (hex(high), hex(low)) => {
                ((high << 4 | low) as u8, 3)
            }
            [b'+', ..] => (b' ', 1),
            [byte, ..] => (byte, 1),
        };
        decoded.push(byte);
        rest = &rest[length..];
        end = next(rest).unwrap_or(rest.len());
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| ApiError::NOT_UTF8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn query(raw: &str) -> Query<'_> {
        Query::of_page(raw).unwrap()
    }

    #[test]
    fn values_are_decoded_and_unknown_names_ignored() {
        let query = query("x=1&pair=usd%2Fbrl&q=a%C3%A7%C3%A3o+nova&flag");
        assert_eq!(query.get("pair").unwrap().unwrap(), "usd/brl");
        assert_eq!(query.search().unwrap(), "ação nova");
        assert_eq!(query.get("flag").unwrap().unwrap(), "");
        assert_eq!(query.get("absent").unwrap(), None);
    }

    #[test]
    fn bounds_are_kept() {
        for good in ["", "limit=1", "limit=1000&offset=0", "offset=99999999999999999999999"] {
            assert!(query(good).page().is_ok(), "{good}");
        }
        for bad in [
            "limit=0",
            "limit=1001",
            "limit=-1",
            "limit=",
            "limit=1.0",
            "limit=x",
            "offset=-1",
            "offset=+1",
            "limit=1&limit=2",
        ] {
            assert!(query(bad).page().is_err(), "{bad}");
        }
        assert_eq!(query("limit=10000").page_of(SERIES_LIMIT).unwrap().limit, 10_000);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        assert!(Query::of_page("q=%FF").is_err());
        assert!(Query::of_page("%C3=1").is_err());
        assert!(Query::of_page("q=100%").is_ok());
    }

    proptest! {
        #[test]
        fn texts_are_decoded_as_by_the_library(text in "([%+]|%[0-9A-Fa-f]{2}|%C3%A7|.){0,20}") {
            let spaced = text.replace('+', " ");
            let expected = percent_encoding::percent_decode_str(&spaced).decode_utf8();
            prop_assert_eq!(decode(&text).ok(), expected.ok());
        }

        #[test]
        fn no_query_panics(raw in "((limit|offset|from|to|q|pair)=|[&=+%0-9A-F-]|.){0,40}") {
            if let Ok(query) = Query::of_page(&raw) {
                let _ = (query.page(), query.list("ids", 3), query.days(), query.search(), query.get("pair"));
            }
        }
    }
}
