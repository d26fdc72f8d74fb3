//! SIGTERM: no started request is cut off, and no counted request is lost.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lastro_access::ApiKey;
use lastro_model::{AccountId, Day};

use super::{Home, Running, client, eventually};

/// Number of requests of the key's account in the database.
async fn kept_usage(home: &Home, key: &str) -> u64 {
    let account = AccountId(ApiKey::parse(key).unwrap().id());
    let store = lastro_store::open(&home.url()).await.unwrap();
    let (from, to) = (Day::parse("2000-01-01").unwrap(), Day::parse("2999-12-31").unwrap());
    store.usage(account, from, to).await.unwrap().iter().map(|count| count.requests).sum()
}

/// Sends requests on one connection until the server is gone.
async fn ask_on(url: String, key: String, seen: Arc<AtomicU64>) {
    let client = client();
    loop {
        let sent = client.get(format!("{url}/api/v1/market/overview")).header("x-api-key", &key).send().await;
        let Ok(response) = sent else { return };
        assert_eq!(response.status(), 200);
        response.bytes().await.expect("a response that began is a response that ends");
        seen.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_sigterm_usage_matches_the_responses_received() {
    let home = Home::new();
    let server = home.serve(&[]);
    let key = home.new_key("platinum", &["--rate-limit", "100000000"]);
    let seen = Arc::new(AtomicU64::new(0));
    let asking: Vec<_> =
        (0..8).map(|_| tokio::spawn(ask_on(server.url.clone(), key.clone(), Arc::clone(&seen)))).collect();
    tokio::time::sleep(Duration::from_millis(900)).await;
    server.terminate();
    for task in asking {
        task.await.unwrap();
    }
    let (status, log) = server.ended();
    assert!(status.success(), "{log:?}");
    let seen = seen.load(Ordering::SeqCst);
    assert!(seen > 8, "only {seen} requests were made");
    assert_eq!(kept_usage(&home, &key).await, seen);
}

#[tokio::test]
async fn a_request_started_before_sigterm_is_answered() {
    let home = Home::new();
    let server = home.serve(&[]);
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let (head, tail) = body.split_at(10);
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /api/v1/plans/register HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{head}"
    )
    .unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.terminate();
    tokio::time::sleep(Duration::from_millis(300)).await;
    stream.write_all(tail.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(server.ended().0.success());
    assert_eq!(home.must(&["keys", "list"]).lines().count(), 2, "a heading and the key");
}

async fn is_ready(server: &Running) -> bool {
    let url = format!("http://{}/readyz", server.admin());
    client().get(url).send().await.unwrap().status() == 200
}

#[tokio::test]
async fn a_drain_is_not_ready_but_answers_until_a_second_signal() {
    let home = Home::new();
    // Longer than any test runs: only the second signal ends it.
    let server = home.serve(&["--drain", "1h"]);
    assert!(is_ready(&server).await);
    server.terminate();
    assert!(eventually(async || !is_ready(&server).await).await);
    for _ in 0..3 {
        let answer = client().get(format!("{}/api/v1/market/overview", server.url)).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["connection"], "close");
    }
    let health = home.run(&["health", "--admin-listen", &server.admin()]);
    assert_eq!(health.status.code(), Some(1));
    assert!(health.stderr.contains("answers 503"), "{}", health.stderr);
    server.terminate();
    let (status, log) = server.ended();
    assert!(status.success(), "{log:?}");
    assert!(log.concat().contains("stopping: finishing running requests"), "{log:?}");
}

#[tokio::test]
async fn the_drain_ends_by_itself() {
    let home = Home::new();
    let server = home.serve(&["--drain", "300ms"]);
    server.terminate();
    let (status, log) = server.ended();
    assert!(status.success(), "{log:?}");
    assert!(log.concat().contains("answering for another 300ms"), "{log:?}");
}
