//! The holder's own key: shown, rotated, revoked. Other keys cannot be addressed here, so nothing can be learnt about
//! them.

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use lastro_access::{ActiveKey, IssuedKey};
use lastro_background::access::Access;
use lastro_background::clock::fill_random;
use lastro_model::{KeyId, Now};
use lastro_store::StoreError;
use serde::Serialize;

use super::allowance;
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::body;
use crate::http::request::caller::KEY_REQUIRED;
use crate::http::response::reply::Reply;
use lastro_billing::pays_without_a_key;

#[derive(Serialize)]
struct KeyView<'a> {
    id: &'a str,
    name: &'a str,
    plan: &'static str,
    rate_limit: u32,
    created_at: String,
    last_used_at: String,
    ends_at: Option<String>,
}

pub async fn current(action: Action<'_>) -> Result<Reply, ApiError> {
    let held = action.caller.required_key()?;
    let access = action.access;
    access.usage_flusher.flush().await?;
    let last_used = access.store.last_used(held.account).await?;
    let record = access.store.key(held.id).await?.ok_or(KEY_REQUIRED)?;
    let view = KeyView {
        id: held.id.as_str(),
        name: &record.account.name,
        plan: held.plan.id(),
        rate_limit: held.limit,
        created_at: to_the_second(held.created_at),
        // A key never used before is used by this request.
        last_used_at: last_used.unwrap_or(action.now.utc_day()).to_string(),
        ends_at: held.ends_at.map(to_the_second),
    };
    Ok(Reply::of(&view)?.private(StatusCode::OK))
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
    let held = action.caller.required_key()?;
    let (access, now) = (action.access, action.now);
    let grace = grace(&action.body.whole().await?)?;
    check_rotation(access, held, now).await?;
    let at = now.timestamp();
    let IssuedKey { key, digest } = IssuedKey::generate(access.keys.pepper(), &mut fill_random);
    let rotated = access.store.rotate(held.id, key.id(), digest, at, at + grace).await;
    let rotated = rotated.map_err(|error| match error {
        StoreError::KeyEnded => ENDING,
        other => other.into(),
    })?;
    let (id, old, ends_at) = (key.id(), held.id, rotated.old.ends_at.unwrap_or(at));
    access.keys.upsert(rotated.old, now.monotonic_ns);
    access.keys.upsert(rotated.new, now.monotonic_ns);
    let successor = Successor {
        message: "Your new API key is ready. Keep it safe: it is shown only this once.",
        api_key: key.reveal(),
        id: id.as_str(),
        plan: held.plan.id(),
        rate_limit: held.limit,
        created_at: to_the_second(at),
        previous: Previous { id: KeyId::as_str(&old), ends_at: to_the_second(ends_at) },
    };
    Ok(Reply::of(&successor)?.private(StatusCode::CREATED))
}

pub async fn revoke(action: Action<'_>) -> Result<Reply, ApiError> {
    let held = action.caller.required_key()?;
    action.body.nothing().await?;
    let (store, now) = (&action.access.store, action.now.timestamp());
    let revoked = store.revoke(held.id, now).await?;
    action.access.keys.upsert(revoked, action.now.monotonic_ns);
    if action.billing.is_some() && pays_without_a_key(&**store, held.account).await? {
        return Ok(Reply::of(&Revoked { message: STILL_PAYS })?.private(StatusCode::OK));
    }
    Ok(Reply::json(Vec::new()).private(StatusCode::NO_CONTENT))
}

#[derive(Serialize)]
struct Revoked {
    message: &'static str,
}

const STILL_PAYS: &str = "The key is revoked, and it was the last lasting one of an account whose subscription goes on. To \
                          end the subscription, use the link in Stripe's e-mails, or ask the operator for a new key.";

const ENDING: ApiError = ApiError::BadRequest(std::borrow::Cow::Borrowed(
    "this key was rotated already and ends soon; rotate the newer one",
));

async fn check_rotation(access: &Access, held: &ActiveKey, now: Now) -> Result<(), ApiError> {
    if held.ends_at.is_some() {
        return Err(ENDING);
    }
    let verdict = allowance::take_rotation(access, held, now).await;
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

/// The time that the old key remains valid. The default needs no body.
pub fn grace(body: &[u8]) -> Result<SignedDuration, ApiError> {
    if body.trim_ascii().is_empty() {
        return Ok(DEFAULT_GRACE);
    }
    let otherwise = "the body must be a JSON object, with `grace_seconds` at most once";
    let members = body::object(body, &["grace_seconds"], otherwise)?;
    let Some(value) = members.get("grace_seconds") else { return Ok(DEFAULT_GRACE) };
    let seconds = serde_json::from_str(value.get()).ok();
    let seconds = seconds.filter(|seconds| (0..=LONGEST_GRACE).contains(seconds));
    seconds
        .map(SignedDuration::from_secs)
        .ok_or(ApiError::BadRequest("`grace_seconds` must be an integer from 0 to 86400".into()))
}

/// Formats a time without fractions of a second.
fn to_the_second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
