//! Errors as pages, for clients that accept HTML. The API and `/health` always reply in JSON.

use askama::Template;

use super::frame::{Frame, Reader, draw};
use super::keeping;
use super::language::Language;
use crate::error::ApiError;
use crate::http::request::head::Head;
use crate::http::request::query::Query;
use crate::http::response::reply::{Reply, Version};
use crate::state::App;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    status: u16,
    title: &'static str,
    sentence: String,
    /// The API's message, in English.
    detail: String,
}

/// The error as a page, if this path has error pages and the client wants one.
pub fn page(app: &App, head: Head<'_>, error: &ApiError) -> Option<Reply> {
    let path = head.path();
    if path.starts_with("/api/") || path == "/health" || !head.wants_page() {
        return None;
    }
    let query = Query::new(head.query()).or_else(|_| Query::new("")).ok()?;
    let reader = Reader::new(&app.site, head, &query);
    let sample = app.freshness.load().iter().any(|state| state.sample);
    let (title, sentence) = told(error, reader.language);
    let page = ErrorPage {
        // The failed address is not linked to.
        frame: Frame::outside(&app.site, reader.language, "/", sample).nowhere(),
        status: error.code().1.as_u16(),
        title,
        sentence,
        detail: detail(error),
    };
    let drawn = keeping::private(&reader, &draw(&page).ok()?);
    let Reply { status, cache, encoding, retry_after, mut headers, .. } = Reply::error(error);
    headers.extend(drawn.headers);
    Some(Reply { status, cache, encoding, retry_after, headers, version: Version::None, ..drawn })
}

fn told(error: &ApiError, language: Language) -> (&'static str, String) {
    let t = &language.texts().error;
    let (title, sentence) = match error {
        ApiError::BadRequest(_) => (t.bad_request, t.bad_request_text),
        ApiError::Unauthorized(_) => (t.unauthorized, t.unauthorized_text),
        ApiError::UpgradeRequired { .. } => (t.upgrade, t.upgrade_text),
        ApiError::Forbidden(_) => (t.forbidden, t.forbidden_text),
        ApiError::NotFound(_) => (t.not_found, t.not_found_text),
        ApiError::MethodNotAllowed(_) => (t.method, t.method_text),
        ApiError::PayloadTooLarge { .. } => (t.too_large, t.too_large_text),
        ApiError::RateLimited { retry_after_seconds, .. } => {
            return (t.limited, t.limited_text.replace("{seconds}", &retry_after_seconds.to_string()));
        }
        ApiError::Internal => (t.internal, t.internal_text),
        ApiError::Unavailable(_) => (t.unavailable, t.unavailable_text),
    };
    (title, sentence.to_owned())
}

/// Message specific to this error. Empty for most, whose kind says everything.
fn detail(error: &ApiError) -> String {
    match error {
        ApiError::BadRequest(_) | ApiError::UpgradeRequired { .. } => error.message().replace('`', ""),
        _ => String::new(),
    }
}
