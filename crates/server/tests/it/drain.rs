//! A draining service is not ready. It still answers requests, and closes their connections.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::TestApp;

#[tokio::test]
async fn a_draining_service_is_not_ready_and_answers_new_clients() {
    let app = TestApp::start().await;
    assert_eq!(app.admin("/readyz").await.0, 200);
    assert_eq!(app.admin("/readyz?draining=404").await.0, 200);
    assert!(app.get("/health").send().await.headers.get("connection").is_none());
    app.service.drain();
    assert_eq!(app.admin("/readyz").await, (503, "not ready: it is stopping\n".to_owned()));
    assert_eq!(app.admin("/readyz?draining=404").await, (404, "not ready: it is stopping\n".to_owned()));
    assert_eq!(app.admin("/livez").await.0, 200);
    for _ in 0..3 {
        let answer = app.get("/api/v1/market/overview").send().await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["connection"], "close");
    }
}

/// The existing connection is not cut: its next response announces that it is the last.
#[tokio::test]
async fn an_http_1_connection_ends_with_its_next_response() {
    let app = TestApp::start().await;
    let mut stream = TcpStream::connect(app.service.address).await.unwrap();
    let ask = b"HEAD /health HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(ask).await.unwrap();
    let mut first = vec![0; 8192];
    let read = stream.read(&mut first).await.unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200"));
    assert!(!String::from_utf8_lossy(&first[..read]).contains("connection: close"));
    app.service.drain();
    stream.write_all(ask).await.unwrap();
    let mut last = String::new();
    stream.read_to_string(&mut last).await.unwrap();
    assert!(last.starts_with("HTTP/1.1 200") && last.contains("connection: close"), "{last}");
}

/// Requests sent together are answered before the connection is closed.
#[tokio::test]
async fn an_http_2_connection_ends_after_its_responses() {
    let app = TestApp::start().await;
    let stream = TcpStream::connect(app.service.address).await.unwrap();
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    let ended = tokio::spawn(connection);
    let mut sender = sender.ready().await.unwrap();
    let mut ask = || {
        let request = http::Request::get("http://x/health").body(()).unwrap();
        sender.send_request(request, true).unwrap().0
    };
    assert_eq!(ask().await.unwrap().status(), 200);
    app.service.drain();
    let asked = [ask(), ask(), ask()];
    for answer in asked {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(answer.headers().get("connection").is_none());
        let mut body = answer.into_body();
        while let Some(piece) = body.data().await {
            piece.unwrap();
        }
    }
    tokio::time::timeout(std::time::Duration::from_secs(5), ended).await.expect("an end").unwrap().unwrap();
}
