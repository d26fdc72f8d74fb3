//! Webhooks of the real binary: killed during a delivery, run twice, inspected by the operator.

use std::collections::BTreeSet;

use lastro_model::{CompanyId, Day, Filing, FilingId, Records, Source};
use lastro_store::{Condition, Publication, PublicationItem};
use serde_json::{Value, json};

use super::{Home, Running, client, eventually};
use crate::receiver::Receiver;

pub(super) const ALLOWED: &[&str] = &["--webhooks-allow-private"];

/// Registers a webhook for filings and returns its id.
pub(super) async fn register(server: &Running, key: &str, receiver: &Receiver) -> String {
    let body = json!({ "url": receiver.url(), "events": ["filing.created"] }).to_string();
    let request =
        client().post(format!("{}/api/v1/webhooks", server.url)).header("x-api-key", key).body(body);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 201);
    let webhook: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    webhook["id"].as_str().unwrap().to_owned()
}

/// Publishes filings, as `lastro sync` in another process does. The first publication replaces the sample.
pub(super) async fn publish(home: &Home, ids: std::ops::Range<u64>, replace: bool) {
    let store = lastro_store::open_existing(&home.url()).await.unwrap();
    let filing = |number| Filing {
        id: FilingId::Protocol(number),
        company_id: CompanyId(1),
        company_name: "Companhia".to_owned(),
        category: "Fato Relevante".to_owned(),
        kind: None,
        delivered_on: Day::parse("2026-10-30").unwrap(),
        reference_day: None,
        description: String::new(),
        version: 1,
        url: String::new(),
    };
    let (sender, rows) = tokio::sync::mpsc::channel(2);
    sender.send(PublicationItem::Rows(Records::Filings(ids.map(filing).collect()))).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let at = jiff::Timestamp::UNIX_EPOCH;
    store
        .publish(
            Publication { source: Source::Filings, sample: false, replace, at, condition: Condition::None },
            rows,
        )
        .await
        .unwrap();
}

/// Expires the lease of a dead process, so that no test waits half a minute.
fn let_leases_run_out(home: &Home) {
    let database = rusqlite::Connection::open(home.file("lastro.db.accounts")).unwrap();
    database.execute("UPDATE webhook SET leased_until = 0", []).unwrap();
}

fn ids(receiver: &Receiver) -> Vec<String> {
    receiver.got().iter().map(|got| got.id().to_owned()).collect()
}

#[tokio::test]
async fn a_server_killed_during_a_delivery_loses_nothing() {
    let (home, receiver) = (Home::new(), Receiver::open());
    let server = home.serve(ALLOWED);
    let key = home.new_key("platinum", &[]);
    register(&server, &key, &receiver).await;
    publish(&home, 0..1, true).await;
    receiver.hold();
    publish(&home, 1..251, false).await;
    assert!(eventually(async || receiver.count() == 1).await, "no delivery began");
    server.kill();
    receiver.release();
    let in_flight = ids(&receiver).remove(0);

    let_leases_run_out(&home);
    let server = home.serve(ALLOWED);
    assert!(eventually(async || receiver.count() == 4).await, "{} messages", receiver.count());
    assert_eq!(ids(&receiver)[1], in_flight, "only the delivery in flight is repeated, under its own name");
    let different: BTreeSet<String> = ids(&receiver).into_iter().collect();
    assert_eq!(different.len(), 3);
    server.kill();
}

#[tokio::test]
async fn the_next_server_announces_events_of_a_killed_one() {
    let (home, receiver) = (Home::new(), Receiver::open());
    let server = home.serve(ALLOWED);
    let key = home.new_key("platinum", &[]);
    register(&server, &key, &receiver).await;
    publish(&home, 0..1, true).await;
    server.kill();
    publish(&home, 1..2, false).await;
    assert_eq!(receiver.count(), 0);
    let _server = home.serve(ALLOWED);
    assert!(eventually(async || receiver.count() == 1).await, "it was never told");
}

#[tokio::test]
async fn two_servers_on_one_database_deliver_each_message_once() {
    let (home, receiver) = (Home::new(), Receiver::open());
    let servers = [home.serve(ALLOWED), home.serve(ALLOWED)];
    let key = home.new_key("platinum", &[]);
    register(&servers[0], &key, &receiver).await;
    publish(&home, 0..1, true).await;
    publish(&home, 1..1001, false).await;
    assert!(eventually(async || receiver.count() >= 10).await, "{} messages", receiver.count());
    let different: BTreeSet<String> = ids(&receiver).into_iter().collect();
    assert_eq!((different.len(), receiver.count()), (10, 10));
}

#[tokio::test]
async fn the_operator_sees_retries_and_disables() {
    let (home, receiver) = (Home::new(), Receiver::open());
    let server = home.serve(ALLOWED);
    let key = home.new_key("platinum", &[]);
    let id = register(&server, &key, &receiver).await;
    publish(&home, 0..1, true).await;
    receiver.answer(500);
    publish(&home, 1..2, false).await;
    assert!(eventually(async || receiver.count() == 1).await, "no delivery");

    let list: Value = serde_json::from_str(&home.must(&["webhooks", "list", "--json"])).unwrap();
    assert_eq!((&list[0]["id"], &list[0]["status"]), (&json!(id), &json!("enabled")));
    assert!(home.must(&["webhooks", "list"]).contains(&receiver.url()));
    let shows = async || home.must(&["webhooks", "show", &id]).contains("the receiver answered 500");
    assert!(eventually(shows).await, "{}", home.must(&["webhooks", "show", &id]));

    let disabled: Value = serde_json::from_str(&home.must(&["webhooks", "disable", &id, "--json"])).unwrap();
    assert_eq!(disabled[0]["disabled_reason"], "disabled by the operator of this service");
    receiver.answer(200);
    home.must(&["webhooks", "retry", &id]);
    assert!(eventually(async || receiver.count() >= 2).await, "it was not tried again");
    let delivered = async || {
        let shown: Value = serde_json::from_str(&home.must(&["webhooks", "show", &id, "--json"])).unwrap();
        shown["deliveries"][0]["status"] == "delivered" && shown["status"] == "enabled"
    };
    assert!(eventually(delivered).await);
    for (arguments, sentence) in [
        (["webhooks", "show", "nonsense"], "must be a webhook id"),
        (["webhooks", "retry", "wh_ffffffffffffffffffffffff"], "no such webhook"),
    ] {
        let finished = home.run(&arguments);
        assert!(!finished.succeeded() && finished.stderr.contains(sentence), "{}", finished.stderr);
    }
    assert!(!server.log().concat().contains(&receiver.url()), "addresses stay out of the log");
}

#[tokio::test]
async fn plain_http_needs_a_flag_that_logs_a_warning() {
    let home = Home::new();
    let server = home.serve(&[]);
    let key = home.new_key("platinum", &[]);
    let body = r#"{"url":"http://127.0.0.1:9/","events":["filing.created"]}"#;
    let request =
        client().post(format!("{}/api/v1/webhooks", server.url)).header("x-api-key", &key).body(body);
    assert_eq!(request.send().await.unwrap().status(), 400);
    drop(server);
    assert!(home.serve(ALLOWED).log().concat().contains("private addresses"));
}
