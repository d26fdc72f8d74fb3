//! Memory held by unanswered requests is bounded: headers, bodies, and partly sent frames.

use std::sync::Arc;
use std::time::Duration;

use h2::SendStream;
use h2::client::ResponseFuture;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use lastro::http::connections::Connections;
use lastro::http::request::head::Head;
use lastro::http::response::body::Body;
use lastro::http::response::outgoing::Outgoing;
use lastro_config::{ClientMemory, ConnectionSettings};
use lastro_model::ManualClock;

use super::{Multiplexed, Raw, closed_as, metric, opened, pass, usual};
use crate::app::{TestApp, connections, defaults, soon};

const REGISTER: &str = "/api/v1/plans/register";
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

type Asked = (ResponseFuture, SendStream<bytes::Bytes>);

async fn with_memory(memory: ClientMemory) -> TestApp {
    TestApp::start_with(|setup| {
        setup.settings.connections = ConnectionSettings { client_memory: memory, ..connections(1000, 1000) };
    })
    .await
}

async fn pending(app: &TestApp) -> u64 {
    metric(app, "lastro_pending_bytes ").await
}

/// Headers that are tiny on the wire and large in memory.
fn heavy() -> HeaderMap {
    (0..900).map(|_| (http::header::AGE, HeaderValue::from_static(""))).collect()
}

/// Sends a request and leaves its body open.
fn begin(client: &mut Multiplexed, method: Method, path: &str, headers: HeaderMap) -> Asked {
    let mut request = http::Request::builder().method(method).uri(format!("http://x{path}"));
    *request.headers_mut().unwrap() = headers;
    client.sender.send_request(request.body(()).unwrap(), false).unwrap()
}

/// The status of a response that comes.
async fn answered(asked: &mut Asked) -> StatusCode {
    let answer = tokio::time::timeout(Duration::from_secs(20), &mut asked.0).await;
    answer.expect("a response").unwrap().status()
}

/// The status if it arrives soon, or `None` while the server waits.
async fn status(asked: &mut Asked) -> Option<StatusCode> {
    let answer = tokio::time::timeout(Duration::from_millis(300), &mut asked.0).await;
    answer.ok().map(|answer| answer.unwrap().status())
}

#[tokio::test]
async fn pending_bodies_are_limited_per_connection() {
    let app = TestApp::start_with(usual).await;
    for path in [REGISTER, "/pricing"] {
        let mut client = Multiplexed::connect(&app, 65_535).await;
        let mut asked: Vec<Asked> =
            (0..32).map(|_| begin(&mut client, Method::POST, path, heavy())).collect();
        let mut refused = 0;
        for asked in asked.iter_mut().rev().take(16) {
            assert_eq!(answered(asked).await, StatusCode::SERVICE_UNAVAILABLE, "{path}");
            refused += 1;
        }
        assert_eq!(refused, 16);
        assert_eq!(status(&mut asked[0]).await, None, "{path}: sixteen bodies are awaited");
        assert!(pending(&app).await < 16 * 16 * 1024, "heads are trimmed before the wait");
        drop((asked, client));
        soon(async || pending(&app).await == 0).await;
    }
}

#[tokio::test]
async fn pending_bodies_are_limited_per_client() {
    let app = TestApp::start_with(usual).await;
    let (mut clients, mut waiting) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let mut client = Multiplexed::connect(&app, 65_535).await;
        for _ in 0..4 {
            waiting.push(begin(&mut client, Method::POST, REGISTER, HeaderMap::new()));
        }
        clients.push(client);
    }
    assert_eq!(status(&mut waiting[15]).await, None);
    let mut other = Multiplexed::connect(&app, 65_535).await;
    let mut refused = begin(&mut other, Method::POST, REGISTER, HeaderMap::new());
    assert_eq!(answered(&mut refused).await, StatusCode::SERVICE_UNAVAILABLE);
    // A body that arrives makes room for another.
    let body = bytes::Bytes::from_static(br#"{"name":"Ana","email":"ana@example.com"}"#);
    waiting[15].1.send_data(body, true).unwrap();
    assert_eq!(answered(&mut waiting[15]).await, StatusCode::CREATED);
    let mut later = begin(&mut other, Method::POST, REGISTER, HeaderMap::new());
    assert_eq!(status(&mut later).await, None);
}

#[tokio::test]
async fn a_trusted_proxy_may_have_many_pending_bodies() {
    let app = TestApp::start_with(|setup| {
        usual(setup);
        setup.settings.trusted_proxies = "127.0.0.1/32".to_owned();
    })
    .await;
    let mut proxy = Multiplexed::connect(&app, 65_535).await;
    let mut asked: Vec<Asked> = (0..32)
        .map(|client| {
            let from = HeaderValue::try_from(format!("203.0.113.{client}")).unwrap();
            let headers = HeaderMap::from_iter([("x-forwarded-for".parse().unwrap(), from)]);
            begin(&mut proxy, Method::POST, REGISTER, headers)
        })
        .collect();
    assert_eq!(status(&mut asked[31]).await, None);
}

#[tokio::test]
async fn a_get_that_leaves_its_body_open_is_answered() {
    let app = TestApp::start_with(usual).await;
    let mut client = Multiplexed::connect(&app, 65_535).await;
    for path in ["/pricing", "/health", "/api/v1/plans/usage"] {
        let mut asked = begin(&mut client, Method::GET, path, heavy());
        assert!(answered(&mut asked).await.as_u16() > 0, "{path}");
    }
    assert_eq!(pending(&app).await, 0);
}

/// The charge is for bytes in memory, not for bytes sent.
#[tokio::test]
async fn partly_sent_headers_are_bounded_in_total() {
    const MOST: usize = 512 * 1024;
    let heads: [Vec<u8>; 3] = [
        [b"GET /health HTTP/1.1\r\nhost: x\r\nx-long: ".to_vec(), vec![b'x'; 30_000]].concat(),
        // HEADERS without END_HEADERS: 900 references to `age` in the static table.
        [PREFACE, &[0, 3, 132, 1, 0, 0, 0, 0, 1], &[0x95; 900]].concat(),
        // A DATA frame that lacks its last bytes.
        [PREFACE, &[0, 64, 0, 0, 0, 0, 0, 0, 1], &[0; 16_000]].concat(),
    ];
    for head in heads {
        let app = with_memory(ClientMemory { pending: MOST, ..defaults().connections.client_memory }).await;
        let mut hoarders = Vec::new();
        for _ in 0..100 {
            let mut raw = Raw::connect(&app).await;
            raw.send(&head).await;
            hoarders.push(raw);
        }
        soon(async || closed_as(&app, "pressure").await > 0).await;
        assert!(pending(&app).await <= MOST as u64, "{} bytes", head.len());
        assert!(Raw::connect(&app).await.is_served().await, "whoever asks is answered");
        pass(&app, 3);
        soon(async || pending(&app).await < MOST as u64 * 7 / 8).await;
        drop(hoarders);
        soon(async || pending(&app).await == 0).await;
    }
}

#[tokio::test]
async fn idle_connections_make_room_for_others() {
    let memory = ClientMemory { connections: 320 * 1024, ..defaults().connections.client_memory };
    let app = with_memory(memory).await;
    let mut idle = Vec::new();
    for _ in 0..10 {
        let mut raw = Raw::connect(&app).await;
        assert!(raw.is_served().await);
        idle.push(raw);
    }
    opened(&app, 10).await;
    pass(&app, 3);
    for _ in 0..12 {
        let mut raw = Raw::connect(&app).await;
        assert!(raw.is_served().await);
        idle.push(raw);
        pass(&app, 3);
    }
    assert!(closed_as(&app, "crowded").await > 0);
    drop(idle);
    opened(&app, 0).await;
}

/// Over HTTP/2 the header of a response waits in a queue like any body.
#[tokio::test]
async fn answers_without_a_body_count_until_they_are_sent() {
    let clock = Arc::new(ManualClock::starting_at(0));
    let connections = Arc::new(Connections::new(connections(10, 10), clock));
    let admitted = connections.admit("127.0.0.1".parse().unwrap(), false).unwrap();
    for body in [Body::default, || Body::HeadOnly] {
        let mut answer = Outgoing::new(admitted.connection(), body(), Head(&head(Version::HTTP_2)));
        let end = answer.frame().await.unwrap().unwrap();
        assert!(answer.frame().await.is_none() && answer.is_end_stream());
        drop(answer);
        assert!(connections.unsent() > 0);
        drop(end);
        assert_eq!(connections.unsent(), 0);
        let _answer = Outgoing::new(admitted.connection(), body(), Head(&head(Version::HTTP_11)));
        assert_eq!(connections.unsent(), 0);
    }
}

fn head(version: Version) -> http::request::Parts {
    http::Request::builder().version(version).body(()).unwrap().into_parts().0
}
