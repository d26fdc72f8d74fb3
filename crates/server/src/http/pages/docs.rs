//! The API reference and the OpenAPI description it is rendered from.

use askama::Template;

use super::assets::DESCRIPTION;
use super::frame::{Frame, draw};
use super::keeping::kept;
use super::state;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs {
    frame: Frame,
}

/// Allows inline styles, which the reference UI sets from its script. Everything else stays within this origin.
const DOCS_POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; \
                           connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let frame = |language| Frame::new(question, language, "/docs");
    let page =
        kept(question, "/docs", state::sample(question), |language| draw(&Docs { frame: frame(language) }))?;
    Ok(Reply { policy: Some(DOCS_POLICY), ..page })
}

pub fn description(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(Reply { cache: "private, no-cache", ..DESCRIPTION.reply() })
}
