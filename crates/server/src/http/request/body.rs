//! The body that a client sends: read whole, bounded in bytes and in time.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{EXPECT, HeaderMap};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use lastro_access::ClientAddr;
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use crate::error::ApiError;
use crate::http::connections::connection::Connection;
use crate::http::connections::pending::BodySlot;

pub const LARGEST_BODY: usize = 16 * 1024;
/// Shorter than what the edge waits for an answer, so that the reason reaches the client.
const BODY_TIMEOUT: Duration = Duration::from_secs(8);
/// What is read and thrown away of a body that is too large, so that its sender gets to read the refusal.
const DISCARDED_AT_MOST: usize = 1024 * 1024;
const TOO_MANY_BODIES: ApiError =
    ApiError::Unavailable("too many bodies are on their way right now; please try again shortly");

/// A body that may be asked for. While it comes it has a place among the bodies that its client may have under way.
#[derive(Debug)]
pub struct RequestBody {
    incoming: Option<Incoming>,
    connection: Arc<Connection>,
    client: ClientAddr,
}

impl RequestBody {
    pub fn new(incoming: Option<Incoming>, connection: &Arc<Connection>, client: ClientAddr) -> Self {
        Self { incoming, connection: Arc::clone(connection), client }
    }

    /// Refuses a body that is announced to be too large by a client that waits to hear whether to send it. Others send
    /// it anyway: they are refused after it.
    pub fn check_announced(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let waits = headers
            .get_all(EXPECT)
            .iter()
            .any(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
        let announced = self.incoming.as_ref().map_or(0, |body| body.size_hint().lower());
        if waits && announced > LARGEST_BODY as u64 {
            return Err(ApiError::PayloadTooLarge { limit_bytes: LARGEST_BODY });
        }
        Ok(())
    }

    /// The whole body, if it is at most [`LARGEST_BODY`] and arrives in time.
    pub async fn whole(self) -> Result<WholeBody, ApiError> {
        let Some(mut incoming) = self.incoming else { return Ok(WholeBody::default()) };
        let Some(slot) = BodySlot::take(&self.connection, self.client) else {
            self.connection.refuse_to_wait();
            return Err(TOO_MANY_BODIES);
        };
        match tokio::time::timeout(BODY_TIMEOUT, read(&mut incoming, slot)).await {
            Ok(result) => result,
            Err(_) => Err(ApiError::BadRequest("the body did not arrive in time".into())),
        }
    }
}

/// A body that has come, in its place until whoever asked for it is done.
#[derive(Debug, Default)]
pub struct WholeBody {
    bytes: Vec<u8>,
    _slot: Option<BodySlot>,
}

impl Deref for WholeBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Copies the pieces together: each piece alone would keep the whole buffer that it was read into.
async fn read(incoming: &mut Incoming, mut slot: BodySlot) -> Result<WholeBody, ApiError> {
    let mut whole = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|_| ApiError::BadRequest("the body could not be read".into()))?;
        // Trailers say nothing that we ask for.
        let Some(piece) = frame.data_ref() else { continue };
        if whole.len() + piece.len() > LARGEST_BODY {
            discard(incoming).await;
            return Err(ApiError::PayloadTooLarge { limit_bytes: LARGEST_BODY });
        }
        if !slot.grow(piece.len()) {
            return Err(TOO_MANY_BODIES);
        }
        whole.extend_from_slice(piece);
    }
    whole.shrink_to_fit();
    Ok(WholeBody { bytes: whole, _slot: Some(slot) })
}

async fn discard(body: &mut Incoming) {
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
