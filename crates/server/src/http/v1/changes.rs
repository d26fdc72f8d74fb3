//! The changes of published rows, from any place in their log.

use std::sync::Arc;

use http::Method;
use http::header::HeaderName;
use lastro_background::account_slots::AccountSlot;
use lastro_background::changes::entry::ChangeType;
use lastro_background::changes::filter::ChangeFilter;
use lastro_background::changes::waiting::SLOTS_PER_ACCOUNT;
use lastro_background::changes::{ChangePage, ReadError};
use lastro_catalog::{Catalog, fold_label};
use lastro_model::{CompanyId, Mark, Pair, Series};

use super::companies;
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::format::Accept;
use crate::http::request::nearest::must_be_one_of;
use crate::http::request::query::{LIST_LIMIT, Query, bad};
use crate::http::response::body::Body;
use crate::http::response::changes::{self, ChangeClient, ChangeQuery};
use crate::http::response::reply::{NO_STORE, Reply};

const DEFAULT_LIMIT: usize = 100;
const LONGEST_WAIT: usize = 25;
/// Values of one filter.
const MOST_VALUES: usize = 100;
/// Waiting and streaming requests of all accounts.
const MOST_WAITING: usize = 20_000;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const EVENT_STREAM: &str = "text/event-stream";

const ALL_TAKEN: ApiError = ApiError::RateLimited {
    message: "four requests for changes of this account are waiting already; wait for one of them to end",
    retry_after_seconds: 5,
};
const TOO_MANY: ApiError =
    ApiError::Unavailable("too many requests wait for changes right now; please try again shortly");

pub async fn list(action: Action<'_>) -> Result<Reply, ApiError> {
    let limit = action.query.limit_or(LIST_LIMIT, DEFAULT_LIMIT)?;
    let wait = action.query.whole_number("wait", LONGEST_WAIT)?.unwrap_or(0);
    let filter = filter(&action)?;
    let is_stream = Accept(&action.head.0.headers).wants_events();
    let is_head = action.head.0.method == Method::HEAD;
    let after = place(&action).await?;
    let service = Arc::clone(action.changes);
    let as_strings = action.query.decimals_as_strings()?;
    let query = |slot| {
        let (changes, filter) = (Arc::clone(&service), filter.clone());
        ChangeQuery { changes, filter, after, limit, as_strings, slot }
    };
    if is_stream {
        let body = match is_head {
            true => Body::HeadOnly,
            false => changes::events(query(slot(&action)?), client(&action)?),
        };
        return Ok(Reply { content_type: EVENT_STREAM, cache: NO_STORE, body, ..Reply::json(Vec::new()) });
    }
    let page = first_page(&action, after, &filter, limit).await?;
    let may_wait = wait > 0 && !is_head && !service.wakeups.is_closing();
    if page.entries.is_empty() && !page.more && may_wait {
        let mut query = query(slot(&action)?);
        query.after = page.next;
        let body = changes::awaited_page(query, client(&action)?, wait as u64);
        return Ok(Reply { cache: NO_STORE, body, ..Reply::json(Vec::new()) });
    }
    Ok(Reply { cache: NO_STORE, ..Reply::json(changes::json(&service, &page, &filter)) })
}

async fn first_page(
    action: &Action<'_>,
    after: Mark,
    filter: &ChangeFilter,
    limit: usize,
) -> Result<ChangePage, ApiError> {
    if let Some(page) = action.changes.page_in_memory(after, filter, limit) {
        return Ok(page);
    }
    action.changes.page(after, filter, limit).await.map_err(|error| refusal(error, "after"))
}

/// The place that the request continues from. Without any it is the end of what is in service.
async fn place(action: &Action<'_>) -> Result<Mark, ApiError> {
    let last_event = action.head.header(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?"));
    let (name, text) = match (last_event, action.query.get("after")?) {
        (Some(id), _) => ("Last-Event-ID", id),
        (None, Some(after)) => ("after", after),
        (None, None) => return Ok(action.served.catalog.load().mark),
    };
    action.changes.place_of(text).await.map_err(|error| refusal(error, name))
}

fn refusal(error: ReadError, parameter: &str) -> ApiError {
    match error {
        ReadError::Malformed => {
            bad(parameter, "is not a cursor: send one that this service gave, or `oldest`")
        }
        ReadError::Expired { oldest } => ApiError::CursorExpired { oldest },
        ReadError::Store(error) => error.into(),
    }
}

fn slot(action: &Action<'_>) -> Result<AccountSlot, ApiError> {
    if action.changes.slots.count() >= MOST_WAITING {
        return Err(TOO_MANY);
    }
    let account = action.caller.required_key()?.holder.account();
    action.changes.slots.take(account, SLOTS_PER_ACCOUNT).ok_or(ALL_TAKEN)
}

fn client(action: &Action<'_>) -> Result<ChangeClient, ApiError> {
    let (access, key) = (Arc::clone(action.access), Arc::clone(action.caller.required_key()?));
    Ok(ChangeClient { access, key, client: action.client })
}

fn filter(action: &Action<'_>) -> Result<ChangeFilter, ApiError> {
    let query = &action.query;
    let catalog = action.served.catalog.load();
    let companies = values(query, "company_ids")?.map(|ids| companies(&catalog, &ids)).transpose()?;
    let categories = values(query, "categories")?;
    let series = values(query, "series_ids")?
        .map(|ids| ids.into_iter().map(|id| series(&catalog, id)).collect())
        .transpose()?;
    let types = values(query, "types")?.unwrap_or_default();
    Ok(ChangeFilter {
        types: types.into_iter().map(change_type).collect::<Result<_, _>>()?,
        companies,
        categories: categories.map(|labels| labels.into_iter().map(fold_label).collect()),
        series,
    })
}

/// The values of a parameter; `None` if it is left out.
fn values<'a>(query: &'a Query<'_>, name: &str) -> Result<Option<Vec<&'a str>>, ApiError> {
    let values = query.list(name, MOST_VALUES)?;
    Ok((!values.is_empty()).then_some(values))
}

fn change_type(text: &str) -> Result<ChangeType, ApiError> {
    let known = ChangeType::ALL.iter().find(|(_, name)| *name == text);
    known.map(|(kind, _)| *kind).ok_or_else(|| {
        let names: Vec<&str> = ChangeType::ALL.iter().map(|(_, name)| *name).collect();
        bad("types", &must_be_one_of(&names, text))
    })
}

/// All companies with these codes, CNPJs and tickers. Before there is a registry, any code is accepted.
fn companies(catalog: &Catalog, ids: &[&str]) -> Result<Vec<CompanyId>, ApiError> {
    companies::check_ids("company_ids", ids)?;
    let mut found = Vec::new();
    for id in ids {
        let known = match companies::filers(catalog, id) {
            Err(error) if catalog.companies.is_empty() => {
                CompanyId::parse(id).map(|code| vec![code]).map_err(|_| error)
            }
            known => known,
        };
        found.extend(known?);
    }
    Ok(found)
}

/// The id of a series or of a published pair of currencies: `usd-brl` or `USD/BRL`. Before there are rates, any pair is
/// accepted.
fn series(catalog: &Catalog, text: &str) -> Result<String, ApiError> {
    if let Some(series) = Series::parse(text) {
        return Ok(series.about().id.to_owned());
    }
    let is_known = |pair: &Pair| catalog.fx.pairs().is_empty() || catalog.fx.get(*pair).is_some();
    let pair = Pair::from_id(text).or_else(|| Pair::parse(text).ok()).filter(is_known);
    pair.map(Pair::id)
        .ok_or_else(|| bad("series_ids", "must hold ids of `/api/v1/series`, such as ipca or usd-brl"))
}
