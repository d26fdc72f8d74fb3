//! Static files, compiled in by the build script. A request for one costs no work and no memory, whatever it accepts.

use bytes::Bytes;

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::compression::Encodings;
use crate::http::response::reply::{Reply, Stored, Version};

/// A file of the binary.
#[derive(Debug)]
pub struct Asset {
    pub name: &'static str,
    /// Where our own pages find it: a digest of its bytes is part of the name.
    pub path: &'static str,
    pub content_type: &'static str,
    /// Of the bytes, for the `ETag`.
    pub digest: &'static str,
    pub bytes: &'static [u8],
    pub encodings: Encodings,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Under a name that says nothing of the bytes.
const FOR_TEN_MINUTES: &str = "private, max-age=600";
/// Under a name that has other bytes never.
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

/// Where a page finds a file of ours. That each one that a page names is there is checked by a test that opens them all.
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

/// For browsers that look for nothing else.
pub fn icon(_: &Question<'_>) -> Result<Reply, ApiError> {
    let icon = OWN.iter().find(|asset| asset.name == "favicon.ico");
    icon.map(Asset::reply).ok_or(ApiError::NotFound("there is no such file"))
}

/// The reference UI.
pub fn scalar(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(SCALAR.reply())
}
