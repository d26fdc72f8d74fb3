//! A handler's reply, before the edge adds its headers.

use std::sync::Arc;

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use lastro_model::Stamp;
use serde::Serialize;

use super::body::Body;
use super::compression::Encodings;
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
    /// Headers beside those common to all responses.
    pub headers: Vec<Header>,
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
    /// Changes with the program.
    Content(&'static str),
}

impl Version {
    /// Digests the stamps, in their order.
    pub fn data(stamps: impl IntoIterator<Item = Stamp>) -> Self {
        let digest = stamps.into_iter().fold(0, |digest, stamp| {
            folded(folded(digest, stamp.edition.0), stamp.published_unix_ms.cast_unsigned())
        });
        Self::Data(digest)
    }
}

/// A digest that changes with each bit, and is the same on every machine: it becomes part of a tag that may be sent to
/// another replica. A collision benefits no attacker, so it need not be cryptographic.
pub fn digest_of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let whole =
        words.iter().fold(bytes.len() as u64, |digest, word| folded(digest, u64::from_le_bytes(*word)));
    rest.iter().fold(whole, |digest, byte| folded(digest, (*byte).into()))
}

/// Adds a number to a digest.
const fn folded(digest: u64, number: u64) -> u64 {
    mixed(digest.wrapping_add(ODD) ^ number)
}

/// The golden ratio, so that zeros change the digest as well.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes a number (SplitMix64): each bit changes about half of the result, and no two numbers give the same.
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
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
            headers: Vec::new(),
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
            ApiError::RateLimited { retry_after_seconds, .. } => {
                reply.retry_after = Some(*retry_after_seconds);
            }
            ApiError::Unavailable(_) => reply.retry_after = Some(5),
            _ => {}
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_digest_differs_with_every_bit(bytes in prop::collection::vec(any::<u8>(), 1..100), place: usize, bit in 0u8..8) {
            let mut other = bytes.clone();
            other[place % bytes.len()] ^= 1 << bit;
            prop_assert_ne!(digest_of(&bytes), digest_of(&other));
            prop_assert_ne!(digest_of(&bytes), digest_of(&bytes[..bytes.len() - 1]));
        }
    }
}
