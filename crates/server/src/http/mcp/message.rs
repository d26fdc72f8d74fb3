//! JSON-RPC messages, as far as the protocol uses them.

use std::borrow::Cow;

use http::StatusCode;
use lastro_catalog::{Object, name};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::revision::Era;
use crate::http::request::body::present;
use crate::http::response::reply::{NO_STORE, Reply};

/// A request, or a notification if it has no id.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Params<'a>,
}

/// The parameters of all methods; each reads its own.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Params<'a> {
    #[serde(borrow)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) uri: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) cursor: Option<&'a RawValue>,
    #[serde(borrow, rename = "protocolVersion")]
    pub(super) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    pub(super) meta: Option<&'a RawValue>,
}

impl Params<'_> {
    /// Whether names are texts, and arguments and `_meta` objects. `null` stands for nothing.
    fn have_right_types(&self) -> bool {
        let begins =
            |value: Option<&RawValue>, mark: char| value.is_none_or(|value| value.get().starts_with(mark));
        let texts = [self.name, self.uri, self.cursor, self.protocol_version];
        texts.into_iter().all(|text| begins(text, '"'))
            && begins(self.arguments, '{')
            && begins(self.meta, '{')
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, RpcError> {
        let text = std::str::from_utf8(body).map_err(|_| RpcError::parse("the body is not valid UTF-8"))?;
        let whole: &RawValue =
            serde_json::from_str(text).map_err(|_| RpcError::parse("the body is not valid JSON"))?;
        if whole.get().starts_with('[') {
            return Err(RpcError::invalid_request(
                "send one message in a request; batches are not supported",
            ));
        }
        let envelope = read::<Envelope<'_>>(whole)
            .ok_or_else(|| RpcError::invalid_request("the body must be one JSON-RPC object"))?;
        if envelope.jsonrpc.and_then(text_of).as_deref() != Some("2.0") {
            return Err(RpcError::invalid_request("`jsonrpc` must be \"2.0\""));
        }
        if envelope.id.is_some_and(|id| !is_id(id.get())) {
            return Err(RpcError::invalid_request("`id` must be a string or an integer"));
        }
        let method = envelope.method.and_then(text_of).ok_or_else(|| {
            RpcError::invalid_request("`method` must be a string; responses are not expected here")
        })?;
        let params = match envelope.params {
            None => Params::default(),
            Some(params) => read(params).filter(Params::have_right_types).ok_or_else(|| {
                RpcError::invalid_request("`params` must be an object, with members of the right types")
            })?,
        };
        Ok(Self { id: envelope.id, method, params })
    }

    /// Whether this asks for a call of a tool, which is the one thing that costs a unit of the quota.
    pub(super) fn calls_tool(&self) -> bool {
        self.id.is_some() && self.method == "tools/call"
    }
}

/// Parses an object. Serde would also accept an array, with the members in order.
pub(super) fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    value.get().starts_with('{').then(|| serde_json::from_str(value.get()).ok()).flatten()
}

/// The text of a JSON string.
pub(super) fn text_of(value: &RawValue) -> Option<Cow<'_, str>> {
    let text = value.get();
    text.starts_with('"').then(|| serde_json::from_str::<String>(text).ok()).flatten().map(Cow::Owned)
}

/// Whether this JSON is a string or an integer.
fn is_id(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    json.starts_with('"') || digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// An error of the protocol, as opposed to a tool that reports one.
#[derive(Debug)]
pub(super) struct RpcError {
    code: i32,
    message: Cow<'static, str>,
    data: Option<Value>,
}

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;
const HEADER_MISMATCH: i32 = -32_020;
const UNSUPPORTED_VERSION: i32 = -32_022;

impl RpcError {
    fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    fn parse(message: &'static str) -> Self {
        Self::new(PARSE_ERROR, message)
    }

    fn invalid_request(message: &'static str) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    pub(super) fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    pub(super) fn header_mismatch(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(HEADER_MISMATCH, message)
    }

    pub(super) fn unknown_method(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("there is no method `{}` here", shown(method)))
    }

    pub(super) fn unsupported_version(requested: &str, supported: &[&str]) -> Self {
        let data = Some(json!({ "supported": supported, "requested": shown(requested) }));
        Self { data, ..Self::new(UNSUPPORTED_VERSION, "Unsupported protocol version") }
    }

    pub(super) fn unknown_resource(uri: &str) -> Self {
        let data = Some(json!({ "uri": shown(uri) }));
        Self { data, ..Self::new(INVALID_PARAMS, "there is no such resource; `resources/list` lists them") }
    }

    /// The status. Clients of older revisions expect errors of a request with status 200.
    fn status(&self, era: Era) -> StatusCode {
        match (self.code, era) {
            (PARSE_ERROR | INVALID_REQUEST | HEADER_MISMATCH | UNSUPPORTED_VERSION, _) => {
                StatusCode::BAD_REQUEST
            }
            (_, Era::Legacy) => StatusCode::OK,
            (METHOD_NOT_FOUND, Era::Modern) => StatusCode::NOT_FOUND,
            (_, Era::Modern) => StatusCode::BAD_REQUEST,
        }
    }

    /// The reply; without an id if the message has none that can be read.
    pub(super) fn reply(&self, id: Option<&RawValue>, era: Era) -> Reply {
        let object = begun(id).written(name!("error"), |out| {
            let error = Object::new(out)
                .number(name!("code"), i64::from(self.code))
                .text(name!("message"), &self.message);
            match &self.data {
                Some(data) => error.raw(name!("data"), data.to_string().as_bytes()).end(),
                None => error.end(),
            };
        });
        Reply::json(object.end()).private(self.status(era))
    }
}

/// The reply with this result, a JSON object.
pub(super) fn result(id: &RawValue, result: &[u8]) -> Reply {
    Reply { cache: NO_STORE, ..Reply::json(begun(Some(id)).raw(name!("result"), result).end()) }
}

fn begun(id: Option<&RawValue>) -> Object<Vec<u8>> {
    let object = Object::new(Vec::with_capacity(512)).text(name!("jsonrpc"), "2.0");
    match id {
        Some(id) => object.raw(name!("id"), id.get().as_bytes()),
        None => object,
    }
}

/// A name that a client sent, short enough to send it back.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 80;
    text.chars().filter(|letter| !letter.is_control()).take(MOST).collect()
}
