//! A response and its checks: the headers of all responses, the error shape, and the API description.

use std::io::Read;

use bytes::Bytes;
use lastro::http::routes::resolve;
use lastro_model::Plan;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::description::DESCRIPTION;

/// A response that has passed the checks common to all responses.
#[derive(Debug)]
pub(crate) struct Answer {
    pub method: Method,
    pub path: String,
    /// Whether the request had an `Origin`.
    pub from_page: bool,
    /// The documented operation, if the request matches one.
    pub endpoint: Option<&'static str>,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

const ERROR_CODES: [(u16, &str); 13] = [
    (400, "bad_request"),
    (401, "unauthorized"),
    (403, "upgrade_required"),
    (403, "forbidden"),
    (404, "not_found"),
    (405, "method_not_allowed"),
    (410, "cursor_expired"),
    (410, "gone"),
    (413, "payload_too_large"),
    (416, "range_not_satisfiable"),
    (429, "rate_limited"),
    (500, "internal"),
    (503, "unavailable"),
];

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.header(name)
            .parse()
            .unwrap_or_else(|_| panic!("{name} of {} is {:?}", self.path, self.header(name)))
    }

    /// The decompressed body.
    pub(crate) fn plain(&self) -> Vec<u8> {
        let body = &self.body[..];
        let mut reader: Box<dyn Read> = match self.header("content-encoding") {
            "" => Box::new(body),
            "gzip" => Box::new(flate2::read::GzDecoder::new(body)),
            "br" => Box::new(brotli::Decompressor::new(body, 4096)),
            "zstd" => Box::new(zstd::stream::Decoder::new(body).expect("zstd")),
            other => panic!("{other} is no coding that anybody asked for"),
        };
        let mut plain = Vec::new();
        reader.read_to_end(&mut plain).expect("a body that unpacks");
        plain
    }

    pub(crate) fn json(&self) -> Value {
        self.text().parse().unwrap_or_else(|error| panic!("{} {}: {error}", self.method, self.path))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.plain()).expect("UTF-8")
    }

    /// Asserts the status and returns the response.
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(
            self.status,
            status,
            "{} {}: {}",
            self.method,
            self.path,
            String::from_utf8_lossy(&self.body)
        );
        self
    }

    /// Asserts a failure in the error shape and returns its message.
    pub(crate) fn expect_error(self, status: u16) -> String {
        self.expect(status).json()["message"].as_str().expect("a message").to_owned()
    }

    /// Applies the checks common to all responses.
    pub(crate) fn check(&self, asked_at: i64, answered_at: i64) {
        self.check_envelope(asked_at, answered_at);
        self.check_description();
    }

    fn check_envelope(&self, asked_at: i64, answered_at: i64) {
        let at = format!("{} {} -> {}", self.method, self.path, self.status);
        let (limit, remaining, reset) = (
            self.number("x-ratelimit-limit"),
            self.number("x-ratelimit-remaining"),
            self.number("x-ratelimit-reset"),
        );
        let plan = self.header("x-plan");
        assert!(Plan::parse(plan).is_ok(), "{at}: X-Plan {plan}");
        assert!((0..=limit).contains(&remaining), "{at}: {remaining} of {limit}");
        // Several replicas count units of high limits up to half a second late.
        let longest = if limit > 10_000 { 62 } else { 61 };
        let possible = asked_at..=answered_at + longest;
        assert!(possible.contains(&reset), "{at}: reset {reset} is not in {possible:?}");
        assert_eq!(self.header("ratelimit-policy"), format!("\"{plan}\";q={limit};w=60"), "{at}");
        assert!(
            self.header("ratelimit").starts_with(&format!("\"{plan}\";r={remaining};t=")),
            "{at}: {}",
            self.header("ratelimit")
        );
        for name in ["x-request-id", "content-security-policy", "vary"] {
            assert!(!self.header(name).is_empty(), "{at}: no {name}");
        }
        // Only registration returns something that scripts of other origins must not read.
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        let open = self.from_page && !resolve(&self.method, path).is_for_same_origin();
        for name in ["access-control-allow-origin", "access-control-expose-headers"] {
            assert_eq!(!self.header(name).is_empty(), open, "{at}: {name}");
        }
        assert!(self.header("vary").split(", ").any(|name| name == "Origin"), "{at}");
        assert_eq!(self.header("x-content-type-options"), "nosniff", "{at}");
        if [429, 503].contains(&self.status) {
            assert!(self.number("retry-after") >= 1, "{at}");
        }
        // Pages, and the form without JavaScript, report errors on a page; the API never does.
        let path = self.path.split(['?', '#']).next().unwrap_or_default();
        let in_the_api = path.starts_with("/api/") || path == "/health";
        let on_a_page = !in_the_api && self.header("content-type").starts_with("text/html");
        if self.status >= 400 && !on_a_page {
            self.check_failure(&at);
        }
    }

    fn check_failure(&self, at: &str) {
        assert_eq!(self.header("content-type"), "application/json", "{at}");
        assert_eq!(self.header("cache-control"), "no-store", "{at}");
        if self.method == Method::HEAD {
            return;
        }
        let body = self.json();
        if body["jsonrpc"] == "2.0" {
            // A message that was understood as one: its errors are of its protocol.
            assert!(path_is_mcp(&self.path) && body["error"]["code"].is_i64(), "{at}: {body}");
            return;
        }
        let is_told = |(status, code): &(u16, &str)| *status == self.status && body["error"] == *code;
        assert!(ERROR_CODES.iter().any(is_told), "{at}: {body}");
        assert!(body["message"].as_str().is_some_and(|text| !text.is_empty()), "{at}");
        for inside in ["panicked", ".rs:", "SELECT ", "sqlite", "lastro.db", "told to"] {
            assert!(!body.to_string().contains(inside), "{at}: {body}");
        }
        if self.status == 429 {
            assert_eq!(body["retry_after"], self.number("retry-after"), "{at}");
        }
    }

    /// Checks the response of a documented operation against its description.
    fn check_description(&self) {
        let Some(endpoint) = self.endpoint else { return };
        let at = format!("{endpoint} {}", self.status);
        assert!(
            DESCRIPTION.response(endpoint, self.status).is_some(),
            "{at} is not documented ({})",
            self.path
        );
        for name in DESCRIPTION.required_headers(endpoint, self.status) {
            assert!(self.headers.contains_key(&name), "{at}: no {name}");
        }
        if !self.body.is_empty() {
            let kind = self.header("content-type").split(';').next().unwrap_or_default();
            let known = DESCRIPTION.media_types(endpoint, self.status);
            assert!(known.contains(&kind), "{at} ({}): {kind} is not among {known:?}", self.path);
        }
        // The description calls decimals numbers; a test of its own compares them with the strings.
        let as_strings = self.path.contains("numbers=string") && self.status < 400;
        if self.header("content-type") == "application/json" && self.method != Method::HEAD && !as_strings {
            DESCRIPTION
                .check_body(endpoint, self.status, &self.json())
                .unwrap_or_else(|faults| panic!("{at} ({}): {faults}", self.path));
        }
    }
}

fn path_is_mcp(path: &str) -> bool {
    path.split('?').next() == Some("/mcp")
}
