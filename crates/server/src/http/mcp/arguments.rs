//! Arguments of a call, and the operation of the API that they ask for.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;

use super::members::Members;
use super::message::{read, shown, text_of};
use super::parameter::{Kind, MOST_ROWS, Parameter};
use crate::error::ApiError;
use crate::http::v1::calculations::json_decimal;

/// Characters of a path segment or a query value that stay as they are.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The arguments that were given, as texts.
#[derive(Debug)]
pub(super) struct Arguments {
    parameters: &'static [Parameter],
    given: Vec<(&'static str, String)>,
}

impl Arguments {
    /// Checks the names and types of the arguments; their values are checked by the operation.
    pub(super) fn parse(
        parameters: &'static [Parameter],
        arguments: Option<&RawValue>,
    ) -> Result<Self, ApiError> {
        let given: Members<'_> = arguments.and_then(read).unwrap_or_default();
        let mut arguments = Vec::new();
        for (name, value) in given.iter() {
            let known = parameters.iter().find(|parameter| parameter.name == name);
            let parameter = known.ok_or_else(|| unknown(name, parameters))?;
            if value.get() != "null" {
                arguments.push((parameter.name, text(parameter, value)?));
            }
        }
        let arguments = Self { parameters, given: arguments };
        let mut required = parameters.iter().filter(|parameter| parameter.required);
        required.try_for_each(|parameter| arguments.filled(parameter.name).map(drop))?;
        Ok(arguments)
    }

    /// The value of an argument that must be there, and must not be empty.
    fn filled(&self, name: &str) -> Result<&str, ApiError> {
        self.get(name).filter(|value| !value.is_empty()).ok_or_else(|| {
            let known = self.parameters.iter().find(|parameter| parameter.name == name);
            let wanted = known.map_or("a value", |parameter| parameter.description);
            bad(format!("`{name}` is required and must not be empty: {wanted}"))
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == name).map(|(_, value)| &**value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The value of a whole number.
    fn number(&self, name: &str, least: usize) -> Result<Option<usize>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse().unwrap_or(usize::MAX) {
            number if is_whole && number >= least => Ok(Some(number)),
            _ => Err(bad(format!("`{name}` must be an integer of at least {least}"))),
        }
    }

    /// The rows to show: the first one, and how many.
    pub(super) fn page(&self, default: usize) -> Result<(usize, usize), ApiError> {
        let limit = self.number("limit", 1)?.unwrap_or(default).min(MOST_ROWS);
        Ok((self.number("offset", 0)?.unwrap_or(0), limit))
    }

    /// A target with the given arguments as its query, except for these; a `limit` over the cap becomes the cap.
    pub(super) fn target(&self, path: &str, except: &[&str]) -> String {
        let mut target = path.to_owned();
        let mut separator = '?';
        for (name, value) in self.given.iter().filter(|(name, _)| !except.contains(name)) {
            let capped = match value.parse::<u128>() {
                Ok(number) if *name == "limit" => number.min(MOST_ROWS as u128).to_string().into(),
                _ => Cow::Borrowed(value.as_str()),
            };
            target.push(separator);
            target.push_str(name);
            target.push('=');
            target.extend(utf8_percent_encode(&capped, ESCAPED));
            separator = '&';
        }
        target
    }

    /// The path of a route in whose template the argument of this name is. An empty one would be another path.
    pub(super) fn path(&self, route: &str, name: &str) -> Result<String, ApiError> {
        let value = utf8_percent_encode(self.filled(name)?, ESCAPED).to_string();
        Ok(route.replace(&format!("{{{name}}}"), &value))
    }
}

/// The text of an argument: of a number its digits as they were sent.
fn text(parameter: &Parameter, value: &RawValue) -> Result<String, ApiError> {
    let json = value.get();
    let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let plain = without_exponent(json);
    let json = plain.as_deref().unwrap_or(json);
    match parameter.kind {
        Kind::Integer if is_number => Ok(without_zeros(json).to_owned()),
        Kind::Decimal | Kind::Id if is_number => Ok(json.to_owned()),
        _ => text_of(value)
            .map(|text| text.trim().to_owned())
            .ok_or_else(|| bad(format!("`{}` must be {}", parameter.name, parameter.kind.in_words()))),
    }
}

/// A number with an exponent, written without it if that is exact.
fn without_exponent(json: &str) -> Option<String> {
    json.contains(['e', 'E']).then(|| json_decimal(json))?.map(|number| number.to_string())
}

/// An integer without a fraction of zeros, which some programs write.
fn without_zeros(json: &str) -> &str {
    match json.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole,
        _ => json,
    }
}

fn unknown(name: &str, parameters: &[Parameter]) -> ApiError {
    let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    bad(format!("`{}` is not an argument of this tool; they are {}", shown(name), known.join(", ")))
}

pub(super) fn bad(message: impl Into<Cow<'static, str>>) -> ApiError {
    ApiError::BadRequest(message.into())
}
