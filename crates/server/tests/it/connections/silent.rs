//! Connections without requests are closed.

use super::{Multiplexed, Raw, closed_as, leap, open, opened, pass, rarely_swept, usual};
use crate::app::{TestApp, soon};

/// Passes the thirty seconds of silence allowed, and the time for an orderly close.
fn beyond_patience(app: &TestApp) {
    pass(app, 31);
    pass(app, 4);
}

#[tokio::test]
async fn a_connection_without_a_whole_header_is_closed() {
    for sent in [
        &b""[..],
        b"PRI * HTTP/2.0\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        b"GET /health HT",
        b"GET /health HTTP/1.1\r\nhost: x\r\nx-slow: ",
    ] {
        let app = TestApp::start_with(usual).await;
        let mut raw = Raw::connect(&app).await;
        raw.send(sent).await;
        opened(&app, 1).await;
        pass(&app, 30);
        assert_eq!(open(&app), 1, "{sent:?}");
        beyond_patience(&app);
        raw.rest().await;
        opened(&app, 0).await;
        assert_eq!(closed_as(&app, "idle").await, 1, "{sent:?}");
    }
}

#[tokio::test]
async fn a_header_sent_byte_by_byte_gets_no_extra_time() {
    let app = TestApp::start_with(usual).await;
    let mut raw = Raw::connect(&app).await;
    raw.send(b"GET /health HTTP/1.1\r\nhost: x\r\nx-slow: ").await;
    opened(&app, 1).await;
    for _ in 0..8 {
        let _ = raw.0.try_write(b"x");
        pass(&app, 5);
        tokio::task::yield_now().await;
    }
    raw.rest().await;
    opened(&app, 0).await;
}

#[tokio::test]
async fn used_connections_stay_and_idle_ones_are_closed() {
    let app = TestApp::start_with(usual).await;
    let (mut used, mut resting) = (Raw::connect(&app).await, Raw::connect(&app).await);
    resting.ask("/health").await;
    assert_eq!(resting.status().await, Some(200));
    for _ in 0..4 {
        used.send(b"HEAD /health HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert_eq!(used.status().await, Some(200));
        let mut head = [0; 8192];
        let _ = tokio::io::AsyncReadExt::read(&mut used.0, &mut head).await.unwrap();
        pass(&app, 20);
    }
    resting.rest().await;
    opened(&app, 1).await;
}

#[tokio::test]
async fn a_suspended_service_takes_nobody_for_silent() {
    let app = TestApp::start_with(rarely_swept).await;
    let (mut used, mut resting) = (Raw::connect(&app).await, Raw::connect(&app).await);
    opened(&app, 2).await;
    leap(&app, 600);
    assert!(used.is_served().await);
    leap(&app, 600);
    assert!(resting.is_served().await);
    assert_eq!(closed_as(&app, "idle").await, 0);
    pass(&app, 31);
    assert_eq!(closed_as(&app, "idle").await, 2);
}

/// Its pings, and its replies to ours, are not requests.
#[tokio::test]
async fn pings_do_not_keep_an_idle_http_2_connection_open() {
    let app = TestApp::start_with(usual).await;
    let stream = tokio::net::TcpStream::connect(app.service.address).await.unwrap();
    let (mut sender, mut connection) = h2::client::handshake(stream).await.unwrap();
    let mut pings = connection.ping_pong().unwrap();
    let speaking = tokio::spawn(async move {
        let _ = connection.await;
    });
    let request = http::Request::get("http://x/health").body(()).unwrap();
    assert_eq!(sender.send_request(request, true).unwrap().0.await.unwrap().status(), 200);
    for _ in 0..7 {
        let _ = pings.ping(h2::Ping::opaque()).await;
        pass(&app, 5);
    }
    tokio::time::timeout(std::time::Duration::from_secs(5), speaking).await.expect("an end").unwrap();
    opened(&app, 0).await;
}

#[tokio::test]
async fn a_pending_request_keeps_its_connection_open() {
    let app = TestApp::start_with(usual).await;
    let mut raw = Raw::connect(&app).await;
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let head =
        format!("POST /api/v1/plans/register HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    raw.send(head.as_bytes()).await;
    // The server now waits for the body: it shares this thread and has had its turn.
    soon(async || open(&app) == 1).await;
    app.get("/health").send().await;
    beyond_patience(&app);
    raw.send(body.as_bytes()).await;
    assert_eq!(raw.status().await, Some(201));
}

#[tokio::test]
async fn requests_keep_an_http_2_connection_open() {
    let app = TestApp::start_with(usual).await;
    let mut client = Multiplexed::connect(&app, 1 << 20).await;
    for _ in 0..5 {
        let mut body = client.body("/health").await;
        while body.data().await.is_some() {}
        pass(&app, 25);
    }
    assert_eq!(open(&app), 1);
}
