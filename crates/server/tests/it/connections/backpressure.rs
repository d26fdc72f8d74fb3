//! Unsent bytes are bounded, per connection and in total.

use futures_util::future::join_all;
use lastro_config::{ClientMemory, ConnectionSettings};
use lastro_model::Plan;

use super::{LARGE, Multiplexed, Raw, closed_as, open, opened, pass, take, unsent, usual};
use crate::app::{TestApp, connections, defaults, soon};

const MOST_UNSENT: usize = 2 << 20;
/// The number of streams that one connection may have at once.
const STREAMS: usize = 32;

async fn narrow() -> TestApp {
    TestApp::start_with(|setup| {
        let memory = ClientMemory { unsent: MOST_UNSENT, pending: MOST_UNSENT / 4, connections: 64 << 20 };
        setup.settings.connections = ConnectionSettings { client_memory: memory, ..connections(1000, 1000) };
    })
    .await
}

/// Sends requests on many streams and reads nothing.
async fn greedy(app: &TestApp, address: &str, key: &str, paths: &[&str], streams: usize) -> Multiplexed {
    let mut client = Multiplexed::connect_from(app, address, 0).await;
    for path in paths.iter().cycle().take(streams) {
        let asked = client.ask_with(path, &[("x-api-key", key)]);
        tokio::spawn(async move {
            let _held = asked.await;
            std::future::pending::<()>().await;
        });
    }
    client
}

/// Four connections with all their streams, for the largest response and for responses built anew.
#[tokio::test]
async fn unread_streams_use_bounded_memory() {
    const OF_ONE: usize = 4 << 20;
    const LARGEST_ANSWER: usize = 5 << 20;
    let app = TestApp::start_with(usual).await;
    let (key, mut attackers) = (app.ample_key(Plan::Bronze).await, Vec::new());
    for paths in
        [&[LARGE][..], &["/docs/openapi.yaml", LARGE], &["/pricing"], &["/api/v1/market/selic?limit=100"]]
    {
        attackers.push(greedy(&app, "127.0.0.1", &key, paths, STREAMS).await);
    }
    opened(&app, 4).await;
    for _ in 0..5 {
        app.get("/health").key(&key).send().await.expect(200);
        assert!((1..4 * (OF_ONE + LARGEST_ANSWER)).contains(&unsent(&app)), "{}", unsent(&app));
    }
    pass(&app, 61);
    for attacker in attackers {
        attacker.ended().await;
    }
    soon(async || unsent(&app) == 0).await;
}

/// Waiting requests use memory as well.
#[tokio::test]
async fn a_client_that_only_sends_requests_is_disconnected() {
    let app = narrow().await;
    let key = app.ample_key(Plan::Bronze).await;
    greedy(&app, "127.0.0.1", &key, &["/docs/openapi.yaml"], STREAMS).await.ended().await;
    assert_eq!(closed_as(&app, "pressure").await, 1);
    soon(async || unsent(&app) == 0).await;
}

/// Requests beyond the limit are answered as soon as the earlier responses are read.
#[tokio::test]
async fn requests_wait_until_earlier_responses_are_read() {
    let app = narrow().await;
    let length = app.get("/docs/openapi.yaml").send().await.expect(200).plain().len();
    let mut client = Multiplexed::connect(&app, 16 * 1024).await;
    let asked = (0..20).map(|_| client.ask("/docs/openapi.yaml"));
    let read = asked.map(|answer| async {
        let (mut body, mut received) = (answer.await.unwrap().into_body(), 0);
        while let Some(more) = take(&mut body).await {
            received += more;
        }
        received
    });
    assert_eq!(join_all(read.collect::<Vec<_>>()).await, [length; 20]);
    soon(async || unsent(&app) == 0).await;
}

/// Clients that read need not wait for those that do not.
#[tokio::test]
async fn pressure_closes_clients_that_read_nothing_first() {
    let app = narrow().await;
    let (key, mut attackers) = (app.ample_key(Plan::Bronze).await, Vec::new());
    while unsent(&app) < MOST_UNSENT {
        let address = format!("127.0.1.{}", attackers.len() / 2 + 1);
        attackers.push(greedy(&app, &address, &key, &["/docs/openapi.yaml"], 10).await);
        // Each of the ten responses counts with sixteen kilobytes, plus a little.
        soon(async || unsent(&app) >= (attackers.len() * 10 * 16 * 1024).min(MOST_UNSENT)).await;
    }
    assert!(Raw::connect(&app).await.is_served().await);
    pass(&app, 3);
    soon(async || unsent(&app) < MOST_UNSENT).await;
    assert!(closed_as(&app, "pressure").await >= 1);
    assert!(open(&app) > 1, "no more than it takes are hung up on");
}

/// Readers that take a little now and then are not stalled. At twice the limit, the one with most unsent is closed.
#[tokio::test]
async fn slow_readers_make_room_for_others() {
    let memory = ClientMemory { unsent: 16 * 1024, ..defaults().connections.client_memory };
    let app = TestApp::start_with(|setup| {
        setup.settings.connections = ConnectionSettings { client_memory: memory, ..defaults().connections };
    })
    .await;
    let (mut clients, mut bodies) = (Vec::new(), Vec::new());
    while unsent(&app) < 2 * memory.unsent {
        let address = format!("127.0.1.{}", clients.len() + 1);
        let mut client = Multiplexed::connect_from(&app, &address, 16 * 1024).await;
        bodies.push(client.body("/docs/openapi.yaml").await);
        clients.push(client);
    }
    for body in &mut bodies {
        take(body).await.unwrap();
    }
    let (answer, ()) = tokio::join!(app.get("/health").send(), async {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        pass(&app, 1);
    });
    answer.expect(200);
    assert!(closed_as(&app, "pressure").await >= 1);
}
