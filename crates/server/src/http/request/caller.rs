//! The caller: a key, or an address.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use lastro_access::{ActiveKey, ApiKey, ClientAddr, LastKey, Lookup, LookupRefusal, TrustedProxies};
use lastro_background::access::Access;
use lastro_model::{Now, Plan};
use lastro_store::StoreError;
use tokio::time::{Instant, timeout_at};

use crate::error::ApiError;

/// Longest wait for a key lookup in the store. Balancers take a replica that is silent for two seconds for a dead one, so a
/// silent database must not make this one silent.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(1500);

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The caller according to the request's credentials.
#[derive(Debug)]
pub enum Caller {
    /// No credentials: the Free plan, counted by address.
    Anonymous,
    Known(Arc<ActiveKey>),
    /// Invalid credentials, or two that differ: counted by address, and rejected.
    Refused(ApiError),
}

impl Caller {
    pub fn plan(&self) -> Plan {
        match self {
            Self::Known(key) => key.plan,
            Self::Anonymous | Self::Refused(_) => Plan::Free,
        }
    }

    pub fn key(&self) -> Option<&Arc<ActiveKey>> {
        match self {
            Self::Known(key) => Some(key),
            Self::Anonymous | Self::Refused(_) => None,
        }
    }

    /// The key, or an error for a caller without one.
    pub fn required_key(&self) -> Result<&Arc<ActiveKey>, ApiError> {
        self.key().ok_or(KEY_REQUIRED)
    }
}

/// The client's address: the peer's, or the one reported by trusted proxies.
pub fn address(proxies: &TrustedProxies, peer: IpAddr, headers: &HeaderMap) -> ClientAddr {
    if proxies.are_none() {
        return peer.into();
    }
    proxies.client(peer, headers.get_all(X_FORWARDED_FOR).iter().map(http::HeaderValue::as_bytes))
}

pub const KEY_REQUIRED: ApiError = ApiError::Unauthorized("API key required");
const UNKNOWN_KEY: ApiError = ApiError::Unauthorized("this API key is not valid");
const NOT_A_KEY: ApiError = ApiError::Unauthorized(
    "this is not an API key; send one as `X-API-Key: <key>` or `Authorization: Bearer <key>`",
);

const UNCHECKED: ApiError =
    ApiError::Unavailable("the key cannot be checked right now; please try again shortly");

/// The caller as far as the headers alone identify it.
#[derive(Debug)]
pub enum Identity {
    Caller(Caller),
    /// A well-formed key that is not in memory but may be in the store.
    UnknownKey(ApiKey),
}

/// The headers that may carry a key, in any of two forms.
#[derive(Debug, Clone, Copy)]
pub struct KeyHeaders<'a> {
    pub headers: &'a HeaderMap,
    pub has_authorization: bool,
}

/// Identifies the caller from memory. `last` is the previous valid key on the same connection.
pub fn identify(access: &Access, last: &LastKey, headers: KeyHeaders<'_>, now: Now) -> Identity {
    let text = match presented_key(headers) {
        Ok(None) => return Identity::Caller(Caller::Anonymous),
        Ok(Some(text)) => text,
        Err(error) => return Identity::Caller(Caller::Refused(error)),
    };
    match access.keys.find_text(text, last, now) {
        Ok(Lookup::Found(key)) => Identity::Caller(Caller::Known(key)),
        Ok(Lookup::Unknown) if let Ok(key) = ApiKey::parse(text) => Identity::UnknownKey(key),
        Ok(Lookup::Unknown | Lookup::Refused) | Err(_) => Identity::Caller(Caller::Refused(UNKNOWN_KEY)),
    }
}

/// Looks up in the store a key that is not in memory: not used lately, or just created by another process.
pub async fn ask_store(access: &Access, client: ClientAddr, key: &ApiKey, now: Now) -> Caller {
    let deadline = Instant::now() + LOOKUP_TIMEOUT;
    let place = access.key_turns.place(key.id());
    let Ok(_turn) = timeout_at(deadline, place.turn()).await else { return Caller::Refused(UNCHECKED) };
    // The previous lookup of this key may have found it.
    match access.keys.find(key, now) {
        Lookup::Found(key) => return Caller::Known(key),
        Lookup::Refused => return Caller::Refused(UNKNOWN_KEY),
        Lookup::Unknown if access.keys.is_known_miss(key.id(), now.monotonic_ns) => {
            return Caller::Refused(UNKNOWN_KEY);
        }
        Lookup::Unknown => {}
    }
    let lookup = match access.lookups.begin(client, now.monotonic_ns) {
        Ok(lookup) => lookup,
        Err(refusal) => return Caller::Refused(not_asked(refusal)),
    };
    let caller = match timeout_at(deadline, look_up(access, key, now)).await {
        Ok(Ok(Lookup::Found(key))) => Caller::Known(key),
        Ok(Ok(_)) => return Caller::Refused(UNKNOWN_KEY),
        Ok(Err(error)) => {
            tracing::debug!(%error, "could not read a key from the store");
            Caller::Refused(UNCHECKED)
        }
        Err(_) => Caller::Refused(UNCHECKED),
    };
    lookup.costs_nothing();
    caller
}

/// Retries while keys change concurrently: the row read may be out of date.
async fn look_up(access: &Access, key: &ApiKey, now: Now) -> Result<Lookup, StoreError> {
    loop {
        let as_of = access.keys.revision();
        let Some(record) = access.store.key(key.id()).await? else {
            access.keys.remember_miss(key.id(), now.monotonic_ns);
            return Ok(Lookup::Refused);
        };
        match access.keys.take_in(key, record, as_of, now) {
            Lookup::Unknown => {}
            known => return Ok(known),
        }
    }
}

fn not_asked(refusal: LookupRefusal) -> ApiError {
    match refusal {
        LookupRefusal::TooMany(verdict) => ApiError::RateLimited {
            message: "too many unknown API keys from this address or network; wait as long as Retry-After says",
            retry_after_seconds: verdict.retry_after_seconds(),
        },
        LookupRefusal::Busy => UNCHECKED,
    }
}

/// The only key in the headers, if any. A blank header, or one of another scheme, holds none; alone it is rejected.
fn presented_key(from: KeyHeaders<'_>) -> Result<Option<&str>, ApiError> {
    let KeyHeaders { headers, has_authorization } = from;
    let by_name = headers.get_all(X_API_KEY).iter().map(|value| value.to_str().ok());
    let by_scheme = has_authorization.then(|| headers.get_all(AUTHORIZATION).iter()).into_iter().flatten();
    let by_scheme = by_scheme.map(|value| value.to_str().ok().and_then(bearer));
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
