//! The changes of published rows, from any place in their log.

use std::sync::Arc;

use http::Method;
use http::header::HeaderName;
use lastro_background::account_slots::AccountSlot;
use lastro_background::changes::cursor::{CompaniesDigest, Cursor};
use lastro_background::changes::entry::ChangeType;
use lastro_background::changes::filter::ChangeFilter;
use lastro_background::changes::waiting::{Deadline, SLOTS_PER_ACCOUNT};
use lastro_background::changes::{ChangePage, ReadError};
use lastro_catalog::{Catalog, fold_label};
use lastro_model::{Mark, Pair, Series, Stamp};

use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::company_ids::{self, NamedCompanies};
use crate::http::request::format::Accept;
use crate::http::request::nearest::must_be_one_of;
use crate::http::request::query::{LIST_LIMIT, Query, bad};
use crate::http::response::body::Body;
use crate::http::response::changes::{self, ChangeClient, ChangeQuery, CompanyNames};
use crate::http::response::reply::{NO_STORE, Reply};

const DEFAULT_LIMIT: usize = 100;
const LONGEST_WAIT: usize = 25;
const COMPANY_IDS: &str = "company_ids";
/// Values of one filter.
const MOST_VALUES: usize = 100;
/// Waiting and streaming requests of all accounts.
const MOST_WAITING: usize = 20_000;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const EVENT_STREAM: &str = "text/event-stream";

const ALL_TAKEN: &str =
    "four requests for changes of this account are waiting already; wait for one of them to end";
/// A guess: the end of a stream is unknown.
const RETRY_STREAM_SECONDS: u64 = 5;
const TOO_MANY: ApiError =
    ApiError::Unavailable("too many requests wait for changes right now; please try again shortly");

const NOT_KEPT: &str = "changes are no longer kept from this cursor on, or it is not of this service; take the export \
                        again, or continue at `oldest`, without the changes in between";
const RENAMED: &str = "a ticker or CNPJ in `company_ids` stands for another company now than when this cursor was given, \
                       or for none, or the list is another one; take the export again. Registry codes never change";

pub async fn list(action: Action<'_>) -> Result<Reply, ApiError> {
    let limit = action.query.limit_or(LIST_LIMIT, DEFAULT_LIMIT)?;
    let wait = action.query.whole_number("wait", LONGEST_WAIT)?.unwrap_or(0);
    let filter = filter(&action)?;
    let is_stream = Accept(&action.head.0.headers).wants_events();
    let is_head = action.head.0.method == Method::HEAD;
    let Cursor { mark: after, companies: digest } = place(&action).await?;
    let stamps = action.served.catalog.load().companies.stamps();
    let companies = companies(&action, digest).await?;
    let names = names(&action, companies.as_ref(), stamps)?;
    let digest = companies.as_ref().and_then(|companies| companies.digest);
    let filter = ChangeFilter { companies: companies.map(|companies| companies.ids), digest, ..filter };
    let service = Arc::clone(action.changes);
    let as_strings = action.query.decimals_as_strings()?;
    let query = |slot| {
        let (changes, filter, names) = (Arc::clone(&service), filter.clone(), names.clone());
        ChangeQuery { changes, filter, names, after, limit, as_strings, slot }
    };
    if is_stream {
        let body = match is_head {
            true => Body::HeadOnly,
            false => changes::events(query(slot(&action, None)?), client(&action)?),
        };
        return Ok(Reply { content_type: EVENT_STREAM, cache: NO_STORE, body, ..Reply::json(Vec::new()) });
    }
    let page = first_page(&action, after, &filter, limit).await?;
    let may_wait = wait > 0 && !is_head && !service.wakeups.is_closing();
    if page.entries.is_empty() && !page.more && may_wait {
        let deadline = service.wakeups.deadline(wait as u64);
        let mut query = query(slot(&action, Some(deadline))?);
        query.after = page.next;
        let body = changes::awaited_page(query, client(&action)?, deadline);
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
async fn place(action: &Action<'_>) -> Result<Cursor, ApiError> {
    let last_event = action.head.header(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?"));
    let (name, text) = match (last_event, action.query.get("after")?) {
        (Some(id), _) => ("Last-Event-ID", id),
        (None, Some(after)) => ("after", after),
        (None, None) => return Ok(Cursor { mark: action.served.catalog.load().mark, companies: None }),
    };
    action.changes.place_of(text).await.map_err(|error| refusal(error, name))
}

fn refusal(error: ReadError, parameter: &str) -> ApiError {
    match error {
        ReadError::Malformed => {
            bad(parameter, "is not a cursor: send one that this service gave, or `oldest`")
        }
        ReadError::Expired { oldest } => ApiError::CursorExpired { oldest, message: NOT_KEPT },
        ReadError::Store(error) => error.into(),
    }
}

/// Takes a slot of a request that ends by a deadline, or of a stream. A client without one learns when the first wait
/// of its account is over.
fn slot(action: &Action<'_>, deadline: Option<Deadline>) -> Result<AccountSlot, ApiError> {
    let changes = action.changes;
    if changes.slots.count() >= MOST_WAITING {
        return Err(TOO_MANY);
    }
    let account = action.caller.required_key()?.holder.account();
    let taken = changes.slots.take_until(account, SLOTS_PER_ACCOUNT, deadline.map(|deadline| deadline.0));
    taken.map_err(|full| {
        let wait = full.until.map(|until| changes.wakeups.seconds_until(Deadline(until)));
        let retry_after_seconds = wait.unwrap_or(RETRY_STREAM_SECONDS);
        ApiError::RateLimited { message: ALL_TAKEN, retry_after_seconds }
    })
}

fn client(action: &Action<'_>) -> Result<ChangeClient, ApiError> {
    let (access, key) = (Arc::clone(action.access), Arc::clone(action.caller.required_key()?));
    Ok(ChangeClient { access, key, client: action.client })
}

/// The filter without its companies, which depend on the cursor, too.
fn filter(action: &Action<'_>) -> Result<ChangeFilter, ApiError> {
    let query = &action.query;
    let catalog = action.served.catalog.load();
    if let Some(ids) = values(query, COMPANY_IDS)? {
        company_ids::check_ids(COMPANY_IDS, &ids)?;
    }
    let categories = values(query, "categories")?;
    let series = values(query, "series_ids")?
        .map(|ids| ids.into_iter().map(|id| series(&catalog, id)).collect())
        .transpose()?;
    let types = values(query, "types")?.unwrap_or_default();
    Ok(ChangeFilter {
        types: types.into_iter().map(change_type).collect::<Result<_, _>>()?,
        companies: None,
        digest: None,
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

/// The companies of the filter. If the cursor holds a digest, names must stand for the companies that they stood for
/// when it was given: otherwise the rows of a copy are not those that the changes lead on from.
async fn companies(
    action: &Action<'_>,
    expected: Option<CompaniesDigest>,
) -> Result<Option<NamedCompanies>, ApiError> {
    let Some(names) = values(&action.query, COMPANY_IDS)? else { return Ok(None) };
    let found = company_ids::resolved(&action.served.catalog.load(), COMPANY_IDS, &names);
    match (found, expected) {
        (Ok(found), expected) if expected.is_none() || found.digest.is_none() || found.digest == expected => {
            Ok(Some(found))
        }
        (Err(unknown), None) => Err(unknown),
        (Ok(_) | Err(_), _) => match refusal(action.changes.expired().await, "after") {
            ApiError::CursorExpired { oldest, .. } => {
                Err(ApiError::CursorExpired { oldest, message: RENAMED })
            }
            error => Err(error),
        },
    }
}

/// The names that a stream looks up again when the companies have changed since they had these stamps.
fn names(
    action: &Action<'_>,
    companies: Option<&NamedCompanies>,
    stamps: [Stamp; 2],
) -> Result<Option<CompanyNames>, ApiError> {
    let Some(digest) = companies.and_then(|companies| companies.digest) else { return Ok(None) };
    let names = values(&action.query, COMPANY_IDS)?.unwrap_or_default();
    let ids = names.into_iter().map(str::to_owned).collect();
    Ok(Some(CompanyNames { ids, digest, served: Arc::clone(action.served), stamps }))
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
