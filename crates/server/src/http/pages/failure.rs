//! Errors as pages, for clients that accept HTML. The API and `/health` always reply in JSON.

use lastro_background::served::Served;
use lastro_model::Now;
use lastro_web::{Data, ErrorPage, Failure};

use super::{keeping, reader};
use crate::error::ApiError;
use crate::http::request::head::Head;
use crate::http::request::query::Query;
use crate::http::response::reply::{Reply, Version};
use crate::http::site::Site;

/// The error as a page, if this path has error pages and the client wants one.
pub fn page(served: &Served, site: &Site, now: Now, head: Head<'_>, error: &ApiError) -> Option<Reply> {
    let path = head.path();
    if path.starts_with("/api/") || path == "/health" || !head.wants_page() {
        return None;
    }
    let query = Query::of_page(head.query()).or_else(|_| Query::of_page("")).ok()?;
    let (reader, catalog, freshness) =
        (reader::of(head, &query), served.catalog.load(), served.freshness.load());
    let data = Data { catalog: &catalog, freshness: &freshness, now, public_url: site.public_url() };
    let (failure, status) = (failure(error), error.code().1.as_u16());
    let page = ErrorPage { failure, status, detail: detail(error) };
    let text = page.render(&data, reader).ok()?;
    let drawn = keeping::private(reader, &site.origin(head), &text);
    let Reply { status, cache, encoding, retry_after, mut headers, .. } = Reply::error(error);
    headers.extend(drawn.headers);
    Some(Reply { status, cache, encoding, retry_after, headers, version: Version::None, ..drawn })
}

const fn failure(error: &ApiError) -> Failure {
    match error {
        ApiError::BadRequest(_) | ApiError::RangeNotSatisfiable { .. } => Failure::BadRequest,
        ApiError::Unauthorized(_) => Failure::Unauthorized,
        ApiError::UpgradeRequired { .. } => Failure::UpgradeRequired,
        ApiError::Forbidden(_) => Failure::Forbidden,
        ApiError::NotFound(_)
        | ApiError::NoSuchValue(_)
        | ApiError::Gone(_)
        | ApiError::CursorExpired { .. } => Failure::NotFound,
        ApiError::MethodNotAllowed(_) => Failure::MethodNotAllowed,
        ApiError::PayloadTooLarge { .. } => Failure::PayloadTooLarge,
        ApiError::RateLimited { retry_after_seconds, .. } => {
            Failure::RateLimited { retry_after_seconds: *retry_after_seconds }
        }
        ApiError::Internal => Failure::Internal,
        ApiError::Unavailable(_) => Failure::Unavailable,
    }
}

/// Message specific to this error. Empty for most, whose kind says everything.
fn detail(error: &ApiError) -> String {
    match error {
        ApiError::BadRequest(_) | ApiError::UpgradeRequired { .. } => error.message().replace('`', ""),
        _ => String::new(),
    }
}
