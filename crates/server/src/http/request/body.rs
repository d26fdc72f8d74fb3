//! The request body: read completely, bounded in bytes and in time.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{EXPECT, HeaderMap};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use lastro_access::ClientAddr;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::nearest::{nearest, shown};
use crate::error::ApiError;
use crate::http::connections::connection::Connection;
use crate::http::connections::pending::BodySlot;

/// Most bytes of a body, on a route that has no other limit.
pub const LARGEST_BODY: usize = 16 * 1024;
/// Shorter than the timeout of the response, so that the reason reaches the client.
const BODY_TIMEOUT: Duration = Duration::from_secs(8);
/// Bytes of a too large body that are read and discarded, so that its sender gets to read the error.
const DISCARDED_AT_MOST: usize = 1024 * 1024;
const TOO_MANY_BODIES: ApiError =
    ApiError::Unavailable("too many bodies are on their way right now; please try again shortly");

/// A body not read yet. While it is read, it takes one of its client's slots.
#[derive(Debug)]
pub struct RequestBody {
    incoming: Option<Incoming>,
    connection: Arc<Connection>,
    client: ClientAddr,
    /// Most bytes that are read.
    largest: usize,
}

impl RequestBody {
    pub fn new(
        incoming: Option<Incoming>,
        connection: &Arc<Connection>,
        client: ClientAddr,
        largest: usize,
    ) -> Self {
        Self { incoming, connection: Arc::clone(connection), client, largest }
    }

    /// Rejects a body announced as too large by a client that expects `100 Continue`. Other clients send it anyway and
    /// are rejected afterwards.
    pub fn check_announced(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let waits = headers
            .get_all(EXPECT)
            .iter()
            .any(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
        let announced = self.incoming.as_ref().map_or(0, |body| body.size_hint().lower());
        if waits && announced > self.largest as u64 {
            return Err(ApiError::PayloadTooLarge { limit_bytes: self.largest });
        }
        Ok(())
    }

    /// Reads a body that has nothing to say: none, or an empty JSON object.
    pub async fn nothing(self) -> Result<(), ApiError> {
        let body = self.whole().await?;
        if body.trim_ascii().is_empty() {
            return Ok(());
        }
        object(&body, &[], "this operation takes no body, or an empty JSON object").map(drop)
    }

    /// The whole body, if it is not too large and arrives in time.
    pub async fn whole(self) -> Result<WholeBody, ApiError> {
        let Some(mut incoming) = self.incoming else { return Ok(WholeBody::default()) };
        let Some(slot) = BodySlot::take(&self.connection, self.client) else {
            self.connection.refuse_to_wait();
            return Err(TOO_MANY_BODIES);
        };
        match tokio::time::timeout(BODY_TIMEOUT, read(&mut incoming, self.largest, slot)).await {
            Ok(result) => result,
            Err(_) => Err(ApiError::BadRequest("the body did not arrive in time".into())),
        }
    }
}

/// A complete body, which keeps its slot until dropped.
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

/// Copies the frames together: each frame would keep alive the whole buffer it was read into.
async fn read(incoming: &mut Incoming, largest: usize, mut slot: BodySlot) -> Result<WholeBody, ApiError> {
    let mut whole = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|_| ApiError::BadRequest("the body could not be read".into()))?;
        // Trailers are ignored.
        let Some(piece) = frame.data_ref() else { continue };
        if whole.len() + piece.len() > largest {
            discard(incoming).await;
            return Err(ApiError::PayloadTooLarge { limit_bytes: largest });
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

/// The members of a JSON object, not parsed yet.
#[derive(Debug)]
pub struct Members<'a> {
    known: &'static [&'static str],
    given: Vec<(String, &'a RawValue)>,
}

impl<'a> Members<'a> {
    /// The value of a member, if it is given.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        debug_assert!(self.known.contains(&name), "{name} is not listed");
        self.given.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }
}

/// Parses a body as a JSON object with these members. Another member is an error, as is one that is given twice;
/// `otherwise` is the error for JSON of another shape.
pub fn object<'a>(
    body: &'a [u8],
    known: &'static [&'static str],
    otherwise: &str,
) -> Result<Members<'a>, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| bad("the body is not valid UTF-8"))?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|_| bad("the body is not valid JSON"))?;
    members(text, known).map_err(|fault| fault.error("", otherwise))
}

/// Deserializes an optional member: `null` counts as present.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Parses a member that is an object with these members, or null. `name` is the member's.
pub fn inner_object<'a>(
    name: &str,
    value: &'a RawValue,
    known: &'static [&'static str],
    otherwise: &str,
) -> Result<Option<Members<'a>>, ApiError> {
    if value.get() == "null" {
        return Ok(None);
    }
    members(value.get(), known).map(Some).map_err(|fault| fault.error(&format!("{name}."), otherwise))
}

/// The reason why a text is not the expected object.
enum ObjectFault {
    OtherShape,
    Repeated(String),
    Unknown { name: String, known: &'static [&'static str] },
}

impl ObjectFault {
    fn error(self, prefix: &str, otherwise: &str) -> ApiError {
        match self {
            Self::OtherShape => bad(otherwise),
            Self::Repeated(name) => bad(&format!("`{prefix}{name}` is given more than once")),
            Self::Unknown { name, known: [] } => {
                bad(&format!("`{prefix}{}` is not a member of this object, which has none", shown(&name)))
            }
            Self::Unknown { name, known } => bad(&format!(
                "`{prefix}{}` is not a member of this object; the nearest one is `{}`, and all are {}",
                shown(&name),
                nearest(&name, known.iter().copied()).unwrap_or_default(),
                known.join(", ")
            )),
        }
    }
}

fn members<'a>(text: &'a str, known: &'static [&'static str]) -> Result<Members<'a>, ObjectFault> {
    let Object(given) = serde_json::from_str(text).map_err(|_| ObjectFault::OtherShape)?;
    for (place, (name, _)) in given.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            return Err(ObjectFault::Unknown { name: name.clone(), known });
        }
        if given[..place].iter().any(|(other, _)| other == name) {
            return Err(ObjectFault::Repeated(name.clone()));
        }
    }
    Ok(Members { known, given })
}

fn bad(message: &str) -> ApiError {
    ApiError::BadRequest(message.to_owned().into())
}

/// The members of any object, in their order.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut given = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            given.push((name, value));
        }
        Ok(Object(given))
    }
}
