//! Static files, compiled in by the build script.

use bytes::Bytes;

use crate::error::ApiError;
use crate::http::reply::{Reply, Stored, Version};
use crate::http::routes::Question;

/// A file of the binary.
#[derive(Debug)]
pub struct Asset {
    pub name: &'static str,
    pub content_type: &'static str,
    /// Of the bytes, for the `ETag`.
    pub digest: &'static str,
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

impl Asset {
    pub fn reply(&self) -> Reply {
        Reply {
            content_type: self.content_type,
            body: Bytes::from_static(self.bytes).into(),
            version: Version::Content(self.digest),
            cache: "private, max-age=600",
            ..Reply::json(Vec::new())
        }
    }
}

pub fn own(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asset = OWN
        .iter()
        .find(|asset| asset.name == question.id)
        .ok_or(ApiError::NotFound("there is no such file"))?;
    Ok(asset.reply())
}

/// The reference UI. It is a megabyte even when compressed, so it is kept and sent that way.
pub fn scalar(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(Reply { encoding: Some(Stored::Gzip), ..SCALAR.reply() })
}
