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
    pub content_type: &'static str,
    /// Of the bytes, for the `ETag`.
    pub digest: &'static str,
    pub bytes: &'static [u8],
    pub encodings: Encodings,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

impl Asset {
    pub fn reply(&'static self) -> Reply {
        Reply {
            content_type: self.content_type,
            body: Bytes::from_static(self.bytes).into(),
            version: Version::Content(self.digest),
            cache: "private, max-age=600",
            encoding: Some(Stored::Static(&self.encodings)),
            ..Reply::json(Vec::new())
        }
    }
}

pub fn own(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asset = OWN
        .iter()
        .find(|asset| asset.name == question.path.get("id"))
        .ok_or(ApiError::NotFound("there is no such file"))?;
    Ok(asset.reply())
}

/// The reference UI.
pub fn scalar(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(SCALAR.reply())
}
