//! The API reference and the description it is drawn from.

use askama::Template;

use super::assets::DESCRIPTION;
use super::html;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs {
    sample: bool,
    version: &'static str,
}

/// The reference UI sets styles from its script; nothing else is let in, and nothing leaves this origin.
const DOCS_POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; \
                           connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let sample = question.freshness.iter().any(|state| state.sample);
    html(&Docs { sample, version: crate::VERSION }, DOCS_POLICY)
}

pub fn description(_: &Question<'_>) -> Result<Reply, ApiError> {
    Ok(Reply { cache: "private, no-cache", ..DESCRIPTION.reply() })
}
