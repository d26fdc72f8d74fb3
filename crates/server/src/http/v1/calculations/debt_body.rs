//! The JSON body of a debt, and the member at fault if it cannot be parsed.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::ApiError;
use crate::http::request::body::{self, Members};
use crate::http::request::query::bad;

const FORM: &str = "the body must be a JSON object with `to`, `index` (a price index, or null), `interest` \
    (`rule`, and for some rules `monthly_percent` and `from`), `instalments` (a list of `date`, `amount` and perhaps \
    `label`), and perhaps `fine_percent`, `fine_on` and `fees_percent`, once each";
pub(super) const MEMBERS: &[&str] =
    &["to", "index", "interest", "fine_percent", "fine_on", "fees_percent", "instalments"];
/// The members of a body with the result on a document, to be checked.
pub(super) const CHECKED_MEMBERS: &[&str] =
    &["to", "index", "interest", "fine_percent", "fine_on", "fees_percent", "instalments", "result"];
const INTEREST_MEMBERS: &[&str] = &["rule", "monthly_percent", "from"];
const INSTALMENT_MEMBERS: &[&str] = &["date", "amount", "label"];

/// The members of a body. Numbers keep their text, so that they stay exact.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields<'a> {
    #[serde(borrow)]
    pub(super) to: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "body::present", default)]
    pub(super) index: Option<Option<Cow<'a, str>>>,
    #[serde(borrow)]
    pub(super) interest: InterestFields<'a>,
    #[serde(borrow, default)]
    pub(super) fine_percent: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) fine_on: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) fees_percent: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) instalments: Vec<InstalmentFields<'a>>,
    /// The result on a document, only where it is checked.
    #[serde(borrow, default)]
    pub(super) result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InterestFields<'a> {
    #[serde(borrow)]
    pub(super) rule: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) monthly_percent: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) from: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstalmentFields<'a> {
    #[serde(borrow)]
    pub(super) date: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) amount: &'a RawValue,
    #[serde(borrow, default)]
    pub(super) label: Option<Cow<'a, str>>,
}

/// Parses a body with these members, or names the first one at fault.
pub(super) fn fields<'a>(body: &'a [u8], known: &'static [&'static str]) -> Result<Fields<'a>, ApiError> {
    let members = body::object(body, known, FORM)?;
    serde_json::from_slice(body)
        .map_err(|_| first_fault(&members).err().unwrap_or_else(|| ApiError::BadRequest(FORM.into())))
}

/// The kind that the value of a member must have. Numbers are not judged here, but with their bounds.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    TextOrNull,
    Object,
    List,
    Given,
}

impl Shape {
    fn fits(self, value: &RawValue) -> bool {
        let text = value.get();
        // A text may have an escape that stands for no character.
        let is_text = || serde_json::from_str::<Cow<'_, str>>(text).is_ok();
        match self {
            Self::Text => is_text(),
            Self::TextOrNull => text == "null" || is_text(),
            Self::Object => text.starts_with('{'),
            Self::List => text.starts_with('['),
            Self::Given => true,
        }
    }

    const fn demand(self) -> &'static str {
        match self {
            Self::Text => "must be a text",
            Self::TextOrNull => "must be a text or null",
            Self::Object => "must be an object",
            Self::List => "must be a list",
            Self::Given => "is required",
        }
    }
}

/// The members that must be given.
const REQUIRED: &[(&str, Shape)] = &[
    ("to", Shape::Text),
    ("index", Shape::TextOrNull),
    ("interest", Shape::Object),
    ("instalments", Shape::List),
];
const OPTIONAL: &[(&str, Shape)] = &[("fine_on", Shape::TextOrNull)];

fn first_fault(members: &Members<'_>) -> Result<(), ApiError> {
    check("", members, REQUIRED, OPTIONAL)?;
    if let Some(interest) = members.get("interest") {
        let (rule, from) = (("rule", Shape::Text), ("from", Shape::TextOrNull));
        check_inside("interest", interest, INTEREST_MEMBERS, &[rule], &[from])?;
    }
    let instalments = members.get("instalments").map(|list| serde_json::from_str(list.get()));
    let instalments: Vec<&RawValue> = instalments.and_then(Result::ok).unwrap_or_default();
    for (place, instalment) in instalments.into_iter().enumerate() {
        let required = [("date", Shape::Text), ("amount", Shape::Given)];
        let name = format!("instalments[{place}]");
        check_inside(&name, instalment, INSTALMENT_MEMBERS, &required, &[("label", Shape::TextOrNull)])?;
    }
    Ok(())
}

fn check_inside(
    name: &str,
    value: &RawValue,
    known: &'static [&'static str],
    required: &[(&str, Shape)],
    optional: &[(&str, Shape)],
) -> Result<(), ApiError> {
    let members =
        if Shape::Object.fits(value) { body::inner_object(name, value, known, FORM)? } else { None };
    let members = members.ok_or_else(|| bad(name, Shape::Object.demand()))?;
    check(&format!("{name}."), &members, required, optional)
}

fn check(
    prefix: &str,
    members: &Members<'_>,
    required: &[(&str, Shape)],
    optional: &[(&str, Shape)],
) -> Result<(), ApiError> {
    for (place, (name, shape)) in required.iter().chain(optional).enumerate() {
        let full_name = || format!("{prefix}{name}");
        match members.get(name) {
            None if place < required.len() => return Err(bad(&full_name(), "is required")),
            Some(value) if !shape.fits(value) => return Err(bad(&full_name(), shape.demand())),
            _ => {}
        }
    }
    Ok(())
}
