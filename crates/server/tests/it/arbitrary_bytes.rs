//! Any bytes that a client sends as path, query, header or body get a response, and never a server error.
//!
//! Requests mix expected pieces with noise and are sent unchanged. Standalone parsers have such tests beside them:
//! keys and `X-Forwarded-For` in `access`, CNPJ and days in `model`, every publisher's format in `sources`.

use lastro_config::RegistrationSettings;
use lastro_model::Plan;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::app::TestApp;

const CASES: u32 = 400;

const PATHS: &[&str] = &[
    "/",
    "/api/v1/",
    "companies",
    "filings",
    "market",
    "selic",
    "fx",
    "current",
    "overview",
    "search",
    "export",
    "plans",
    "usage",
    "keys/current",
    "webhooks",
    "deliveries",
    "redeliver",
    "health",
    "docs",
    "assets",
    "pricing",
    "%2F",
    "%00",
    "%FF",
    "..",
    "//",
    "*",
    "90001",
    "CVM-1",
    "wh_000000000000000000000000",
    "http://x/",
];

const QUERIES: &[&str] = &[
    "&",
    "=",
    "+",
    "%",
    "%C3%A7",
    "%FF",
    "%00",
    "limit=",
    "offset=",
    "from=",
    "to=",
    "q=",
    "pair=",
    "format=",
    "locale=",
    "status=",
    "sector=",
    "category=",
    "company_id=",
    "1",
    "0",
    "-1",
    "99999999999999999999",
    "2026-01-01",
    "2026-13-40",
    "-9999-01-01",
    "USD/BRL",
    "csv",
    "ndjson",
    "pt-BR",
    "energia",
];

const HEADERS: &[&str] = &[
    ",",
    ";",
    "q=",
    "q=0.5",
    "q=-1",
    "q=9e9",
    "text/csv",
    "application/json",
    "*/*",
    "gzip",
    "br",
    "zstd",
    "identity",
    "*",
    "W/",
    "\"",
    "\"1-gold\"",
    "Bearer ",
    "lastro_",
    "Ab12Cd34",
    "127.0.0.1",
    "::1",
    "[::1]:80",
    "10.0.0.1",
    "fe80::1%eth0",
    "unknown",
    " ",
    "\t",
];

const BODIES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "-0",
    "1e999",
    "\\u0000",
    "\\ud800",
    "\"name\":",
    "\"email\":",
    "\"Ana\"",
    "\"ana@example.com\"",
    "\"url\":",
    "\"https://receiver.invalid/\"",
    "\"https://[::1]/\"",
    "\"events\":",
    "[\"filing.created\"]",
    "\"description\":",
    "\"filters\":",
    "\"company_ids\":",
    "\"categories\":",
    "\"series_ids\":",
    "\"status\":",
    "\"enabled\"",
    "\"grace_seconds\":",
    "86400",
    "{\"name\":\"Ana\",\"email\":\"ana@example.com\"}",
    "{\"url\":\"https://receiver.invalid/\",\"events\":[\"filing.created\"],",
    "name=Ana&email=",
    "%40",
    "\u{feff}",
];

/// Expected pieces mixed with random bytes.
fn noise(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec());
    let other = prop::collection::vec(any::<u8>(), 0..6);
    prop::collection::vec(prop_oneof![5 => piece, 1 => other], 0..16).prop_map(|parts| parts.concat())
}

/// Bytes for the first line of a request; those not allowed there are percent-encoded.
fn in_target(bytes: &[u8]) -> String {
    let kept = |byte: u8| match byte {
        b'!'..=b'~' if byte != b'#' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    bytes.iter().map(|byte| kept(*byte)).collect()
}

/// Bytes for a header, allowed or not, but without line ends.
fn in_header(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte }).collect()
}

struct Stage {
    runtime: Runtime,
    app: TestApp,
    key: String,
}

impl Stage {
    /// Enables all features, any address, and as many registrations as there are cases.
    fn set() -> Self {
        let runtime = Runtime::new().unwrap();
        let (app, key) = runtime.block_on(async {
            let app = TestApp::start_with(|setup| {
                setup.settings.registrations = RegistrationSettings {
                    registrations_per_hour: u32::MAX,
                    registrations_per_network: u32::MAX,
                    registrations_in_all: u32::MAX,
                    registrations_burst: u32::MAX,
                };
                setup.settings.trusted_proxies = "127.0.0.1/32".to_owned();
            })
            .await;
            let key = app.ample_key(Plan::Platinum).await;
            (app, key)
        });
        Self { runtime, app, key }
    }

    /// Checks that every case is answered, and none with a server error.
    fn answers<S: Strategy>(&self, cases: S, request: impl Fn(&S::Value, &str) -> Vec<u8>) {
        let mut runner =
            TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
        let result = runner.run(&cases, |case| self.runtime.block_on(self.ask(&request(&case, &self.key))));
        result.unwrap_or_else(|failure| panic!("{failure}"));
        let (_, metrics) = self.runtime.block_on(self.app.admin("/metrics"));
        assert!(metrics.contains("lastro_panics_total 0\n"), "something panicked");
    }

    async fn ask(&self, request: &[u8]) -> TestCaseResult {
        let mut stream = TcpStream::connect(self.app.service.address).await.unwrap();
        // The server may close the connection while the request it rejects is being sent.
        let _ = stream.write_all(request).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let head = String::from_utf8_lossy(&answer[..answer.len().min(400)]).into_owned();
        prop_assert!(!head.starts_with("HTTP/1.1 5"), "{head}");
        prop_assert!(head.is_empty() || head.starts_with("HTTP/1.1 "), "{head}");
        Ok(())
    }
}

fn request(first: &str, headers: &[(&str, Vec<u8>)], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{first} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).into_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn any_path_and_any_query_is_answered() {
    const LISTS: [&str; 9] = [
        "filings",
        "filings/search",
        "companies",
        "companies/search",
        "search",
        "market/selic",
        "market/fx",
        "export/filings",
        "export/fx",
    ];
    let stage = Stage::set();
    stage.answers(
        (
            prop::sample::select(&["GET", "HEAD", "POST", "PATCH", "OPTIONS"][..]),
            noise(PATHS),
            noise(QUERIES),
        ),
        |case, key| {
            let (method, path, query) = case;
            let first = format!("{method} /{}?{}", in_target(path), in_target(query));
            request(&first, &[("x-api-key", key.into())], b"")
        },
    );
    stage.answers((prop::sample::select(&LISTS[..]), noise(QUERIES)), |(list, query), key| {
        request(&format!("GET /api/v1/{list}?{}", in_target(query)), &[("x-api-key", key.into())], b"")
    });
}

#[test]
fn any_header_is_answered() {
    const NAMES: [&str; 9] = [
        "accept",
        "accept-encoding",
        "if-none-match",
        "x-forwarded-for",
        "authorization",
        "x-api-key",
        "origin",
        "content-type",
        "expect",
    ];
    let header = (prop::sample::select(&NAMES[..]), noise(HEADERS).prop_map(|bytes| in_header(&bytes)));
    let headers = prop::collection::vec(header, 0..4);
    let paths = prop::sample::select(
        &["/api/v1/filings", "/api/v1/market/overview", "/api/v1/export/fx", "/docs", "/assets/x"][..],
    );
    Stage::set().answers((paths, any::<bool>(), headers), |(path, known, headers), key| {
        let mut headers = headers.clone();
        headers.extend(known.then(|| ("x-api-key", key.into())));
        request(&format!("GET {path}"), &headers, b"")
    });
}

#[test]
fn any_body_is_answered() {
    let places = [
        "POST /api/v1/plans/register",
        "POST /pricing",
        "POST /api/v1/webhooks",
        "PATCH /api/v1/webhooks/{id}",
    ];
    let stage = Stage::set();
    let webhook = stage.runtime.block_on(async {
        let body = r#"{"url":"https://receiver.invalid/","events":["filing.created"]}"#;
        let made = stage.app.post("/api/v1/webhooks", body).key(&stage.key).send().await.expect(201).json();
        made["id"].as_str().unwrap().to_owned()
    });
    stage.answers((prop::sample::select(places.to_vec()), noise(BODIES)), |(place, body), key| {
        request(&place.replace("{id}", &webhook), &[("x-api-key", key.into())], body)
    });
    // Rotation ends the key it is sent with, so it comes last.
    stage.answers(noise(BODIES), |body, key| {
        request("POST /api/v1/keys/rotate", &[("x-api-key", key.into())], body)
    });
}

#[test]
fn the_service_survives_arbitrary_bytes() {
    let requests = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..200),
        noise(HEADERS).prop_map(|bytes| [&b"GET /health HTTP/1.1\r\n"[..], &bytes, b"\r\n\r\n"].concat()),
        // The HTTP/2 preface, followed by anything.
        prop::collection::vec(any::<u8>(), 0..100).prop_map(|bytes| [
            &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
            &bytes
        ]
        .concat()),
    ];
    let stage = Stage::set();
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let sent = runner.run(&requests, |bytes| {
        stage.runtime.block_on(async {
            let mut stream = TcpStream::connect(stage.app.service.address).await.unwrap();
            let _ = stream.write_all(&bytes).await;
            Ok(())
        })
    });
    sent.unwrap();
    stage.runtime.block_on(async {
        stage.app.get("/health").send().await.expect(200);
        assert!(stage.app.admin("/metrics").await.1.contains("lastro_panics_total 0\n"));
    });
}
