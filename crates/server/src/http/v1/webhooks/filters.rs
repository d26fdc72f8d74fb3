//! The filters of a webhook. One that nothing can ever match is refused: it would be a silent mistake.

use lastro_catalog::{Catalog, fold_label};
use lastro_model::text::has_control;
use lastro_model::{CompanyId, Pair, Series, WebhookEvent, WebhookFilters};
use serde_json::value::RawValue;

use super::draft::{bad, read};
use crate::error::ApiError;
use crate::http::request::body::{self, Members};
use crate::http::request::nearest::{nearest, shown};
use crate::http::v1::companies;

const MOST_FILTERS: usize = 100;
const LONGEST_CATEGORY: usize = 100;
/// Most known categories that an error about an unknown one names.
const MOST_NEAR: usize = 3;

pub(super) fn filters(value: &RawValue, catalog: &Catalog) -> Result<WebhookFilters, ApiError> {
    let lists = body::inner_object("filters", value, &["company_ids", "categories", "series_ids"], FORM)?;
    let Some(lists) = lists else { return Ok(WebhookFilters::default()) };
    Ok(WebhookFilters {
        company_ids: each(&lists, "company_ids", |text| company(text, catalog))?,
        categories: each(&lists, "categories", |text| category(text, catalog))?,
        series_ids: each(&lists, "series_ids", |text| series_id(text, catalog))?,
    })
}

const FORM: &str = "`filters` must be null or an object with the lists of strings `company_ids`, `categories` and `series_ids`";

/// The values of one list, each parsed and kept once.
fn each<T: PartialEq>(
    lists: &Members<'_>,
    name: &str,
    parse: impl Fn(&str) -> Result<T, ApiError>,
) -> Result<Vec<T>, ApiError> {
    let Some(value) = lists.get(name) else { return Ok(Vec::new()) };
    let texts: Vec<String> = read(&format!("filters.{name}"), value, "must be a list of strings")?;
    if texts.len() > MOST_FILTERS {
        return Err(bad(&format!("filters.{name}"), "must have at most 100 values"));
    }
    let mut values = Vec::new();
    for text in &texts {
        let value = parse(text)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(values)
}

/// A company by its registry code, its CNPJ or its ticker. Before there is a registry, any code is accepted.
fn company(text: &str, catalog: &Catalog) -> Result<CompanyId, ApiError> {
    let refusal = |reason: &str| {
        bad("filters.company_ids", &format!("must hold registry codes, CNPJs or tickers; {reason}"))
    };
    if !companies::can_be_named(text) {
        return Err(refusal(&format!("`{}` is none of them", shown(text))));
    }
    match companies::filing(catalog, text) {
        Ok(company) => Ok(company),
        Err(_) if catalog.companies.is_empty() => {
            CompanyId::parse(text.trim()).map_err(|_| refusal("there is no registry yet to look others up"))
        }
        Err(_) => Err(refusal(&format!("no company is called `{}`", shown(text)))),
    }
}

/// A category that some filing has had. Before there are filings, any is accepted.
fn category(text: &str, catalog: &Catalog) -> Result<String, ApiError> {
    if text.trim().is_empty() || text.chars().count() > LONGEST_CATEGORY {
        return Err(bad("filters.categories", "must hold names of 1 to 100 characters"));
    }
    if has_control(text) {
        return Err(bad("filters.categories", "must not hold control characters"));
    }
    if catalog.filings.is_empty() || catalog.filings.has_category(text) {
        return Ok(text.to_owned());
    }
    let reason = format!(
        "must hold categories that filings have; `{}` is none, and near it are {}. \
         GET /api/v1/filings/categories lists all",
        shown(text),
        near_categories(text, catalog).join(", ")
    );
    Err(bad("filters.categories", &reason))
}

/// The known categories nearest to a text, the nearest first.
fn near_categories<'a>(text: &str, catalog: &'a Catalog) -> Vec<&'a str> {
    let folded = fold_label(text);
    let mut others: Vec<(String, &str)> =
        catalog.filings.categories().map(|label| (fold_label(label), label)).collect();
    let mut near = Vec::new();
    while near.len() < MOST_NEAR
        && let Some(next) = nearest(&folded, others.iter().map(|(folded, _)| folded.as_str()))
        && let Some(place) = others.iter().position(|(folded, _)| folded == next)
    {
        near.push(others.remove(place).1);
    }
    near
}

fn series_id(text: &str, catalog: &Catalog) -> Result<String, ApiError> {
    if let Some(series) = Series::parse(text) {
        return Ok(series.about().id.to_owned());
    }
    if let Some(pair) = Pair::from_id(text).filter(|pair| catalog.fx.get(*pair).is_some()) {
        let reason = format!(
            "must hold ids of series that `{}` is sent for; `{}` is an exchange rate, and those have the event `{}`, \
             without a filter",
            WebhookEvent::AnySeriesUpdated.name(),
            pair.id(),
            WebhookEvent::FxUpdated.name()
        );
        return Err(bad("filters.series_ids", &reason));
    }
    let near = nearest(text, Series::ALL.map(|series| series.about().id)).unwrap_or_default();
    let reason = format!(
        "must hold ids of GET /api/v1/series; `{}` is none, and the nearest is `{near}`",
        shown(text)
    );
    Err(bad("filters.series_ids", &reason))
}
