//! Who asks: a key, or an address.

use std::net::IpAddr;
use std::sync::Arc;

use http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use lastro_access::{ApiKey, ClientAddr, Holding, Lookup, Verdict, terms};
use lastro_model::{Now, Plan};

use super::edge::PATIENCE;
use crate::error::ApiError;
use crate::state::App;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// What the request's credentials came to.
#[derive(Debug)]
pub enum Caller {
    /// No credentials: the Free plan, counted by address.
    Anonymous,
    Known(Arc<Holding>),
    /// Credentials that are none, or two that differ: counted by address, and told so.
    Refused(ApiError),
}

impl Caller {
    pub fn plan(&self) -> Plan {
        match self {
            Self::Known(holding) => holding.plan,
            Self::Anonymous | Self::Refused(_) => Plan::Free,
        }
    }

    pub fn holding(&self) -> Option<&Arc<Holding>> {
        match self {
            Self::Known(holding) => Some(holding),
            Self::Anonymous | Self::Refused(_) => None,
        }
    }

    /// Takes one unit of the caller's quota, or with `free` only looks at it.
    pub fn charge(&self, app: &App, client: ClientAddr, now: Now, free: bool) -> Verdict {
        match (self, free) {
            (Self::Known(holding), false) => holding.holder.take(holding.limit, now.monotonic_ns),
            (Self::Known(holding), true) => holding.holder.peek(holding.limit, now.monotonic_ns),
            (_, false) => app.callers.take(client, free_limit(), now.monotonic_ns),
            (_, true) => app.callers.peek(client, free_limit(), now.monotonic_ns),
        }
    }
}

impl Caller {
    /// Takes back the unit that [`Caller::charge`] took: the request was refused after all, and a refusal costs nothing.
    pub fn give_back(&self, app: &App, client: ClientAddr, taken: Now) -> Verdict {
        match self {
            Self::Known(holding) => holding.holder.give_back(holding.limit, taken.monotonic_ns),
            _ => app.callers.give_back(client, free_limit(), taken.monotonic_ns),
        }
    }
}

fn free_limit() -> u32 {
    terms(Plan::Free).requests_per_minute
}

/// The client's address: the peer's, or what trusted proxies say of it.
pub fn address(app: &App, peer: IpAddr, headers: &HeaderMap) -> ClientAddr {
    if app.proxies.are_none() {
        return peer.into();
    }
    app.proxies.client(peer, headers.get_all(X_FORWARDED_FOR).iter().map(http::HeaderValue::as_bytes))
}

const UNKNOWN_KEY: ApiError = ApiError::Unauthorized("this API key is not valid");
const NOT_A_KEY: ApiError = ApiError::Unauthorized(
    "this is not an API key; send one as `X-API-Key: <key>` or `Authorization: Bearer <key>`",
);

const UNCHECKED: ApiError =
    ApiError::Unavailable("the key cannot be checked right now; please try again shortly");

/// What the headers alone say of who asks.
#[derive(Debug)]
pub enum Recognised {
    Caller(Caller),
    /// A well-formed key that this process has never seen; the store may know it.
    Stranger(ApiKey),
}

pub fn recognise(app: &App, headers: &HeaderMap, now: Now) -> Recognised {
    let key = match presented_key(headers) {
        Ok(None) => return Recognised::Caller(Caller::Anonymous),
        Ok(Some(text)) => ApiKey::parse(text).map_err(|_| UNKNOWN_KEY),
        Err(error) => Err(error),
    };
    Recognised::Caller(match key.map(|key| (app.keys.find(&key, now.unix_ms), key)) {
        Ok((Lookup::Found(holding), _)) => Caller::Known(holding),
        Ok((Lookup::Refused, _)) => Caller::Refused(UNKNOWN_KEY),
        Ok((Lookup::Unknown, key)) => return Recognised::Stranger(key),
        Err(error) => Caller::Refused(error),
    })
}

/// A key made by another process a moment ago is in the store before it is in our ring.
pub async fn ask_store(app: &App, client: ClientAddr, key: &ApiKey, now: Now) -> Caller {
    let refused = Caller::Refused(UNKNOWN_KEY);
    // Anyone can make up well-formed keys: an address without quota left must not reach the store with them.
    let exhausted = app.callers.peek(client, free_limit(), now.monotonic_ns).remaining == 0;
    if exhausted || app.keys.is_known_miss(key.id(), now.monotonic_ns) {
        return refused;
    }
    match tokio::time::timeout(PATIENCE, app.store.key(key.id())).await {
        Ok(Ok(Some(record))) => app.keys.upsert(record),
        Ok(Ok(None)) => app.keys.remember_miss(key.id(), now.monotonic_ns),
        Ok(Err(error)) => {
            tracing::warn!(%error, "could not ask the store for a key");
            return Caller::Refused(UNCHECKED);
        }
        Err(_) => return Caller::Refused(UNCHECKED),
    }
    match app.keys.find(key, now.unix_ms) {
        Lookup::Found(holding) => Caller::Known(holding),
        Lookup::Refused | Lookup::Unknown => refused,
    }
}

/// The one key that the headers name, if any. A blank header, or one of another scheme, names none; alone it is refused.
fn presented_key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let by_name = headers.get_all(X_API_KEY).iter().map(|value| value.to_str().ok());
    let by_scheme = headers.get_all(AUTHORIZATION).iter().map(|value| value.to_str().ok().and_then(bearer));
    let (mut presented, mut something) = (None, false);
    for key in by_name.chain(by_scheme) {
        something = true;
        let Some(key) = key.map(str::trim).filter(|key| !key.is_empty()) else { continue };
        if presented.replace(key).is_some_and(|other| other != key) {
            return Err(ApiError::BadRequest("two different keys were sent; send one of them".into()));
        }
    }
    if something && presented.is_none() { Err(NOT_A_KEY) } else { Ok(presented) }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(key)
}
