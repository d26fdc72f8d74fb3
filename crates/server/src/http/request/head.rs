//! The head of a request beside its parameters: host, path, cookies, and the reader's languages.

use std::fmt;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE,
    COOKIE, EXPECT, HOST, HeaderMap, HeaderName, IF_NONE_MATCH, IF_RANGE, ORIGIN, RANGE, TRANSFER_ENCODING,
};
use http::{HeaderValue, request};
use lastro_background::trace_context::{TRACEPARENT, TRACESTATE, TraceContext};

use super::accept;
use super::id::X_REQUEST_ID;

#[derive(Clone, Copy)]
pub struct Head<'a>(pub &'a request::Parts);

impl fmt::Debug for Head<'_> {
    /// Omits the headers: one of them is a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Head").field(&self.0.uri.path()).finish()
    }
}

/// Every request header that is read anywhere; `trim` drops the others.
const READ: [HeaderName; 26] = [
    ACCEPT,
    ACCEPT_ENCODING,
    ACCEPT_LANGUAGE,
    AUTHORIZATION,
    CONNECTION,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    COOKIE,
    EXPECT,
    HOST,
    IF_NONE_MATCH,
    IF_RANGE,
    ORIGIN,
    RANGE,
    TRANSFER_ENCODING,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("sec-fetch-site"),
    HeaderName::from_static("stripe-signature"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-forwarded-for"),
    X_REQUEST_ID,
    TRACEPARENT,
    TRACESTATE,
];

/// Drops unread headers before a request waits. The rest is copied: a parsed value keeps alive the whole buffer it was
/// read into, which is more than its sender is charged for.
pub fn trim(head: &mut request::Parts) {
    let copy = |value: &HeaderValue| HeaderValue::from_bytes(value.as_bytes()).ok();
    let mut kept = HeaderMap::new();
    for name in READ {
        for value in head.headers.get_all(&name).iter().filter_map(copy) {
            kept.append(&name, value);
        }
    }
    head.headers = kept;
    if let Ok(uri) = head.uri.to_string().parse() {
        head.uri = uri;
    }
}

impl<'a> Head<'a> {
    pub fn path(self) -> &'a str {
        self.0.uri.path()
    }

    pub fn query(self) -> &'a str {
        self.0.uri.query().unwrap_or("")
    }

    /// The host of the request: from `Host`, or over HTTP/2 from the target. Both were checked before any handler is
    /// called, and name exactly one. The target of an older request was not checked, so it is ignored.
    pub fn host(self) -> Option<&'a str> {
        let target = self.0.uri.authority().filter(|_| self.0.version == http::Version::HTTP_2);
        let line = || self.0.headers.get(HOST)?.to_str().ok();
        target.map(http::uri::Authority::as_str).or_else(line)
    }

    /// Whether the bytes after this head are the next request: over HTTP/1.1, without a body and without the wish to close.
    pub fn is_followed_by_another(self) -> bool {
        let request::Parts { version, headers, .. } = self.0;
        let stays = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"keep-alive");
        *version == http::Version::HTTP_11
            && !headers.contains_key(CONTENT_LENGTH)
            && !headers.contains_key(TRANSFER_ENCODING)
            && headers.get_all(CONNECTION).iter().all(stays)
    }

    pub fn cookie(self, name: &str) -> Option<&'a str> {
        let lines = self.0.headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The reader's weight for a language, in thousandths: by its two letters, or by `*`.
    pub fn likes_language(self, letters: &str) -> u32 {
        let weight = |wanted: &dyn Fn(&str) -> bool| {
            let items = accept::items(&self.0.headers, ACCEPT_LANGUAGE);
            items.filter(|(tag, _)| wanted(tag)).map(|(_, parameters)| accept::weight(parameters)).max()
        };
        let named =
            |tag: &str| tag.split('-').next().is_some_and(|first| first.eq_ignore_ascii_case(letters));
        weight(&named).or_else(|| weight(&|tag| tag == "*")).unwrap_or(0)
    }

    /// Whether the client prefers pages to data: `Accept` names HTML, with at least the weight of JSON.
    pub fn wants_page(self) -> bool {
        let weight = |wanted: &str| {
            let mut items = accept::items(&self.0.headers, http::header::ACCEPT);
            items
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
                .map_or(0, |(_, rest)| accept::weight(rest))
        };
        let html = weight("text/html");
        html > 0 && html >= weight("application/json")
    }

    /// The trace that the request belongs to.
    pub fn trace_context(self) -> Option<TraceContext> {
        TraceContext::of(&self.0.headers)
    }

    pub fn header(self, name: http::HeaderName) -> Option<&'a HeaderValue> {
        self.0.headers.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn parts(headers: &[(&str, &str)]) -> request::Parts {
        let mut request = Request::get("/series?q=a");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn languages_are_weighed() {
        let parts = parts(&[("accept-language", "pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7")]);
        let head = Head(&parts);
        assert_eq!(
            (head.likes_language("pt"), head.likes_language("en"), head.likes_language("fr")),
            (1000, 800, 0)
        );
        let parts = self::parts(&[("accept-language", "fr, *;q=0.5")]);
        assert_eq!(Head(&parts).likes_language("pt"), 500);
    }

    #[test]
    fn the_host_is_the_one_that_was_checked() {
        let of = |version, target: &str| {
            let request = Request::get(target).version(version).header("host", "checked.example");
            let parts = request.body(()).unwrap().into_parts().0;
            Head(&parts).host().map(str::to_owned)
        };
        let target = "http://user:secret@elsewhere.example/";
        assert_eq!(of(http::Version::HTTP_11, target).as_deref(), Some("checked.example"));
        assert_eq!(of(http::Version::HTTP_11, "/").as_deref(), Some("checked.example"));
        assert_eq!(of(http::Version::HTTP_2, "http://named.example/").as_deref(), Some("named.example"));
    }

    #[test]
    fn wants_a_page_only_if_accept_names_html() {
        for (accept, page) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("text/html", true),
            ("*/*", false),
            ("", false),
            ("application/json", false),
            ("text/html;q=0.5, application/json", false),
            ("text/html;q=0", false),
        ] {
            let parts = parts(&[("accept", accept)]);
            assert_eq!(Head(&parts).wants_page(), page, "{accept}");
        }
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let parts = parts(&[("cookie", "a=b; lang=pt"), ("cookie", "c=d")]);
        let head = Head(&parts);
        assert_eq!((head.cookie("lang"), head.cookie("c"), head.cookie("x")), (Some("pt"), Some("d"), None));
    }
}
