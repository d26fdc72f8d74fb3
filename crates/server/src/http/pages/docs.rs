//! The API reference and the description it is drawn from.

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

/// The reference UI sets styles from its script; nothing else is let in, and nothing leaves this origin.
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
