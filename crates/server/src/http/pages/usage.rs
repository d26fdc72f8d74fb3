//! Usage of a key: an empty page that a script fills from the API, with the reader's key.

use askama::Template;

use super::frame::{Frame, draw};
use super::keeping::kept;
use super::state;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

#[derive(Template)]
#[template(path = "usage.html")]
struct Usage {
    frame: Frame,
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let frame = |language| Frame::new(question, language, "/usage");
    kept(question, "/usage", state::sample(question), |language| draw(&Usage { frame: frame(language) }))
}
