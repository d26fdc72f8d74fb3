//! A key in the hands of its holder: looked at, rotated, given up. Other keys cannot be named here, so nothing can be
//! learnt about them.

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use lastro_access::{ActiveKey, IssuedKey};
use lastro_model::{KeyId, Now};
use lastro_store::StoreError;
use serde::{Deserialize, Deserializer, Serialize};

use crate::clock::fill_random;
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::body;
use crate::http::response::reply::Reply;

#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    name: &'a str,
    plan: &'static str,
    rate_limit: u32,
    created_at: String,
    last_used_at: String,
    ends_at: Option<String>,
}

pub async fn current(action: Action<'_>) -> Result<Reply, ApiError> {
    let holding = holding(&action)?;
    let app = action.app;
    app.usage_flusher.flush().await?;
    let last_used = app.store.last_used(holding.account).await?;
    let record = app.store.key(holding.id).await?.ok_or(ApiError::Unauthorized("API key required"))?;
    let shown = Shown {
        id: holding.id.as_str(),
        name: &record.account.name,
        plan: holding.plan.id(),
        rate_limit: holding.limit,
        created_at: told(holding.created_at),
        // Who was never used before is used now.
        last_used_at: last_used.unwrap_or(action.now.utc_day()).to_string(),
        ends_at: holding.ends_at.map(told),
    };
    Ok(Reply::of(&shown)?.private(StatusCode::OK))
}

#[derive(Serialize)]
struct Successor<'a> {
    message: &'static str,
    api_key: &'a str,
    id: &'a str,
    plan: &'static str,
    rate_limit: u32,
    created_at: String,
    previous: Previous<'a>,
}

#[derive(Serialize)]
struct Previous<'a> {
    id: &'a str,
    ends_at: String,
}

pub async fn rotate(action: Action<'_>) -> Result<Reply, ApiError> {
    let holding = holding(&action)?;
    let (app, now) = (action.app, action.now);
    let grace = grace(&body::whole(action.body).await?)?;
    check_rotation(holding, now)?;
    let at = now.timestamp();
    let IssuedKey { key, digest } = IssuedKey::generate(app.keys.pepper(), &mut fill_random);
    let rotated = app.store.rotate(holding.id, key.id(), digest, at, at + grace).await;
    let rotated = rotated.map_err(|error| match error {
        StoreError::Conflict => ENDING,
        other => other.into(),
    })?;
    let (id, old, ends_at) = (key.id(), holding.id, rotated.old.ends_at.unwrap_or(at));
    app.keys.upsert(rotated.old, now.monotonic_ns);
    app.keys.upsert(rotated.new, now.monotonic_ns);
    let successor = Successor {
        message: "Your new API key is ready. Keep it safe: it is shown only this once.",
        api_key: key.reveal(),
        id: id.as_str(),
        plan: holding.plan.id(),
        rate_limit: holding.limit,
        created_at: told(at),
        previous: Previous { id: KeyId::as_str(&old), ends_at: told(ends_at) },
    };
    Ok(Reply::of(&successor)?.private(StatusCode::CREATED))
}

pub async fn revoke(action: Action<'_>) -> Result<Reply, ApiError> {
    let holding = holding(&action)?;
    let revoked = action.app.store.revoke(holding.id, action.now.timestamp()).await?;
    action.app.keys.upsert(revoked, action.now.monotonic_ns);
    Ok(Reply::json(Vec::new()).private(StatusCode::NO_CONTENT))
}

fn holding<'a>(action: &Action<'a>) -> Result<&'a ActiveKey, ApiError> {
    action.caller.holding().map(|holding| &**holding).ok_or(ApiError::Unauthorized("API key required"))
}

const ENDING: ApiError = ApiError::BadRequest(std::borrow::Cow::Borrowed(
    "this key was rotated already and ends soon; rotate the newer one",
));

fn check_rotation(holding: &ActiveKey, now: Now) -> Result<(), ApiError> {
    if holding.ends_at.is_some() {
        return Err(ENDING);
    }
    let verdict = holding.holder.take_rotation(now.monotonic_ns);
    if verdict.admitted {
        return Ok(());
    }
    Err(ApiError::RateLimited {
        message: "too many rotations of this key; wait as long as Retry-After says",
        retry_after_seconds: verdict.retry_after_seconds(),
    })
}

const DEFAULT_GRACE: SignedDuration = SignedDuration::from_hours(1);
const LONGEST_GRACE: i64 = 86_400;

/// Other members are ignored, as everywhere.
#[derive(Deserialize)]
struct Wish {
    #[serde(default, deserialize_with = "present")]
    grace_seconds: Option<serde_json::Value>,
}

/// A member that is `null` is here, unlike one that is not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(Some)
}

/// How long the old key goes on working. A body is not needed for the default.
pub fn grace(body: &[u8]) -> Result<SignedDuration, ApiError> {
    if body.trim_ascii().is_empty() {
        return Ok(DEFAULT_GRACE);
    }
    let wish: Wish = body::object(body, "the body must be a JSON object, with `grace_seconds` at most once")?;
    let Some(value) = wish.grace_seconds else { return Ok(DEFAULT_GRACE) };
    let seconds = value.as_i64().filter(|seconds| (0..=LONGEST_GRACE).contains(seconds));
    seconds
        .map(SignedDuration::from_secs)
        .ok_or(ApiError::BadRequest("`grace_seconds` must be an integer from 0 to 86400".into()))
}

/// To the second: nobody needs more.
fn told(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
