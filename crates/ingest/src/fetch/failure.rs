//! Failed attempts, as sentences for people.

use std::time::Duration;

use http::header::{HeaderMap, HeaderName, RETRY_AFTER};
use lastro_sources::Fault;
use lastro_sources::request::Request;

/// The reason why an attempt failed, and whether a retry may succeed.
pub(super) enum Failure {
    Passing { sentence: String, wait: Option<Duration> },
    Lasting(Fault),
}

/// Describes a network error by the request's readable name, without the URL.
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
