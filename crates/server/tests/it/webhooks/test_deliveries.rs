//! The `ping` that a customer requests, and the limit on concurrent ones.

use lastro_model::{AccountId, KeyId, Plan};
use serde_json::{Value, json};

use super::{Stage, path, soon};
use crate::receiver::Receiver;

#[tokio::test]
async fn a_test_sends_a_ping_now_and_reports_the_outcome() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let test =
        async || stage.app.post(&path(&webhook, "/test"), "").key(&stage.key).send().await.expect(200).json();
    let good = test().await;
    assert_eq!(
        (&good["delivered"], &good["attempt"]["status"], &good["attempt"]["error"]),
        (&json!(true), &json!(204), &Value::Null)
    );
    let got = receiver.got().remove(0);
    assert!(got.verifies(&webhook.secret) && got.id() == good["id"]);
    assert_eq!(
        got.json(),
        json!({ "type": "ping", "timestamp": "2026-11-02T12:00:00Z", "data": { "edition": 0, "items": [] } })
    );

    receiver.answer(500);
    let bad = test().await;
    assert_eq!(
        (&bad["delivered"], &bad["attempt"]["error"]),
        (&json!(false), &json!("the receiver answered 500"))
    );
    receiver.answer(410);
    assert_eq!(test().await["delivered"], false);
    assert_eq!(stage.webhook(&webhook).await["status"], "enabled", "a test changes nothing");
    stage.pass(86_400).await;
    assert_eq!(receiver.count(), 3, "and is not repeated");
    let (_, metrics) = stage.app.admin("/metrics").await;
    for counted in ["{outcome=\"delivered\"} 1", "{outcome=\"given_up\"} 2"] {
        assert!(metrics.contains(&format!("lastro_webhook_deliveries_total{counted}\n")), "{metrics}");
    }
    for (query, held) in
        [("?from=2026-11-02&to=2026-11", true), ("?from=2026-11-03", false), ("?to=2026-10", false)]
    {
        for (list, total) in [(path(&webhook, "/deliveries"), 3), ("/api/v1/webhooks".to_owned(), 1)] {
            let answer = stage.app.get(&format!("{list}{query}")).key(&stage.key).send().await.expect(200);
            assert_eq!(answer.json()["total"], if held { total } else { 0 }, "{list}{query}");
        }
    }
    let log = stage.deliveries(&webhook).await;
    let told: Vec<_> =
        log.iter().map(|delivery| (delivery["event"].clone(), delivery["status"].clone())).collect();
    assert_eq!(
        told,
        [
            (json!("ping"), json!("failed")),
            (json!("ping"), json!("failed")),
            (json!("ping"), json!("delivered"))
        ]
    );
}

#[tokio::test]
async fn a_test_passes_the_trace_of_its_request_on() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let test = async |parent: &str| {
        let asked = stage.app.post(&path(&webhook, "/test"), "").key(&stage.key);
        asked.header("traceparent", parent).header("tracestate", "vendor=value").send().await.expect(200);
        receiver.got().pop().unwrap()
    };
    let got = test(&format!("00-{trace}-b7ad6b7169203331-01")).await;
    let child = got.header("traceparent");
    assert!(child.starts_with(&format!("00-{trace}-")) && child.ends_with("-01"), "{child}");
    assert!(child.len() == 55 && !child.contains("b7ad6b7169203331"), "a span of its own: {child}");
    assert_eq!(got.header("tracestate"), "vendor=value");
    let got = test("00-no-trace-01").await;
    assert!(!got.headers.contains_key("traceparent") && !got.headers.contains_key("tracestate"));
}

#[tokio::test]
async fn too_many_concurrent_tests_are_rejected() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let test = async || stage.app.post(&path(&webhook, "/test"), "").key(&stage.key).send().await;
    let running = &stage.app.service.app.webhooks.tests;
    let another = |n: u8| AccountId(KeyId::parse(&format!("Other{n:03}")).unwrap());
    let others: Vec<_> = (0..16).map(|n| running.take(another(n)).unwrap()).collect();
    assert!(test().await.expect_error(503).contains("too many tests"));
    drop(others);
    test().await.expect(200);
}

#[tokio::test]
async fn a_customer_may_run_two_tests_at_once() {
    let stage = Stage::set().await;
    let (slow, quick) = (Receiver::open(), Receiver::open());
    let webhook = stage.register(&slow, &["filing.created"]).await;
    let test = async || stage.app.post(&path(&webhook, "/test"), "").key(&stage.key).send().await;
    slow.hold();
    let meanwhile = async {
        soon(async || slow.count() == 2).await;
        let third = test().await.expect(429);
        assert_eq!(third.number("retry-after"), 15);
        let other = stage.app.ample_key(Plan::Platinum).await;
        let body = json!({ "url": quick.url(), "events": ["filing.created"] }).to_string();
        let theirs = stage.app.post("/api/v1/webhooks", body).key(&other).send().await.expect(201).json();
        let path = format!("/api/v1/webhooks/{}/test", theirs["id"].as_str().unwrap());
        stage.app.post(&path, "").key(&other).send().await.expect(200);
        slow.release();
    };
    let (first, second, ()) = tokio::join!(test(), test(), meanwhile);
    first.expect(200);
    second.expect(200);
    test().await.expect(200);
}
