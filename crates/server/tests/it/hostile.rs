//! Hostile or broken clients: each gets a response, without affecting others.

use std::time::Duration;

use lastro_model::Plan;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::TestApp;

/// Sends raw bytes and returns the response until the server is done or silent.
async fn raw(app: &TestApp, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(app.service.address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(Duration::from_millis(1500), reading).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    let status = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    status.unwrap_or_else(|| panic!("not an HTTP answer: {answer:?}"))
}

async fn raw_get(app: &TestApp, target: &str, headers: &[u8]) -> String {
    let mut bytes = format!("GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n").into_bytes();
    bytes.extend_from_slice(headers);
    bytes.extend_from_slice(b"\r\n");
    raw(app, &bytes).await
}

#[tokio::test]
async fn targets_that_are_not_text_get_a_bad_request() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let header = format!("x-api-key: {key}\r\n");
    for (target, expected) in [
        ("/api/v1/companies/%FF", 400),
        ("/api/v1/filings/%C3%28", 400),
        ("/api/v1/companies/search?q=%FF", 400),
        ("/api/v1/filings?category=%80", 400),
        ("/api/v1/market/fx?pair=%FF/BRL", 400),
        ("/api/v1/market/selic?%FF=1", 400),
        ("/api/v1/companies/%00", 404),
        ("/api/v1/companies/search?q=%00", 200),
        ("/api/v1/search?q=100%", 200),
        ("/api/v1/search?q=%zz", 200),
        ("/api/v1/companies?&&&&limit=3", 200),
        ("/api/v1/companies?&&&=&=&limit=3", 400),
        ("/assets/%FF", 400),
        ("/%FF", 404),
        ("http://x/health", 200),
    ] {
        let answer = raw_get(&app, target, header.as_bytes()).await;
        assert_eq!(status(&answer), expected, "{target}: {answer}");
        assert!(answer.to_lowercase().contains("x-ratelimit-remaining: "), "{target}");
    }
}

#[tokio::test]
async fn non_text_headers_are_not_accepted_as_keys() {
    let app = TestApp::start().await;
    for header in
        [&b"x-api-key: \xff\xfe\r\n"[..], b"authorization: Bearer \xff\r\n", b"x-api-key: caf\xc3\xa9\r\n"]
    {
        assert_eq!(status(&raw_get(&app, "/api/v1/market/overview", header).await), 401);
        assert_eq!(status(&raw_get(&app, "/health", header).await), 200);
    }
    let odd = b"if-none-match: \xff\r\naccept-encoding: \xff\r\nx-forwarded-for: \xff\r\n";
    assert_eq!(status(&raw_get(&app, "/api/v1/market/overview", odd).await), 200);
}

#[tokio::test]
async fn long_queries_are_answered() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let long = "a".repeat(25_000);
    app.get(&format!("/api/v1/search?q={long}")).key(&key).send().await.expect(400);
    app.get(&format!("/api/v1/companies?unknown={long}")).key(&key).send().await.expect(400);
    let message = app.get(&format!("/api/v1/companies?{long}")).key(&key).send().await.expect_error(400);
    assert!(message.len() < 300, "{message}");
    app.get(&format!("/api/v1/companies/{long}")).key(&key).send().await.expect(404);
    let many: String = (0..2500).map(|n| format!("p{n}={n}&")).collect();
    app.get(&format!("/api/v1/companies?{many}")).key(&key).send().await.expect(400);
}

#[tokio::test]
async fn a_half_closed_connection_gets_its_whole_response() {
    let app = TestApp::start().await;
    let whole = app.get("/docs/assets/scalar.js").send().await.expect(200).body.len();
    let mut stream = TcpStream::connect(app.service.address).await.unwrap();
    let asking = b"GET /docs/assets/scalar.js HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(asking).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.len() > whole, "{} of {whole} bytes and a head", answer.len());
}

#[tokio::test]
async fn malformed_http_is_rejected_without_affecting_others() {
    let app = TestApp::start().await;
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"GET /hea\0lth HTTP/1.1\r\nhost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
        b"POST /api/v1/plans/register HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/v1/plans/register HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let answer = raw(&app, bytes).await;
        assert!(
            !answer.starts_with("HTTP/1.1 5") && !answer.starts_with("HTTP/1.1 2"),
            "{bytes:?}: {answer}"
        );
    }
    app.get("/health").send().await.expect(200);
}

#[tokio::test]
async fn unfinished_headers_do_not_block_other_clients() {
    let app = TestApp::start_with(|setup| setup.settings.connections.max_connections = 40).await;
    let mut idlers = Vec::new();
    for _ in 0..30 {
        let mut stream = TcpStream::connect(app.service.address).await.unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\nx-slow: ").await.unwrap();
        idlers.push(stream);
    }
    for _ in 0..5 {
        app.get("/health").send().await.expect(200);
    }
    drop(idlers);
    app.get("/health").send().await.expect(200);
}

#[tokio::test]
async fn an_incomplete_body_affects_only_its_client() {
    let app = TestApp::start().await;
    let mut stream = TcpStream::connect(app.service.address).await.unwrap();
    let head = b"POST /api/v1/plans/register HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{\"name\":";
    stream.write_all(head).await.unwrap();
    app.get("/health").send().await.expect(200);
    drop(stream);
    app.get("/health").send().await.expect(200);
    assert!(app.elsewhere().await.list_keys().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_body_of_two_megabytes_gets_its_answer() {
    let app = TestApp::start().await;
    let large = vec![b'x'; 2 << 20];
    for _ in 0..3 {
        app.post("/api/v1/plans/register", large.clone()).send().await.expect(413);
        app.post("/pricing", large.clone()).send().await.expect(413);
        app.post("/health", large.clone()).send().await.expect(405);
        app.post("/nothing", large.clone()).send().await.expect(404);
        app.get("/health").body(large.clone()).send().await.expect(200);
    }
}

#[tokio::test]
async fn clients_that_send_everything_before_reading_are_answered() {
    let app = TestApp::start().await;
    for (request, expected) in [
        ("POST /api/v1/plans/register", 413),
        ("POST /health", 405),
        ("PUT /nothing", 404),
        ("POST /api/v1/companies", 405),
        ("GET /api/v1/companies", 403),
        ("GET /health", 200),
    ] {
        let mut bytes =
            format!("{request} HTTP/1.1\r\nhost: x\r\ncontent-length: 2097152\r\nconnection: close\r\n\r\n")
                .into_bytes();
        bytes.resize(bytes.len() + (2 << 20), b'x');
        assert_eq!(status(&raw(&app, &bytes).await), expected, "{request}");
    }
}

/// A proxy between us and the client may have read the other host.
#[tokio::test]
async fn a_request_names_its_host_once() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for (lines, expected) in [
        ("HTTP/1.1\r\n", 400),
        ("HTTP/1.1\r\nhost: x\r\nhost: x\r\n", 400),
        ("HTTP/1.1\r\nhost: x\r\nHost: y\r\n", 400),
        ("HTTP/1.1\r\nhost:\r\n", 400),
        ("HTTP/1.1\r\nhost: x y\r\n", 400),
        ("HTTP/1.1\r\nhost: x, y\r\n", 400),
        ("HTTP/1.1\r\nhost: http://x\r\n", 400),
        ("HTTP/1.1\r\nhost: x:http\r\n", 400),
        ("HTTP/1.1\r\nhost: x@y\r\n", 400),
        ("HTTP/1.1\r\nhost: \u{e9}\r\n", 400),
        ("HTTP/1.1\r\nhost: api.example.com:8080\r\n", 200),
        ("HTTP/1.1\r\nhost: [2001:db8::1]:8080\r\n", 200),
        ("HTTP/1.0\r\n", 200),
        ("HTTP/1.0\r\nhost: x\r\nhost: x\r\n", 400),
    ] {
        for target in ["/health", "/nothing", "http://z/health"] {
            let request = format!("GET {target} {lines}x-api-key: {key}\r\nconnection: close\r\n\r\n");
            let answer = raw(&app, request.as_bytes()).await;
            let expected = if target == "/nothing" && expected == 200 { 404 } else { expected };
            assert_eq!(
                status(&answer.replacen("HTTP/1.0", "HTTP/1.1", 1)),
                expected,
                "{target} {lines}: {answer}"
            );
            for part in ["x-plan: ", "x-request-id: ", "x-ratelimit-remaining: "] {
                assert!(answer.to_lowercase().contains(part), "{target} {lines}: {answer}");
            }
            assert!(expected == 200 || answer.contains("{\"error\":\""), "{target} {lines}: {answer}");
        }
    }
}

#[tokio::test]
async fn over_http_2_the_host_is_that_of_the_target() {
    let app = TestApp::start().await;
    let stream = TcpStream::connect(app.service.address).await.unwrap();
    let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    for (hosts, expected) in [(&[][..], 200), (&["x"], 200), (&["X"], 200), (&["y"], 400), (&["x", "x"], 400)]
    {
        let mut request = ::http::Request::get("http://x/health");
        for host in hosts {
            request = request.header("host", *host);
        }
        let (answer, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
        assert_eq!(answer.await.unwrap().status(), expected, "{hosts:?}");
    }
}

/// The client waits for a response before it sends the body.
#[tokio::test]
async fn announced_oversized_bodies_are_rejected_before_reading() {
    let app = TestApp::start().await;
    for (path, length, expected) in [
        ("/api/v1/plans/register", "16385", "HTTP/1.1 413 "),
        ("/api/v1/plans/register", "99999999999", "HTTP/1.1 413 "),
        ("/pricing", "16385", "HTTP/1.1 413 "),
        ("/health", "16385", "HTTP/1.1 405 "),
        ("/api/v1/plans/register", "16384", "HTTP/1.1 100 Continue\r\n\r\n"),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nexpect: 100-Continue\r\ncontent-length: {length}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(app.service.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = vec![0; 4096];
        let read = stream.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(answer.starts_with(expected), "{path} {length}: {answer}");
        if answer.contains(" 413 ") {
            assert!(answer.contains("payload_too_large") && answer.contains("x-ratelimit-limit"), "{answer}");
            assert_eq!(
                stream.read(&mut [0; 16]).await.unwrap(),
                0,
                "what would follow cannot be told from a request"
            );
        }
    }
}
