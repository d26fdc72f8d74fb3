//! What went wrong, as a page, for whoever looks at pages. The API and `/health` always answer in JSON.

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
    /// What the API would say, in English.
    detail: String,
}

/// The failure as a page, if this reader wants one where it happened.
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
        // What cannot be opened is not linked to either.
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

/// What is particular to this failure; most say no more than their kind.
fn detail(error: &ApiError) -> String {
    match error {
        ApiError::BadRequest(_) | ApiError::UpgradeRequired { .. } => error.message().replace('`', ""),
        _ => String::new(),
    }
}
