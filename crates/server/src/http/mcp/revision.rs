//! Revisions of the protocol: which one a message speaks, and whether its headers say the same as its body.
//!
//! Since 2026-07-28 every request names its revision, in a header and in `_meta`. Those before begin with `initialize`;
//! their sessions are optional, and this service has none.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderName;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{Message, Params, RpcError, read, shown, text_of};
use crate::http::request::head::Head;

/// The two ways in which clients begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// `initialize` first, then requests that name their revision in a header at most.
    Legacy,
    /// Every request stands for itself.
    Modern,
}

const MODERN: &str = "2026-07-28";
/// The newest first, which is offered to a client that asks for another.
const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
const SUPPORTED: [&str; 4] = [MODERN, LEGACY[0], LEGACY[1], LEGACY[2]];

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

pub(super) const DISCOVER: &str = "server/discover";
pub(super) const INITIALIZE: &str = "initialize";

/// The members of `_meta` that every request of the current revision has.
#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
}

impl Era {
    /// The era of a message, if its headers agree with it.
    pub(super) fn of(head: Head<'_>, message: &Message<'_>) -> Result<Self, RpcError> {
        let header = single(head, &VERSION)?;
        let meta: Meta<'_> = message.params.meta.and_then(read).unwrap_or_default();
        let named = meta.version.and_then(text_of);
        if header.is_some() && meta.version.is_some() && header != named.as_deref() {
            return Err(mismatch(&VERSION, "the protocol version in `_meta`"));
        }
        let version = named.as_deref().or(header);
        match version {
            None if message.method != DISCOVER && meta.version.is_none() => return Ok(Self::Legacy),
            Some(version) if LEGACY.contains(&version) && message.method != DISCOVER => {
                return Ok(Self::Legacy);
            }
            _ if message.method == INITIALIZE && meta.version.is_none() => return Ok(Self::Legacy),
            Some(version) if version != MODERN => {
                return Err(RpcError::unsupported_version(version, &SUPPORTED));
            }
            _ => {}
        }
        // The headers of a notification are not defined.
        if message.id.is_some() {
            check_headers(head, message)?;
            check_meta(&meta)?;
        }
        Ok(Self::Modern)
    }
}

/// Checks the headers that repeat parts of the body.
fn check_headers(head: Head<'_>, message: &Message<'_>) -> Result<(), RpcError> {
    if single(head, &VERSION)?.is_none() {
        return Err(missing(&VERSION));
    }
    let method = single(head, &METHOD)?.ok_or_else(|| missing(&METHOD))?;
    if method != message.method {
        return Err(mismatch(&METHOD, "the method"));
    }
    let Params { name, uri, .. } = message.params;
    let (named, called) = match &*message.method {
        "tools/call" | "prompts/get" => (name, "`name`"),
        "resources/read" => (uri, "`uri`"),
        _ => return Ok(()),
    };
    let header = single(head, &NAME)?.ok_or_else(|| missing(&NAME))?;
    let header = decoded(header).ok_or_else(|| RpcError::header_mismatch("Mcp-Name is not valid Base64"))?;
    match named.and_then(text_of) {
        Some(name) if name == header => Ok(()),
        _ => Err(mismatch(&NAME, called)),
    }
}

fn check_meta(meta: &Meta<'_>) -> Result<(), RpcError> {
    let is_object = |value: &RawValue| value.get().starts_with('{');
    if meta.version.and_then(text_of).is_some() && meta.capabilities.is_some_and(is_object) {
        return Ok(());
    }
    Err(RpcError::invalid_params(
        "`_meta` must have `io.modelcontextprotocol/protocolVersion`, a string, and \
         `io.modelcontextprotocol/clientCapabilities`, an object",
    ))
}

/// The header's single value. Two are rejected: a proxy may have used the other one.
fn single<'a>(head: Head<'a>, name: &HeaderName) -> Result<Option<&'a str>, RpcError> {
    let mut values = head.0.headers.get_all(name).iter();
    match (values.next().map(http::HeaderValue::to_str), values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value.trim())),
        _ => Err(RpcError::header_mismatch(format!("{name} must be sent once, in ASCII"))),
    }
}

/// The value of a header in which other texts than ASCII are in Base64.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

fn missing(name: &HeaderName) -> RpcError {
    RpcError::header_mismatch(format!("Header mismatch: {name} is missing"))
}

fn mismatch(name: &HeaderName, other: &str) -> RpcError {
    RpcError::header_mismatch(format!("Header mismatch: {name} is not {other} of the body"))
}

/// The revision that the server answers `initialize` with: the requested one, or the newest that begins so.
pub(super) fn negotiated(params: &Params<'_>) -> Result<&'static str, RpcError> {
    let requested = params.protocol_version.and_then(text_of).ok_or_else(|| {
        RpcError::invalid_params("`protocolVersion` is required: the revision that the client speaks")
    })?;
    tracing::debug!(requested = shown(&requested), "a client begins");
    Ok(LEGACY.into_iter().find(|version| *version == requested).unwrap_or(LEGACY[0]))
}

pub(super) const fn supported() -> [&'static str; 4] {
    SUPPORTED
}
