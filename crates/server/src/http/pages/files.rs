//! Static files. Serving one costs no work and no memory in any encoding.

use bytes::Bytes;
use lastro_web::assets::{Asset, COUNT, DESCRIPTION, OWN, RECIPES, SCALAR};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::compression::Encodings;
use crate::http::response::reply::{Reply, Stored, Version};

/// The encodings of each file.
static ENCODINGS: [Encodings; COUNT] = [const { Encodings::new() }; COUNT];

/// For names without a digest, whose bytes may change.
const FOR_TEN_MINUTES: &str = "private, max-age=600";
/// For names with a digest, whose bytes never change.
const FOR_EVER: &str = "private, max-age=31536000, immutable";

const NO_SUCH_FILE: ApiError = ApiError::NotFound("there is no such file");

fn reply(asset: &'static Asset) -> Reply {
    Reply {
        content_type: asset.content_type,
        body: Bytes::from_static(asset.bytes).into(),
        version: Version::Content(asset.digest),
        cache: FOR_TEN_MINUTES,
        encoding: Some(Stored::Static(&ENCODINGS[asset.position])),
        ..Reply::json(Vec::new())
    }
}

pub fn own(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asked = question.path.get("id");
    let linked = |asset: &&Asset| asset.path.strip_prefix("/assets/") == Some(asked);
    if let Some(asset) = OWN.iter().find(linked) {
        return Ok(Reply { cache: FOR_EVER, ..reply(asset) });
    }
    OWN.iter().find(|asset| asset.name == asked).map(reply).ok_or(NO_SUCH_FILE)
}

/// Serves `favicon.ico`, for browsers that request nothing else.
pub fn icon(_: &Question<'_>) -> Result<Reply, ApiError> {
    OWN.iter().find(|asset| asset.name == "favicon.ico").map(reply).ok_or(NO_SUCH_FILE)
}

/// The reference UI.
pub fn scalar(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(reply(&SCALAR))
}

/// The calls from spreadsheets, databases and languages, as docs/recipes.md.
pub fn recipes(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(reply(&RECIPES))
}

/// The API description.
pub fn description(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(Reply { cache: "private, no-cache", ..reply(&DESCRIPTION) })
}
