//! What a handler answers with, before the edge adds its headers.

use std::sync::Arc;

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use lastro_model::Stamp;
use serde::Serialize;

use super::body::Body;
use super::compression::Encodings;
use crate::error::ApiError;
use crate::http::request::format::JSON;

/// A status, a body and what caches may do with it.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub content_type: &'static str,
    pub body: Body,
    pub version: Version,
    /// Which format of that version this is, where it has others than JSON.
    pub variant: &'static str,
    pub cache: &'static str,
    /// The content security policy, where it is not that of data.
    pub policy: Option<&'static str>,
    /// Set when the body is not to be compressed on its way out.
    pub encoding: Option<Stored>,
    /// The seconds that a refused client should wait.
    pub retry_after: Option<u64>,
    /// Beside those that every response carries.
    pub headers: Vec<Header>,
}

pub type Header = (HeaderName, HeaderValue);

/// A body that is sent as it is kept.
#[derive(Debug, Clone)]
pub enum Stored {
    /// It holds a secret: compressing it beside what a client sent would leak its length.
    Plain,
    /// It is part of the program, and so is each of its codings once somebody has asked for it.
    Static(&'static Encodings),
    /// It is a page of the service, kept for everybody.
    Page(Arc<Encodings>),
    /// It is a page that somebody made us draw: its codings are made at the expense of who asks for them.
    Charged(Arc<Encodings>),
}

/// What a body is a version of: the source of its `ETag`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// Changes with every request: no tag.
    None,
    /// As the data it is drawn from: a digest of all its stamps.
    Data(u64),
    /// As the program itself.
    Content(&'static str),
}

impl Version {
    /// Of however many parts, in the order they are named.
    pub fn data(stamps: impl IntoIterator<Item = Stamp>) -> Self {
        let digest = stamps.into_iter().fold(0, |digest, stamp| {
            folded(folded(digest, stamp.edition.0), stamp.published_unix_ms.cast_unsigned())
        });
        Self::Data(digest)
    }
}

/// A digest that differs with each bit of the bytes, and is the same for the same bytes on every machine: it becomes part of a
/// tag that another replica may be shown. Nobody gains by two that are the same, so that it need not be a secure one.
pub fn digest_of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let whole =
        words.iter().fold(bytes.len() as u64, |digest, word| folded(digest, u64::from_le_bytes(*word)));
    rest.iter().fold(whole, |digest, byte| folded(digest, (*byte).into()))
}

/// The digest of what came before, and of the next number.
const fn folded(digest: u64, number: u64) -> u64 {
    mixed(digest.wrapping_add(ODD) ^ number)
}

/// The golden ratio, so that nothing added to nothing is something.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Every bit of the number changes about half of the result, and no two numbers give the same (SplitMix64).
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Ask again each time, with the tag: the answer is then short.
pub const REVALIDATE: &str = "private, no-cache";

/// For nobody to keep.
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

    /// A body that is written anew for each request.
    pub fn of(body: &impl Serialize) -> Result<Self, ApiError> {
        serde_json::to_vec(body).map(Self::json).map_err(|error| {
            tracing::error!(%error, "a body could not be written");
            ApiError::Internal
        })
    }

    /// The same reply, for nobody to keep: it holds a secret or one client's affairs.
    #[must_use]
    pub fn private(self, status: StatusCode) -> Self {
        Self { status, cache: NO_STORE, encoding: Some(Stored::Plain), ..self }
    }

    /// Data that is drawn from these states.
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
