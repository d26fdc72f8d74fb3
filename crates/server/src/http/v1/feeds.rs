//! Saved searches that are read as feeds, and the feeds themselves.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use lastro_access::{Feature, LookupRefusal, terms};
use lastro_background::clock::fill_random;
use lastro_catalog::Catalog;
use lastro_model::text::has_control;
use lastro_model::{AccountId, FeedId, Now, Plan, SavedFeed};
use lastro_store::FeedLookup;
use serde::Serialize;

use super::webhooks::draft::{bad, read as member};
use super::webhooks::filters::{category, company_ids, each, words};
use crate::error::ApiError;
use crate::feeds::{self, atom};
use crate::http::handler::Action;
use crate::http::request::body;
use crate::http::response::conditional;
use crate::http::response::reply::{Reply, Version};

const MOST_PER_ACCOUNT: usize = 20;
const LONGEST_NAME: usize = 100;
const ENOUGH: &str = "you have 20 feeds, the maximum; delete one first";
const NO_SUCH_FEED: ApiError = ApiError::NotFound("there is no such feed");
const ENDED: ApiError = ApiError::Gone("this feed has ended: it was deleted, or its account was");
const SUSPENDED: ApiError =
    ApiError::Gone("this feed has ended: its account has no key or no plan for filings any more");

/// A feed as the API shows it. The address is shown once.
#[derive(Serialize)]
struct FeedView<'a> {
    id: &'a str,
    name: &'a str,
    q: Option<&'a str>,
    company_ids: Vec<String>,
    categories: &'a [String],
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl<'a> FeedView<'a> {
    fn of(feed: &'a SavedFeed) -> Self {
        Self {
            id: feed.id.as_str(),
            name: &feed.name,
            q: feed.q.as_deref(),
            company_ids: feed.company_ids.iter().map(ToString::to_string).collect(),
            categories: &feed.categories,
            created_at: feed.created_at.to_string(),
            url: None,
        }
    }
}

#[derive(Serialize)]
struct List<'a> {
    data: Vec<FeedView<'a>>,
    total: usize,
}

pub async fn create(action: Action<'_>) -> Result<Reply, ApiError> {
    let account = action.caller.required_key()?.holder.account();
    let body = action.body.whole().await?;
    let feed = draft(&body, account, action.now, &action.served.catalog.load())?;
    let mut token = [0; 24];
    fill_random(&mut token);
    let token = URL_SAFE_NO_PAD.encode(token);
    let digest = feeds::token_digest(&token);
    if !action.access.store.insert_feed(feed.clone(), digest.clone(), MOST_PER_ACCOUNT).await? {
        return Err(ApiError::BadRequest(ENOUGH.into()));
    }
    action.access.known_feeds.remember(digest);
    let view = FeedView { url: Some(format!("/feeds/{token}.atom")), ..FeedView::of(&feed) };
    Ok(Reply::of(&view)?.private(StatusCode::CREATED))
}

/// The feed that a body describes. Its companies and categories must be in the catalog.
fn draft(body: &[u8], account: AccountId, now: Now, catalog: &Catalog) -> Result<SavedFeed, ApiError> {
    let otherwise =
        "the body must be a JSON object with `name`, and with any of `q`, `company_ids` and `categories`";
    let members = body::object(body, &["name", "q", "company_ids", "categories"], otherwise)?;
    let name = members.get("name").ok_or_else(|| bad("name", "is required"))?;
    let name: String = member("name", name, "must be a text")?;
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || has_control(name) {
        return Err(bad("name", "must be 1 to 100 characters without control characters"));
    }
    let mut id = [0; 12];
    fill_random(&mut id);
    Ok(SavedFeed {
        id: FeedId::from_random(id),
        account,
        name: name.to_owned(),
        q: words(&members, "", "q")?,
        company_ids: company_ids(&members, "", catalog)?,
        categories: each(&members, "", "categories", |field, text| category(field, text, catalog))?,
        created_at: now.timestamp(),
    })
}

pub async fn list(action: Action<'_>) -> Result<Reply, ApiError> {
    let account = action.caller.required_key()?.holder.account();
    let (page, (from, to)) = (action.query.page()?, action.query.days()?);
    let mut feeds = action.access.store.feeds_of(account).await?;
    feeds.retain(|feed| {
        let day = Now { monotonic_ns: 0, unix_ms: feed.created_at.as_millisecond() }.utc_day();
        from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to)
    });
    let shown = &feeds[page.of(feeds.len())];
    let list = List { data: shown.iter().map(FeedView::of).collect(), total: feeds.len() };
    Ok(Reply::of(&list)?.private(StatusCode::OK))
}

pub async fn remove(action: Action<'_>) -> Result<Reply, ApiError> {
    let account = action.caller.required_key()?.holder.account();
    let id = FeedId::parse(action.path.get("id")).map_err(|_| NO_SUCH_FEED)?;
    action.body.nothing().await?;
    if !action.access.store.delete_feed(account, &id, action.now.timestamp()).await? {
        return Err(NO_SUCH_FEED);
    }
    Ok(Reply::json(Vec::new()).private(StatusCode::NO_CONTENT))
}

/// A saved search as a feed, for whoever has its address.
pub async fn read(action: Action<'_>) -> Result<Reply, ApiError> {
    let token = action.path.get("token").strip_suffix(".atom").ok_or(NO_SUCH_FEED)?;
    let (feed, plan) = saved(&action, feeds::token_digest(token)).await?;
    if !plan.is_some_and(|plan| terms(plan).includes(Feature::Filings)) {
        return Err(SUSPENDED);
    }
    let catalog = action.served.catalog.load_full();
    let empty = feed_reply(String::new(), Version::data(catalog.stamps_of_filings()));
    let tag = conditional::tag(&empty.version, empty.variant, action.database, action.caller.plan());
    if tag.is_some_and(|tag| conditional::is_held(&action.head.0.headers, &tag)) {
        return Ok(empty);
    }
    let origin = action.site.origin(action.head);
    let address = format!("{origin}/feeds/{token}.atom");
    // A broad search reads long lists.
    let drawn = tokio::task::spawn_blocking(move || feeds::of_search(&catalog, &feed, &address, &origin));
    let xml = drawn.await.map_err(|_| ApiError::Internal)?;
    Ok(feed_reply(xml, empty.version))
}

/// The feed whose token has this digest, with the plan of its account. Feeds that were found before are read
/// without limit; lookups of unknown ones are rate limited by address.
async fn saved(action: &Action<'_>, digest: String) -> Result<(SavedFeed, Option<Plan>), ApiError> {
    let access = action.access;
    let lookup = match access.known_feeds.has(&digest) {
        true => None,
        false => {
            let lookup = access.feed_lookups.begin(action.client, action.now.monotonic_ns);
            Some(lookup.map_err(not_asked)?)
        }
    };
    let found = access.store.feed_by_token(&digest).await;
    if matches!(found, Ok(FeedLookup::Unknown)) {
        access.known_feeds.forget(&digest);
        return Err(NO_SUCH_FEED);
    }
    if let Some(lookup) = lookup {
        lookup.costs_nothing();
    }
    let found = found?;
    access.known_feeds.remember(digest);
    match found {
        FeedLookup::Found(feed, plan) => Ok((feed, plan)),
        FeedLookup::Ended => Err(ENDED),
        FeedLookup::Unknown => Err(NO_SUCH_FEED),
    }
}

fn not_asked(refusal: LookupRefusal) -> ApiError {
    match refusal {
        LookupRefusal::TooMany(verdict) => ApiError::RateLimited {
            message: "too many unknown feeds from this address or network; wait as long as Retry-After says",
            retry_after_seconds: verdict.retry_after_seconds(),
        },
        LookupRefusal::Busy => {
            ApiError::Unavailable("too many feeds are being looked up; please try again shortly")
        }
    }
}

/// The reply with the XML of a feed.
pub fn feed_reply(xml: String, version: Version) -> Reply {
    Reply { content_type: atom::CONTENT_TYPE, variant: "atom", version, ..Reply::json(xml.into_bytes()) }
}
