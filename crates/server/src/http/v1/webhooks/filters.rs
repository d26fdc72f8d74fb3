//! The filters of a webhook. One that nothing can ever match is refused: it would be a silent mistake.

use lastro_catalog::{Catalog, fold_label, is_stop_word, words_of};
use lastro_model::text::has_control;
use lastro_model::{CompanyId, Pair, Series, WebhookEvent, WebhookFilters};
use serde_json::value::RawValue;

use super::draft::{bad, read};
use crate::error::ApiError;
use crate::http::request::body::{self, Members};
use crate::http::request::company_ids;
use crate::http::request::nearest::{is_none, nearest, shown};

const MOST_FILTERS: usize = 100;
const LONGEST_CATEGORY: usize = 100;
const LONGEST_SEARCH: usize = 200;
/// Most known categories that an error about an unknown one names.
const MOST_NEAR: usize = 3;

pub fn filters(value: &RawValue, catalog: &Catalog) -> Result<WebhookFilters, ApiError> {
    let known = &["company_ids", "categories", "series_ids", "q"];
    let members = body::inner_object("filters", value, known, FORM)?;
    let Some(members) = members else { return Ok(WebhookFilters::default()) };
    Ok(WebhookFilters {
        company_ids: company_ids(&members, "filters.", catalog)?,
        categories: each(&members, "filters.", "categories", |field, text| category(field, text, catalog))?,
        series_ids: each(&members, "filters.", "series_ids", |field, text| series_id(field, text, catalog))?,
        q: words(&members, "filters.", "q")?,
    })
}

const FORM: &str = "`filters` must be null or an object with the lists of strings `company_ids`, `categories` and `series_ids`, and the text `q`";

/// The values of one list, each parsed and kept once. `prefix` is where errors say that the members are.
pub fn each<T: PartialEq>(
    members: &Members<'_>,
    prefix: &str,
    name: &str,
    parse: impl Fn(&str, &str) -> Result<T, ApiError>,
) -> Result<Vec<T>, ApiError> {
    let Some(value) = members.get(name) else { return Ok(Vec::new()) };
    let field = format!("{prefix}{name}");
    let texts: Vec<String> = read(&field, value, "must be a list of strings")?;
    if texts.len() > MOST_FILTERS {
        return Err(bad(&field, "must have at most 100 values"));
    }
    let mut values = Vec::new();
    for text in &texts {
        let value = parse(&field, text)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(values)
}

/// The words of a search, trimmed; `None` if they are left out or null.
pub fn words(members: &Members<'_>, prefix: &str, name: &str) -> Result<Option<String>, ApiError> {
    let field = format!("{prefix}{name}");
    let Some(value) = members.get(name) else { return Ok(None) };
    let text: Option<String> = read(&field, value, "must be a text or null")?;
    text.map(|text| match text.trim() {
        text if text.is_empty() || text.chars().count() > LONGEST_SEARCH || has_control(text) => {
            Err(bad(&field, "must be 1 to 200 characters without control characters"))
        }
        text if words_of(text).iter().all(|word| is_stop_word(word)) => {
            Err(bad(&field, "must have a word to look for"))
        }
        text => Ok(text.to_owned()),
    })
    .transpose()
}

/// The registry codes of the companies in a list, each once.
pub fn company_ids(
    members: &Members<'_>,
    prefix: &str,
    catalog: &Catalog,
) -> Result<Vec<CompanyId>, ApiError> {
    let companies = each(members, prefix, "company_ids", |field, text| company(field, text, catalog))?;
    let mut codes: Vec<CompanyId> = Vec::new();
    for code in companies.into_iter().flatten() {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    Ok(codes)
}

/// A company by its registry code, its CNPJ (all its codes) or its ticker. Before there is a registry, any code is
/// accepted.
fn company(field: &str, text: &str, catalog: &Catalog) -> Result<Vec<CompanyId>, ApiError> {
    let refusal = |reason: &str| bad(field, &format!("must hold registry codes, CNPJs or tickers; {reason}"));
    if !company_ids::is_company_id(text) {
        return Err(refusal(&format!("`{}` is none of them", shown(text))));
    }
    match company_ids::filers(catalog, text) {
        Ok(codes) => Ok(codes),
        Err(_) if catalog.companies.is_empty() => CompanyId::parse(text.trim())
            .map(|code| vec![code])
            .map_err(|_| refusal("there is no registry yet to look others up")),
        Err(_) => Err(refusal(&format!("no company is called `{}`", shown(text)))),
    }
}

/// A category that some filing has had. Before there are filings, any is accepted.
pub fn category(field: &str, text: &str, catalog: &Catalog) -> Result<String, ApiError> {
    if text.trim().is_empty() || text.chars().count() > LONGEST_CATEGORY {
        return Err(bad(field, "must hold names of 1 to 100 characters"));
    }
    if has_control(text) {
        return Err(bad(field, "must not hold control characters"));
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
    Err(bad(field, &reason))
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

fn series_id(field: &str, text: &str, catalog: &Catalog) -> Result<String, ApiError> {
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
        return Err(bad(field, &reason));
    }
    let none = is_none(text, Series::ALL.map(|series| series.about().id));
    Err(bad(field, &format!("must hold ids of GET /api/v1/series; {none}")))
}
