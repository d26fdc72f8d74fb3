//! Static files, compiled in by the build script. Serving one costs no work and no memory in any encoding.

use bytes::Bytes;

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::compression::Encodings;
use crate::http::response::reply::{Reply, Stored, Version};

/// A file compiled into the binary.
#[derive(Debug)]
pub struct Asset {
    pub name: &'static str,
    /// Path that our own pages link to. It contains a digest of the bytes.
    pub path: &'static str,
    pub content_type: &'static str,
    /// Digest of the bytes, for the `ETag`.
    pub digest: &'static str,
    pub bytes: &'static [u8],
    pub encodings: Encodings,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// For names without a digest, whose bytes may change.
const FOR_TEN_MINUTES: &str = "private, max-age=600";
/// For names with a digest, whose bytes never change.
const FOR_EVER: &str = "private, max-age=31536000, immutable";

impl Asset {
    pub fn reply(&'static self) -> Reply {
        Reply {
            content_type: self.content_type,
            body: Bytes::from_static(self.bytes).into(),
            version: Version::Content(self.digest),
            cache: FOR_TEN_MINUTES,
            encoding: Some(Stored::Static(&self.encodings)),
            ..Reply::json(Vec::new())
        }
    }
}

/// Path of one of our files for use in a page. A test opens every file that a page names.
pub fn path(name: &str) -> &'static str {
    OWN.iter().find(|asset| asset.name == name).map_or("", |asset| asset.path)
}

pub fn own(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asked = question.path.get("id");
    let linked = |asset: &&Asset| asset.path.strip_prefix("/assets/") == Some(asked);
    if let Some(asset) = OWN.iter().find(linked) {
        return Ok(Reply { cache: FOR_EVER, ..asset.reply() });
    }
    let named = OWN.iter().find(|asset| asset.name == asked);
    named.map(Asset::reply).ok_or(ApiError::NotFound("there is no such file"))
}

/// Serves `favicon.ico`, for browsers that request nothing else.
pub fn icon(_: &Question<'_>) -> Result<Reply, ApiError> {
    let icon = OWN.iter().find(|asset| asset.name == "favicon.ico");
    icon.map(Asset::reply).ok_or(ApiError::NotFound("there is no such file"))
}

/// The reference UI.
pub fn scalar(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(SCALAR.reply())
}
