//! The origin check: whether a request comes from a page of this service, of another origin, or from no page.
//!
//! Browsers send this, and scripts cannot forge it. Other clients send neither header and are admitted: this protects
//! a reader's address against other people's pages, not the service against programs.

use http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use http::request;

use crate::error::ApiError;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

const ELSEWHERE: ApiError =
    ApiError::Forbidden("this cannot be asked from a page of another origin; keys are at /pricing");

/// Rejects requests from pages of another origin.
pub fn check(head: &request::Parts) -> Result<(), ApiError> {
    let text = |name| single(&head.headers, &name);
    match text(SEC_FETCH_SITE)? {
        Some("same-origin") => return Ok(()),
        Some("cross-site") => return Err(ELSEWHERE),
        _ => {}
    }
    let Some(origin) = text(ORIGIN)? else { return Ok(()) };
    let asked = head.uri.authority().map(http::uri::Authority::as_str).or(text(HOST)?);
    if asked.is_some_and(|authority| is_origin_of(origin, authority)) { Ok(()) } else { Err(ELSEWHERE) }
}

/// The header's single value. Repeated headers and values that are not text are rejected as untrustworthy.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    match (values.next().map(http::HeaderValue::to_str), values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value.trim())),
        _ => Err(ELSEWHERE),
    }
}

/// Compares only host and port: behind a TLS proxy the scheme differs.
fn is_origin_of(origin: &str, authority: &str) -> bool {
    let Some((scheme, host)) = origin.split_once("://") else { return false };
    let default_port = match scheme.to_ascii_lowercase().as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return false,
    };
    let bare = |host: &str| host.strip_suffix(default_port).unwrap_or(host).to_ascii_lowercase();
    bare(host) == bare(authority)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn checked(headers: &[(&str, &str)]) -> bool {
        let mut request = Request::post("/api/v1/plans/register").header("host", "lastro.example:8080");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn admits_programs_and_own_pages() {
        assert!(checked(&[]));
        assert!(checked(&[("origin", "http://lastro.example:8080")]));
        assert!(checked(&[("origin", "HTTP://LASTRO.example:8080")]));
        assert!(checked(&[("sec-fetch-site", "none")]));
        // A proxy may have changed the host, so the browser's header decides.
        assert!(checked(&[("origin", "https://api.example"), ("sec-fetch-site", "same-origin")]));
    }

    #[test]
    fn rejects_pages_of_other_origins() {
        for origin in [
            "https://evil.example",
            "null",
            "",
            "http://lastro.example",
            "http://lastro.example:8081",
            "http://lastro.example:8080.evil.example",
            "http://sub.lastro.example:8080",
            "ftp://lastro.example:8080",
            "lastro.example:8080",
            "http://lastro.example:8080/",
        ] {
            assert!(!checked(&[("origin", origin)]), "{origin}");
        }
        assert!(!checked(&[("sec-fetch-site", "cross-site")]));
        assert!(!checked(&[("origin", "http://lastro.example:8080"), ("sec-fetch-site", "cross-site")]));
        assert!(!checked(&[("origin", "https://evil.example"), ("sec-fetch-site", "same-site")]));
        assert!(!checked(&[("origin", "http://lastro.example:8080"), ("origin", "https://evil.example")]));
    }

    #[test]
    fn default_port_may_be_omitted() {
        assert!(is_origin_of("https://lastro.example", "lastro.example:443"));
        assert!(is_origin_of("http://[::1]:80", "[::1]"));
        assert!(!is_origin_of("https://lastro.example", "lastro.example:80"));
    }
}
