//! Attempts that came to nothing, in sentences for people.

use std::time::Duration;

use http::header::{HeaderMap, HeaderName, RETRY_AFTER};
use lastro_sources::Fault;
use lastro_sources::request::Request;

/// Why an attempt came to nothing, and whether another may come to something.
pub(super) enum Failure {
    Passing { sentence: String, wait: Option<Duration> },
    Lasting(Fault),
}

/// Without the URL: the request's own words are for people.
pub(super) fn unreachable(request: &Request, error: &reqwest::Error) -> Failure {
    let kind = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection broke"
    };
    Failure::Passing { sentence: format!("{}: {kind}", request.what), wait: None }
}

pub(super) fn too_large(request: &Request) -> Failure {
    Failure::Lasting(Fault::NotData(format!("{}: larger than any real answer", request.what)))
}

pub(super) fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    text_of(headers, RETRY_AFTER)?.trim().parse().ok().map(Duration::from_secs)
}
