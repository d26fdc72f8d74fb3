//! Bodies of requests to create or change a webhook, checked member by member.

use lastro_background::webhooks::endpoint;
use lastro_catalog::Catalog;
use lastro_model::text::has_control;
use lastro_model::{DisabledBy, WebhookEvent, WebhookFilters};
use lastro_store::WebhookChange;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::filters::filters;
use crate::error::ApiError;
use crate::http::request::body;
use crate::http::request::nearest::must_be_one_of;

const LONGEST_DESCRIPTION: usize = 200;

/// A webhook to be created.
#[derive(Debug)]
pub struct Draft {
    pub url: String,
    pub description: Option<String>,
    pub events: Vec<WebhookEvent>,
    pub filters: WebhookFilters,
}

impl Draft {
    /// Companies and categories of the filters must be in the catalog.
    pub fn from_json(body: &[u8], allow_private: bool, catalog: &Catalog) -> Result<Self, ApiError> {
        let otherwise = "the body must be a JSON object with `url` and `events`, each member once";
        let members = body::object(body, &["url", "events", "description", "filters"], otherwise)?;
        let filters = members.get("filters").map(|value| filters(value, catalog)).transpose()?;
        Ok(Self {
            url: url(required("url", members.get("url"))?, allow_private)?,
            events: events(required("events", members.get("events"))?)?,
            description: members.get("description").map(description).transpose()?.flatten(),
            filters: filters.unwrap_or_default(),
        })
    }
}

/// Changes to an existing webhook.
#[derive(Debug)]
pub struct Change(pub WebhookChange);

impl Change {
    /// Companies and categories of the filters must be in the catalog.
    pub fn from_json(body: &[u8], allow_private: bool, catalog: &Catalog) -> Result<Self, ApiError> {
        let otherwise = "the body must be a JSON object with what is to change of `url`, `events`, `description`, \
                         `filters` and `status`, each member once";
        let members = body::object(body, &["url", "events", "description", "filters", "status"], otherwise)?;
        Ok(Self(WebhookChange {
            url: members.get("url").map(|value| url(value, allow_private)).transpose()?,
            events: members.get("events").map(events).transpose()?,
            description: members.get("description").map(description).transpose()?,
            filters: members.get("filters").map(|value| filters(value, catalog)).transpose()?,
            disabled: members.get("status").map(status).transpose()?,
            by_owner: true,
        }))
    }
}

pub fn bad(field: &str, reason: &str) -> ApiError {
    ApiError::BadRequest(format!("`{field}` {reason}").into())
}

fn required<'a>(field: &str, value: Option<&'a RawValue>) -> Result<&'a RawValue, ApiError> {
    value.ok_or_else(|| bad(field, "is required"))
}

pub fn read<T: DeserializeOwned>(field: &str, value: &RawValue, otherwise: &str) -> Result<T, ApiError> {
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
    let offered: Vec<&str> = WebhookEvent::offered().map(WebhookEvent::name).collect();
    let mut events = Vec::new();
    for name in &names {
        let event = WebhookEvent::offered().find(|event| event.name() == name);
        events.push(event.ok_or_else(|| bad("events", &must_be_one_of(&offered, name)))?);
    }
    events.sort_unstable();
    events.dedup();
    Ok(events)
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

fn status(value: &RawValue) -> Result<Option<DisabledBy>, ApiError> {
    let otherwise = "must be \"enabled\" or \"disabled\"";
    match read::<String>("status", value, otherwise)?.as_str() {
        "enabled" => Ok(None),
        "disabled" => Ok(Some(DisabledBy::Owner)),
        _ => Err(bad("status", otherwise)),
    }
}
