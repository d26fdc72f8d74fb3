//! The variable segments of a path, by their names in the route's template.

use std::borrow::Cow;

use arrayvec::ArrayVec;
use percent_encoding::percent_decode_str;

use crate::error::ApiError;

/// The most parameters of any route.
const MOST: usize = 2;

#[derive(Debug, Default)]
pub struct PathParams<'a>(ArrayVec<(&'static str, Cow<'a, str>), MOST>);

impl<'a> PathParams<'a> {
    /// Parses a path that this template matches. A segment that is not UTF-8 once decoded is rejected.
    pub fn read(template: &'static str, path: &'a str) -> Result<Self, ApiError> {
        let (mut params, mut template, mut path) = (ArrayVec::new(), template, path);
        while let Some((literal, name, rest)) = next_parameter(template) {
            // Literal parts have the same length in both.
            path = path.get(literal.len()..).unwrap_or_default();
            let segment = path.split_once('/').map_or(path, |(segment, _)| segment);
            params.try_push((name, decode(segment)?)).map_err(|_| ApiError::Internal)?;
            (template, path) = (rest, &path[segment.len()..]);
        }
        Ok(Self(params))
    }

    /// The segment of this name; empty if the template has no such name.
    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        debug_assert!(found.is_some(), "no segment is called {name}");
        found.map_or("", |(_, segment)| segment)
    }
}

/// The text before the first `{name}`, the name, and the rest.
fn next_parameter(template: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    let (literal, rest) = template.split_once('{')?;
    let (name, rest) = rest.split_once('}')?;
    Some((literal, name, rest))
}

/// Decodes a segment. A plus sign stays a plus sign, unlike in a query.
fn decode(segment: &str) -> Result<Cow<'_, str>, ApiError> {
    percent_decode_str(segment).decode_utf8().map_err(|_| ApiError::NOT_UTF8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn segments_are_decoded_and_found_by_name() {
        let params =
            PathParams::read("/webhooks/{id}/deliveries/{delivery}", "/webhooks/a%2Fb/deliveries/c+d");
        let params = params.unwrap();
        assert_eq!((params.get("id"), params.get("delivery")), ("a/b", "c+d"));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        assert!(PathParams::read("/companies/{id}", "/companies/%FF").is_err());
        assert!(PathParams::read("/companies/{id}", "/companies/100%").is_ok());
    }

    proptest! {
        #[test]
        fn no_path_panics(path in "([/%0-9A-Fa-f+]|.){0,40}") {
            let _ = PathParams::read("/webhooks/{id}/deliveries/{delivery}", &path);
        }
    }
}
