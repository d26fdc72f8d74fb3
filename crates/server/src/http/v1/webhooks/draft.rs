//! Bodies of requests to create or change a webhook, checked member by member. Unknown members are ignored.

use lastro_model::text::has_control;
use lastro_model::{CompanyId, DisabledBy, Series, WebhookEvent, WebhookFilters};
use lastro_store::WebhookChange;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::error::ApiError;
use crate::http::request::body;
use crate::webhooks::endpoint;

const LONGEST_DESCRIPTION: usize = 200;
const MOST_FILTERS: usize = 100;
const LONGEST_CATEGORY: usize = 100;
const LONGEST_SEARCH: usize = 200;
/// Longest registry code, without leading zeros.
const LONGEST_CODE: usize = 9;
/// Longest id of a series.
const LONGEST_ID_SHOWN: usize = 40;

/// A webhook to be created.
#[derive(Debug)]
pub struct Draft {
    pub url: String,
    pub description: Option<String>,
    pub events: Vec<WebhookEvent>,
    pub filters: WebhookFilters,
}

impl Draft {
    pub fn from_json(body: &[u8], allow_private: bool) -> Result<Self, ApiError> {
        let members: Members<'_> =
            body::object(body, "the body must be a JSON object with `url` and `events`, each member once")?;
        Ok(Self {
            url: url(required("url", members.url)?, allow_private)?,
            events: events(required("events", members.events)?)?,
            description: members.description.map(description).transpose()?.flatten(),
            filters: members.filters.map(filters).transpose()?.unwrap_or_default(),
        })
    }
}

/// Changes to an existing webhook.
#[derive(Debug)]
pub struct Change(pub WebhookChange);

impl Change {
    pub fn from_json(body: &[u8], allow_private: bool) -> Result<Self, ApiError> {
        let members: Members<'_> = body::object(
            body,
            "the body must be a JSON object with what is to change of `url`, `events`, `description`, `filters` and \
             `status`, each member once",
        )?;
        Ok(Self(WebhookChange {
            url: members.url.map(|value| url(value, allow_private)).transpose()?,
            events: members.events.map(events).transpose()?,
            description: members.description.map(description).transpose()?,
            filters: members.filters.map(filters).transpose()?,
            disabled: members.status.map(status).transpose()?,
            by_owner: true,
        }))
    }
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "body::present")]
    url: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "body::present")]
    events: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "body::present")]
    description: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "body::present")]
    filters: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "body::present")]
    status: Option<&'a RawValue>,
}

fn bad(field: &str, reason: &str) -> ApiError {
    ApiError::BadRequest(format!("`{field}` {reason}").into())
}

fn required<'a>(field: &str, value: Option<&'a RawValue>) -> Result<&'a RawValue, ApiError> {
    value.ok_or_else(|| bad(field, "is required"))
}

fn read<T: DeserializeOwned>(field: &str, value: &RawValue, otherwise: &str) -> Result<T, ApiError> {
    serde_json::from_str(value.get()).map_err(|_| bad(field, otherwise))
}

fn url(value: &RawValue, allow_private: bool) -> Result<String, ApiError> {
    let text: String = read("url", value, "must be a string")?;
    endpoint::parse(&text, allow_private).map_err(|reason| bad("url", reason))
}

fn events(value: &RawValue) -> Result<Vec<WebhookEvent>, ApiError> {
    let names: Vec<String> = read("events", value, "must be a list of event names")?;
    if names.is_empty() {
        return Err(bad("events", "must name at least one event"));
    }
    let mut events = Vec::new();
    for name in &names {
        let event = WebhookEvent::offered().find(|event| event.name() == name);
        events.push(event.ok_or_else(|| bad("events", &offer()))?);
    }
    events.sort_unstable();
    events.dedup();
    Ok(events)
}

fn offer() -> String {
    let names: Vec<&str> = WebhookEvent::offered().map(WebhookEvent::name).collect();
    format!("must be of {}", names.join(", "))
}

fn description(value: &RawValue) -> Result<Option<String>, ApiError> {
    let text: Option<String> = read("description", value, "must be a string or null")?;
    match text {
        Some(text) if text.chars().count() > LONGEST_DESCRIPTION => {
            Err(bad("description", "must have at most 200 characters"))
        }
        Some(text) if has_control(&text) => Err(bad("description", "must not hold control characters")),
        text => Ok(text),
    }
}

#[derive(Deserialize, Default)]
struct Lists {
    #[serde(default)]
    company_ids: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    #[serde(default)]
    series_ids: Vec<String>,
    #[serde(default)]
    q: Option<String>,
}

fn filters(value: &RawValue) -> Result<WebhookFilters, ApiError> {
    let otherwise = "must be null or an object with the lists of strings `company_ids`, `categories` and `series_ids`, and the \
         text `q`";
    // Serde would also accept an array, with the members in order.
    if value.get().starts_with('[') {
        return Err(bad("filters", otherwise));
    }
    let lists: Option<Lists> = read("filters", value, otherwise)?;
    let Lists { company_ids, categories, series_ids, q } = lists.unwrap_or_default();
    if [company_ids.len(), categories.len(), series_ids.len()].into_iter().any(|len| len > MOST_FILTERS) {
        return Err(bad("filters", "must have at most 100 values in each list"));
    }
    Ok(WebhookFilters {
        company_ids: company_ids.iter().map(|text| company(text)).collect::<Result<_, _>>()?,
        categories: categories.iter().map(|text| category(text)).collect::<Result<_, _>>()?,
        series_ids: series_ids.into_iter().map(series_id).collect::<Result<_, _>>()?,
        q: q.map(|text| words("filters.q", &text)).transpose()?,
    })
}

fn series_id(text: String) -> Result<String, ApiError> {
    if Series::ALL.into_iter().any(|series| series.about().id == text) {
        return Ok(text);
    }
    let shown: String = text.chars().filter(char::is_ascii_graphic).take(LONGEST_ID_SHOWN).collect();
    Err(bad("filters.series_ids", &format!("must hold ids of GET /api/v1/series; `{shown}` is none")))
}

/// The words of a search, trimmed.
pub fn words(field: &str, text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST_SEARCH || has_control(text) {
        return Err(bad(field, "must be 1 to 200 characters without control characters"));
    }
    Ok(text.to_owned())
}

fn company(text: &str) -> Result<CompanyId, ApiError> {
    let refusal = || bad("filters.company_ids", "must hold registry codes: digits only, such as \"9512\"");
    if text.trim_start_matches('0').len() > LONGEST_CODE {
        return Err(refusal());
    }
    CompanyId::parse(text).map_err(|_| refusal())
}

fn category(text: &str) -> Result<String, ApiError> {
    if text.trim().is_empty() || text.chars().count() > LONGEST_CATEGORY {
        return Err(bad("filters.categories", "must hold names of 1 to 100 characters"));
    }
    if has_control(text) {
        return Err(bad("filters.categories", "must not hold control characters"));
    }
    Ok(text.to_owned())
}

fn status(value: &RawValue) -> Result<Option<DisabledBy>, ApiError> {
    let otherwise = "must be \"enabled\" or \"disabled\"";
    match read::<String>("status", value, otherwise)?.as_str() {
        "enabled" => Ok(None),
        "disabled" => Ok(Some(DisabledBy::Owner)),
        _ => Err(bad("status", otherwise)),
    }
}
