//! The query parameters: parsed strictly, rejected with the name and the bounds.

use std::borrow::Cow;

use lastro_catalog::Page;
use lastro_model::Day;
use percent_encoding::percent_decode_str;

use crate::error::ApiError;

/// The parameters in the order received, decoded once.
#[derive(Debug)]
pub struct Query<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

pub const LIST_LIMIT: usize = 1000;
pub const SERIES_LIMIT: usize = 10_000;
const DEFAULT_LIMIT: usize = 20;
const LONGEST_SEARCH: usize = 200;
const PAST_EVERY_END: usize = isize::MAX as usize;

impl<'a> Query<'a> {
    /// Parses the raw query string; one that is not UTF-8 once decoded is rejected as a whole.
    pub fn new(raw: &'a str) -> Result<Self, ApiError> {
        let pairs = raw.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(key)?, decode(value)?))
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    /// The value of a parameter. A repeated parameter is an error.
    pub fn get(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| &**value);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(bad(name, "is given more than once")),
            (value, None) => Ok(value),
        }
    }

    /// `limit`: the number of rows to return, from 1 to `most`.
    pub fn limit(&self, most: usize) -> Result<usize, ApiError> {
        self.limit_or(most, DEFAULT_LIMIT)
    }

    /// `limit` with another default.
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
        let limit = self.limit(most)?;
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

    /// `from` and `to`, both inclusive.
    pub fn days(&self) -> Result<(Option<Day>, Option<Day>), ApiError> {
        let (from, to) = (self.day("from")?, self.day("to")?);
        match (from, to) {
            (Some(from), Some(to)) if from > to => Err(bad("from", "must not be after `to`")),
            days => Ok(days),
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

/// The error for a bad parameter.
pub fn bad(name: &str, reason: &str) -> ApiError {
    ApiError::BadRequest(format!("`{name}` {reason}").into())
}

fn decode(text: &str) -> Result<Cow<'_, str>, ApiError> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(text.into());
    }
    let spaced = text.replace('+', " ");
    Ok(percent_decode_str(&spaced).decode_utf8().map_err(|_| ApiError::NOT_UTF8)?.into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn query(raw: &str) -> Query<'_> {
        Query::new(raw).unwrap()
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
        assert_eq!(query("limit=10000").limit(SERIES_LIMIT).unwrap(), 10_000);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        assert!(Query::new("q=%FF").is_err());
        assert!(Query::new("%C3=1").is_err());
        assert!(Query::new("q=100%").is_ok());
    }

    proptest! {
        #[test]
        fn no_query_panics(raw in "((limit|offset|from|to|q|pair)=|[&=+%0-9A-F-]|.){0,40}") {
            if let Ok(query) = Query::new(&raw) {
                let _ = (query.page(), query.limit(SERIES_LIMIT), query.days(), query.search(), query.get("pair"));
            }
        }
    }
}
