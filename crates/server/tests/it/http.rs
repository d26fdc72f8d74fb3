//! HTTP itself: methods, paths, origins, request ids, protocols.

use std::collections::BTreeSet;
use std::time::Duration;

use lastro::http::routes::ROUTES;
use lastro_model::Plan;
use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, stray_key};
use crate::billing::stripe::Stripe;
use crate::billing::{is_ready, switch_on};
use crate::contract::ask;
use crate::known_webhook;

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let stripe = Stripe::open();
    let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    is_ready(&app).await;
    let key = app.ample_key(Plan::Platinum).await;
    known_webhook::give(&app, &key).await;
    for route in ROUTES.iter().filter(|route| route.method() == "GET" && route.path() != "/assets/{id}") {
        let success = if route.path() == "/calculator/debt" { 302 } else { 200 };
        let get = ask(&app, route.endpoint).key(&key).send().await.expect(success);
        let head = ask(&app, &route.endpoint.replace("GET", "HEAD")).key(&key).send().await.expect(success);
        assert!(head.body.is_empty(), "{}", route.endpoint);
        for name in ["content-type", "etag", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {}", route.endpoint);
        }
        // A usage report grows with each earlier request, and a redirection has no body.
        if success == 200 && route.path() != "/api/v1/plans/usage" {
            assert_eq!(head.header("content-length"), get.header("content-length"), "{}", route.endpoint);
        }
    }
    let refused = app.request(Method::HEAD, "/api/v1/filings").send().await.expect(403);
    assert!(refused.body.is_empty());
}

/// The expected `Allow` header of each path.
fn allowed(path: &str) -> &'static str {
    match path {
        "/pricing"
        | "/api/v1/webhooks"
        | "/api/v1/feeds"
        | "/calculator/check/{code}"
        | "/calculator/debt" => "GET, HEAD, POST, OPTIONS",
        "/api/v1/feeds/{id}" => "DELETE, OPTIONS",
        "/api/v1/webhooks/{id}" => "GET, HEAD, PATCH, DELETE, OPTIONS",
        "/api/v1/webhooks/{id}/deliveries" => "GET, HEAD, OPTIONS",
        _ if path == "/api/v1/plans/register" || path.starts_with("/api/v1/webhooks/{id}/") => {
            "POST, OPTIONS"
        }
        "/api/v1/keys/current" => "GET, HEAD, DELETE, OPTIONS",
        "/api/v1/keys/rotate" | "/api/v1/calc/debt" | "/mcp" => "POST, OPTIONS",
        "/api/v1/billing/checkout" | "/api/v1/billing/portal" | "/billing/stripe" => "POST, OPTIONS",
        _ => "GET, HEAD, OPTIONS",
    }
}

#[tokio::test]
async fn other_methods_are_rejected_with_the_allowed_ones() {
    let stripe = Stripe::open();
    let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    is_ready(&app).await;
    let key = app.ample_key(Plan::Free).await;
    let paths: BTreeSet<&str> = ROUTES.iter().map(lastro::http::handler::Route::path).collect();
    for template in paths {
        let path = template.replace("{id}", "90001").replace("{delivery}", "1").replace("{dataset}", "fx");
        for method in
            [Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE, Method::from_bytes(b"BREW").unwrap()]
        {
            if allowed(template).contains(method.as_str()) {
                continue;
            }
            let answer = app.request(method, &path).key(&key).send().await.expect(405);
            assert_eq!(answer.header("allow"), allowed(template), "{path}");
        }
        let options = || app.request(Method::OPTIONS, &path).key(&key);
        for (options, methods) in
            [(options(), ""), (options().header("origin", "https://elsewhere.example"), allowed(template))]
        {
            let answer = options.send().await.expect(204);
            assert_eq!(answer.header("allow"), allowed(template), "{path}");
            assert_eq!(answer.header("access-control-allow-methods"), methods, "{path}");
            assert!(answer.body.is_empty());
        }
    }
    app.request(Method::GET, "/api/v1/plans/register").key(&key).send().await.expect(405);
    app.request(Method::POST, "/api/v1/market/selic").key(&key).send().await.expect(405);
}

#[tokio::test]
async fn unknown_paths_are_not_found_in_the_error_shape() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for path in [
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v2/companies",
        "/health/",
        "//health",
        "/HEALTH",
        "/docs/",
        "/docs/x",
        "/assets/",
        "/assets/none.css",
        "/assets/..%2F..%2FCargo.toml",
        "/api/v1/market",
        "/api/v1/market/gold",
        "/api/v1/companies/1/2/3",
        "/.env",
        "/%2e%2e/etc/passwd",
        "/livez",
        "/readyz",
        "/metrics",
    ] {
        app.get(path).key(&key).send().await.expect(404);
        app.request(Method::POST, path).key(&key).send().await;
    }
    app.request(Method::OPTIONS, "/nothing").send().await.expect(404);
}

#[tokio::test]
async fn cross_origin_scripts_can_read_the_relevant_headers() {
    let app = TestApp::start().await;
    for (method, path) in
        [(Method::GET, "/health"), (Method::GET, "/nothing"), (Method::OPTIONS, "/api/v1/companies")]
    {
        let answer = app.request(method, path).header("origin", "https://elsewhere.example").send().await;
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        let exposed = answer.header("access-control-expose-headers").to_lowercase();
        for name in [
            "x-plan",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "ratelimit",
            "ratelimit-policy",
            "retry-after",
            "etag",
            "x-request-id",
        ] {
            assert!(exposed.split(", ").any(|word| word == name), "{name} is not exposed");
        }
    }
    let preflight = app
        .request(Method::OPTIONS, "/api/v1/companies")
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "x-api-key")
        .send()
        .await
        .expect(204);
    let headers = preflight.header("access-control-allow-headers").to_lowercase();
    assert!(headers.contains("x-api-key") && headers.contains("authorization"), "{headers}");
}

#[tokio::test]
async fn every_request_has_an_id_of_its_own() {
    let app = TestApp::start().await;
    let mut seen = BTreeSet::new();
    for path in ["/health", "/nothing", "/assets/lastro.css", "/api/v1/companies", "/health"] {
        assert!(seen.insert(app.get(path).send().await.header("x-request-id").to_owned()));
    }
    let own = app.get("/health").header("x-request-id", "chosen-by-the-client").send().await.expect(200);
    assert_ne!(own.header("x-request-id"), "chosen-by-the-client");
}

#[tokio::test]
async fn the_request_id_of_a_trusted_proxy_is_kept() {
    let app = TestApp::start_with(|setup| setup.settings.trusted_proxies = "127.0.0.1".to_owned()).await;
    let ask = async |path, id| {
        let answer = app.get(path).header("x-request-id", id).key(&stray_key()).send().await;
        answer.header("x-request-id").to_owned()
    };
    let id = "0af76519-16cd-43dd-8448-eb211c80319c";
    let too_long = "a".repeat(129);
    // The second one waits for the database first.
    for path in ["/health", "/api/v1/companies"] {
        assert_eq!(ask(path, id).await, id, "{path}");
        for unusable in ["", "two words", "\"quoted\"", &too_long] {
            assert_ne!(ask(path, unusable).await, unusable, "{path}");
        }
    }
    let twice = app.get("/health").header("x-request-id", id).header("x-request-id", id).send().await;
    assert_ne!(twice.header("x-request-id"), id);
}

#[tokio::test]
async fn http_2_without_tls_works_on_the_same_port() {
    let app = TestApp::start().await;
    let client = crate::app::client().http2_prior_knowledge().build().unwrap();
    let url = |path: &str| format!("http://{}{path}", app.service.address);
    let many = (0..20).map(|_| client.get(url("/api/v1/market/overview")).send());
    for answer in futures_util::future::join_all(many).await {
        let answer = answer.unwrap();
        assert_eq!((answer.version(), answer.status().as_u16()), (reqwest::Version::HTTP_2, 200));
        assert!(
            answer.headers().contains_key("x-plan") && answer.headers().contains_key("x-ratelimit-limit")
        );
    }
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let registered = client.post(url("/api/v1/plans/register")).body(body).send().await.unwrap();
    assert_eq!(registered.status().as_u16(), 201);
    let large = client.post(url("/api/v1/plans/register")).body(vec![b' '; 2 << 20]).send().await.unwrap();
    assert_eq!(large.status().as_u16(), 413);
}

/// What the server sends in answer to these pieces, sent one by one before our side is closed.
async fn answer_to(app: &TestApp, pieces: &[&[u8]]) -> Vec<u8> {
    let mut stream = TcpStream::connect(app.service.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for piece in pieces {
        stream.write_all(piece).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn the_version_is_told_wherever_the_first_bytes_are_cut() {
    let app = TestApp::start().await;
    // One is as long as the beginning of HTTP/2, the other has the same first letter.
    let requests =
        ["GET /health HTTP/1.0\r\n\r\n", "PUT /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"];
    for request in requests {
        for cut in [1, 2, 3, 10, 23, 24] {
            let (one, other) = request.as_bytes().split_at(cut);
            let answer = answer_to(&app, &[one, other]).await;
            assert!(answer.starts_with(b"HTTP/1."), "{request:?} cut at {cut}");
        }
    }
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    for cut in 1..=24 {
        let (one, other) = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".split_at(cut);
        let answer = answer_to(&app, &[one, other, &settings]).await;
        assert_eq!(answer.get(3), Some(&4), "the settings of the server, cut at {cut}");
    }
    for begun in ["", "P", "PRI * HTTP/2.0\r\n"] {
        answer_to(&app, &[begun.as_bytes()]).await;
    }
}
