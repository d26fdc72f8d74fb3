//! Companies and filings: an empty page that a script fills from the API, with the reader's key.

use askama::Template;

use super::frame::{Frame, draw};
use super::keeping::kept;
use super::state;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

#[derive(Template)]
#[template(path = "explore.html")]
struct Explore {
    frame: Frame,
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let frame = |language| Frame::new(question, language, "/explore");
    kept(question, "/explore", state::sample(question), |language| draw(&Explore { frame: frame(language) }))
}
