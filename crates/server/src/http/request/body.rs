//! The body that a client sends: read whole, bounded in bytes and in time.

use std::time::Duration;

use bytes::Bytes;
use http::header::{EXPECT, HeaderMap};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use crate::error::ApiError;

pub const LARGEST_BODY: usize = 16 * 1024;
/// Shorter than what the edge waits for an answer, so that the reason reaches the client.
const BODY_TIMEOUT: Duration = Duration::from_secs(8);
/// What is read and thrown away of a body that is too large, so that its sender gets to read the refusal.
const DISCARDED_AT_MOST: usize = 1024 * 1024;

/// Refuses a body that is announced to be too large by a client that waits to hear whether to send it. Others send it
/// anyway: they are refused after it.
pub fn check_announced(headers: &HeaderMap, body: &Incoming) -> Result<(), ApiError> {
    let waits =
        headers.get_all(EXPECT).iter().any(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
    if waits && body.size_hint().lower() > LARGEST_BODY as u64 {
        return Err(ApiError::PayloadTooLarge { limit_bytes: LARGEST_BODY });
    }
    Ok(())
}

/// The whole body, if it is at most [`LARGEST_BODY`] and arrives in time.
pub async fn whole(body: Incoming) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(BODY_TIMEOUT, read(body)).await {
        Ok(result) => result,
        Err(_) => Err(ApiError::BadRequest("the body did not arrive in time".into())),
    }
}

async fn read(mut body: Incoming) -> Result<Bytes, ApiError> {
    match Limited::new(&mut body, LARGEST_BODY).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            discard(body).await;
            Err(ApiError::PayloadTooLarge { limit_bytes: LARGEST_BODY })
        }
        Err(_) => Err(ApiError::BadRequest("the body could not be read".into())),
    }
}

async fn discard(mut body: Incoming) {
    let mut left = DISCARDED_AT_MOST;
    while let Some(Ok(frame)) = body.frame().await {
        left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        if left == 0 {
            return;
        }
    }
}

/// A body as a JSON object with these members. `otherwise` is the sentence for one that is JSON and something else.
pub fn object<'a, T: Deserialize<'a>>(body: &'a [u8], otherwise: &'static str) -> Result<T, ApiError> {
    let bad = |message: &'static str| ApiError::BadRequest(message.into());
    let text = std::str::from_utf8(body).map_err(|_| bad("the body is not valid UTF-8"))?;
    let value = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => bad(otherwise),
        _ => bad("the body is not valid JSON"),
    })?;
    // Serde would also take a list for the members of an object, in their order.
    if text.trim_start().starts_with('{') { Ok(value) } else { Err(bad(otherwise)) }
}

/// For a member that may be left out: one that is `null` is there all the same.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
