//! Connections on which a response waits for changes: it ends as announced, and the next request is answered.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{app, filing, newest, put_filings};
use crate::app::{TestApp, soon};

const NEXT: &str = "GET /health HTTP/1.1\r\nhost: lastro\r\nconnection: close\r\n\r\n";

/// Sends a request that waits, with the next one behind it, and publishes a change. Returns all that is received.
async fn answered(app: &TestApp, key: &str, version: &str, headers: &str, body: &str) -> String {
    let cursor = newest(app, key).await;
    let slots = &app.service.app.changes.slots;
    let mut client = TcpStream::connect(app.service.address).await.unwrap();
    let request = format!(
        "GET /api/v1/changes?wait=25&after={cursor} {version}\r\nhost: lastro\r\nx-api-key: {key}\r\n{headers}\r\n{body}{NEXT}"
    );
    client.write_all(request.as_bytes()).await.unwrap();
    soon(async || slots.count() == 1).await;
    put_filings(app, vec![filing(1, 7, "Ata", &cursor)]).await;
    let mut answers = Vec::new();
    client.read_to_end(&mut answers).await.unwrap();
    soon(async || slots.count() == 0).await;
    String::from_utf8(answers).unwrap()
}

/// The body of a response in chunks, and the bytes after it.
fn chunked(response: &str) -> (String, &str) {
    let (head, mut rest) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("transfer-encoding: chunked"), "{head}");
    let mut body = String::new();
    loop {
        let (length, after) = rest.split_once("\r\n").unwrap();
        let (chunk, after) = after.split_at(usize::from_str_radix(length, 16).unwrap());
        rest = after.strip_prefix("\r\n").unwrap();
        if chunk.is_empty() {
            return (body, rest);
        }
        body.push_str(chunk);
    }
}

#[tokio::test]
async fn the_next_request_is_answered_after_the_change() {
    let (app, key) = app().await;
    let requests = [
        ("", ""),
        ("connection: keep-alive\r\n", ""),
        ("connection: Keep-Alive\r\n", ""),
        // A body that nobody reads is not the next request.
        ("content-length: 6\r\n", "GET / "),
        ("connection: keep-alive, upgrade\r\nupgrade: h2c\r\n", ""),
    ];
    for (headers, body) in requests {
        let answers = answered(&app, &key, "HTTP/1.1", headers, body).await;
        let (page, rest) = chunked(&answers);
        let page: serde_json::Value = serde_json::from_str(&page).unwrap();
        assert_eq!(page["data"][0]["type"], "filing.updated", "{headers}");
        assert!(rest.starts_with("HTTP/1.1 200 OK"), "{headers}: {rest}");
        assert!(rest.contains("\"status\":"), "{headers}: {rest}");
    }
}

#[tokio::test]
async fn a_connection_that_is_to_end_ends_with_the_change() {
    let (app, key) = app().await;
    // hyper does not read past a body in chunks that nobody wants.
    let in_chunks = ("transfer-encoding: chunked\r\n", "6\r\nGET / \r\n0\r\n\r\n");
    for (headers, body) in [("connection: close\r\n", ""), in_chunks] {
        let answers = answered(&app, &key, "HTTP/1.1", headers, body).await;
        let (page, rest) = chunked(&answers);
        assert!(page.contains("filing.updated") && rest.is_empty(), "{answers}");
    }
    let answers = answered(&app, &key, "HTTP/1.0", "", "").await;
    assert!(answers.contains("filing.updated") && !answers.contains("\"status\":"), "{answers}");
}

#[tokio::test]
async fn waiting_again_and_again_on_one_connection() {
    let (app, key) = app().await;
    let mut client = TcpStream::connect(app.service.address).await.unwrap();
    let slots = &app.service.app.changes.slots;
    for round in 0..3 {
        let cursor = newest(&app, &key).await;
        let request = format!(
            "GET /api/v1/changes?wait=25&after={cursor} HTTP/1.1\r\nhost: lastro\r\nx-api-key: {key}\r\n\r\n"
        );
        client.write_all(request.as_bytes()).await.unwrap();
        soon(async || slots.count() == 1 && app.service.app.connections.unsent() == 0).await;
        put_filings(&app, vec![filing(1, 7, "Ata", &format!("{round}"))]).await;
        let mut answer = String::new();
        while !answer.ends_with("\r\n0\r\n\r\n") {
            let mut bytes = [0; 4096];
            let read = client.read(&mut bytes).await.unwrap();
            assert!(read > 0, "{answer}");
            answer.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        }
        let (page, rest) = chunked(&answer);
        assert!(page.contains("filing.updated") && rest.is_empty(), "{answer}");
    }
}
