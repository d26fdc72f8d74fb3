//! A handler's reply, before the edge adds its headers.

use std::sync::Arc;

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use lastro_model::{Outcome, Stamp, digest_of_stamps};
use serde::Serialize;

use super::body::Body;
use super::compression::Encodings;
use super::envelope;
use crate::error::ApiError;
use crate::http::request::format::JSON;

/// A status, a body and its caching rules.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub content_type: &'static str,
    pub body: Body,
    pub version: Version,
    /// The format of that version, if not JSON.
    pub variant: &'static str,
    pub cache: &'static str,
    /// The content security policy, if not that of data.
    pub policy: Option<&'static str>,
    /// Set if the body is not compressed for each response.
    pub encoding: Option<Stored>,
    /// Seconds that a rejected client should wait.
    pub retry_after: Option<u64>,
    /// The outcome in the usage report, if the status does not show it.
    pub outcome: Option<Outcome>,
    /// Headers beside those common to all responses.
    pub headers: Vec<Header>,
    /// Whether an earlier request has paid for this one.
    pub is_paid: bool,
}

pub type Header = (HeaderName, HeaderValue);

/// A body that is sent as stored.
#[derive(Debug, Clone)]
pub enum Stored {
    /// Holds a secret: compressing it together with client input would leak it through the length.
    Plain,
    /// A static file of the program, with its codings made at the first request.
    Static(&'static Encodings),
    /// A page of the service, cached for all clients.
    Page(Arc<Encodings>),
    /// A page rendered on demand: its codings are charged to the client that requests them.
    Charged(Arc<Encodings>),
}

/// The version of a body: the source of its `ETag`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// Changes with every request: no tag.
    None,
    /// Changes with the data: a digest of all its stamps.
    Data(u64),
    /// The same, for a file with the same bytes in every response to every plan: a strong tag.
    File(u64),
    /// Changes with the program.
    Content(&'static str),
}

impl Version {
    /// Digests the stamps, in their order.
    pub fn data(stamps: impl IntoIterator<Item = Stamp>) -> Self {
        Self::Data(digest_of_stamps(stamps))
    }
}

/// Clients revalidate each time with the tag, which makes the response short.
pub const REVALIDATE: &str = "private, no-cache";

/// Nothing may be cached.
pub const NO_STORE: &str = "no-store";

impl Reply {
    pub fn json(body: Vec<u8>) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: JSON.media_type,
            body: body.into(),
            version: Version::None,
            variant: "",
            cache: REVALIDATE,
            policy: None,
            encoding: None,
            retry_after: None,
            outcome: None,
            headers: Vec::new(),
            is_paid: false,
        }
    }

    /// A JSON body that is serialized for each request.
    pub fn of(body: &impl Serialize) -> Result<Self, ApiError> {
        serde_json::to_vec(body).map(Self::json).map_err(|error| {
            tracing::error!(%error, "a body could not be written");
            ApiError::Internal
        })
    }

    /// The same reply, never cached or compressed: it holds a secret or one client's data.
    #[must_use]
    pub fn private(self, status: StatusCode) -> Self {
        Self { status, cache: NO_STORE, encoding: Some(Stored::Plain), ..self }
    }

    /// Data with these stamps.
    pub fn data(body: Vec<u8>, stamps: impl IntoIterator<Item = Stamp>) -> Self {
        Self { version: Version::data(stamps), ..Self::json(body) }
    }

    /// Sends a browser to another page of this service. `path` is made of ASCII.
    pub fn redirect(path: &str) -> Result<Self, ApiError> {
        let location = HeaderValue::from_str(path).map_err(|_| ApiError::Internal)?;
        let headers = vec![(header::LOCATION, location)];
        Ok(Self { status: StatusCode::FOUND, headers, ..Self::json(Vec::new()) })
    }

    pub fn error(error: &ApiError) -> Self {
        let (_, status) = error.code();
        let mut reply = Self::json(error.body()).private(status);
        match error {
            ApiError::Unauthorized(_) => {
                reply.headers.push((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
            }
            ApiError::MethodNotAllowed(allow) => {
                reply.headers.push((header::ALLOW, HeaderValue::from_static(allow)));
            }
            ApiError::RangeNotSatisfiable { length } => {
                reply.headers.push((header::CONTENT_RANGE, envelope::text(&format!("bytes */{length}"))));
            }
            ApiError::RateLimited { retry_after_seconds, .. } => {
                reply.retry_after = Some(*retry_after_seconds);
            }
            ApiError::Unavailable(_) => reply.retry_after = Some(5),
            _ => {}
        }
        reply
    }
}
