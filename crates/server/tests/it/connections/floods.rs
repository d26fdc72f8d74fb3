//! Connections that send endless frames without requests are closed; busy clients are not.

use bytes::Bytes;
use tokio::io::AsyncReadExt;

use super::{LARGE, Raw, closed_as, open, opened, usual};
use crate::app::{TestApp, soon};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const GO_AWAY: u8 = 7;
const ENHANCE_YOUR_CALM: u8 = 11;

fn frame(kind: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let head = [0, 0, payload.len() as u8, kind, 0, 0, 0, 0, stream];
    [&head[..], payload].concat()
}

/// Sends until the server closes the connection, and returns everything received.
async fn flood(app: &TestApp, frame: &[u8], most: usize) -> Vec<u8> {
    let raw = Raw::connect(app).await;
    let (mut reader, mut writer) = raw.0.into_split();
    let batch = frame.repeat(64);
    let sending = tokio::spawn(async move {
        let _ = tokio::io::AsyncWriteExt::write_all(&mut writer, PREFACE).await;
        for _ in 0..most / 64 {
            if tokio::io::AsyncWriteExt::write_all(&mut writer, &batch).await.is_err() {
                return;
            }
        }
    });
    let (mut received, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    while let Ok(read @ 1..) = reader.read(&mut buffer).await {
        received.extend_from_slice(&buffer[..read]);
    }
    sending.abort();
    received
}

/// The error code of the last frame, if it is GOAWAY.
fn farewell(received: &[u8]) -> Option<u8> {
    let mut rest = received;
    let mut last = None;
    while rest.len() >= 9 {
        let length = u32::from_be_bytes([0, rest[0], rest[1], rest[2]]) as usize;
        last = (rest[3] == GO_AWAY).then(|| rest[9 + 7]);
        rest = rest.get(9 + length..)?;
    }
    last
}

#[tokio::test]
async fn frames_without_requests_end_the_connection() {
    let app = TestApp::start_with(usual).await;
    let kinds = [
        ("PING", frame(6, 0, &[0; 8])),
        ("SETTINGS", frame(4, 0, &[])),
        ("WINDOW_UPDATE", frame(8, 0, &[0, 0, 0, 1])),
        ("PRIORITY", frame(2, 3, &[0, 0, 0, 0, 1])),
        ("unknown", frame(0xfe, 0, &[1; 30])),
        ("empty unknown", frame(0xb, 0, &[])),
    ];
    for (closed, (name, frame)) in (1..).zip(kinds) {
        let received = flood(&app, &frame, 100_000).await;
        assert_eq!(farewell(&received), Some(ENHANCE_YOUR_CALM), "{name}");
        soon(async || closed_as(&app, "flood").await == closed).await;
    }
    opened(&app, 0).await;
}

/// Each request and each part of a response allows the frames that belong to it.
#[tokio::test]
async fn a_busy_client_is_not_a_flood() {
    let app = TestApp::start_with(usual).await;
    let stream = tokio::net::TcpStream::connect(app.service.address).await.unwrap();
    // With a small window, the client sends many window updates.
    let (mut sender, mut connection) =
        h2::client::Builder::new().initial_window_size(4096).handshake::<_, Bytes>(stream).await.unwrap();
    let mut pings = connection.ping_pong().unwrap();
    tokio::spawn(connection);
    for number in 0..500 {
        let request = http::Request::head("http://x/docs").body(()).unwrap();
        sender.send_request(request, true).unwrap().0.await.unwrap();
        if number % 50 == 0 {
            for _ in 0..200 {
                pings.ping(h2::Ping::opaque()).await.unwrap();
            }
        }
    }
    let request = http::Request::get(format!("http://x{LARGE}")).body(()).unwrap();
    let mut body = sender.send_request(request, true).unwrap().0.await.unwrap().into_body();
    let mut received = 0;
    while let Some(piece) = body.data().await {
        let piece = piece.unwrap();
        received += piece.len();
        body.flow_control().release_capacity(piece.len()).unwrap();
    }
    assert!(received > 4 << 20, "{received}");
    assert_eq!((closed_as(&app, "flood").await, open(&app)), (0, 1));
}

/// h2 keeps trailers of answered requests until their streams end.
#[tokio::test]
async fn unread_trailers_end_the_connection() {
    let app = TestApp::start_with(usual).await;
    let mut raw = Raw::connect(&app).await;
    // GET /docs for the host `x`, left open; then 900 references to `age` in the static table.
    let block = b"\x82\x86\x04\x05/docs\x01\x01x";
    let head = [&[0, 0, block.len() as u8, 1, 4, 0, 0, 0, 1][..], block].concat();
    let trailers = [&[0, 3, 132, 1, 5, 0, 0, 0, 1][..], &[0x95; 900]].concat();
    raw.send(PREFACE).await;
    raw.send(&head).await;
    raw.send(&[&trailers[..], &trailers].concat()).await;
    raw.rest().await;
    assert_eq!(closed_as(&app, "flood").await, 1);
}

/// Header parts that h2 keeps hold on to the buffers they were read into.
#[tokio::test]
async fn connections_with_many_large_headers_are_closed() {
    let app = TestApp::start_with(usual).await;
    let stream = tokio::net::TcpStream::connect(app.service.address).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    let speaking = tokio::spawn(connection);
    let long = "x".repeat(16 * 1024);
    let (mut sent, mut answered) = (0, 0);
    while let Ok(ready) = sender.clone().ready().await {
        sender = ready;
        let request = http::Request::head("http://x/docs").header("x-long", &long).body(()).unwrap();
        let Ok((answer, _)) = sender.send_request(request, true) else { break };
        sent += 1;
        answered += usize::from(answer.await.is_ok());
        assert!(sent < 100, "it is asked to leave");
    }
    assert!(answered >= 8 && sent - answered <= 1, "{answered} of {sent} were answered");
    let _ = speaking.await;
    soon(async || closed_as(&app, "heavy").await == 1).await;
    opened(&app, 0).await;
}
