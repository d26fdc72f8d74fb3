//! Receivers that fail, hang, are gone or ask for a pause.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Registered, Stage, items, path, soon};
use crate::receiver::Receiver;

/// The pauses of the schedule, in seconds.
const PAUSES: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

async fn attempts(stage: &Stage, webhook: &Registered) -> Vec<Value> {
    stage.deliveries(webhook).await[0]["attempts"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_receiver_gets_every_event_after_an_hour_of_failures() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer(503);
    for minute in 0..60u64 {
        if minute.is_multiple_of(10) {
            stage.publish_filings(minute..minute + 10).await;
        }
        stage.settled().await;
        stage.pass(60).await;
    }
    assert!(stage.webhook(&webhook).await["failing_since"].is_string());
    receiver.answer(200);
    receiver.forget();
    for _ in 0..5 {
        stage.pass(3_600).await;
    }
    let ids: BTreeSet<u64> = items(&receiver, "id").iter().map(|id| id.parse().unwrap()).collect();
    assert_eq!(ids, (0..60).collect());
    assert!(stage.deliveries(&webhook).await.iter().all(|delivery| delivery["status"] == "delivered"));
    assert_eq!(stage.webhook(&webhook).await["failing_since"], Value::Null);
}

#[tokio::test]
async fn a_message_is_retried_under_one_id_and_then_given_up() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer(500);
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    for (number, pause) in PAUSES.into_iter().enumerate() {
        stage.pass(pause - 1).await;
        assert_eq!(receiver.count(), number + 1, "not before it is due");
        stage.pass(1).await;
        assert_eq!(receiver.count(), number + 2);
    }
    let delivery = &stage.deliveries(&webhook).await[0];
    assert_eq!((&delivery["status"], &delivery["next_attempt_at"]), (&"failed".into(), &Value::Null));
    assert_eq!(delivery["attempts"].as_array().unwrap().len(), 10);
    let got = receiver.got();
    assert!(got.iter().all(|message| message.id() == delivery["id"] && message.body == got[0].body));
    assert!(got.iter().all(|message| message.verifies(&webhook.secret)), "each signed for its own time");
    let times: BTreeSet<&str> = got.iter().map(|message| message.header("webhook-timestamp")).collect();
    assert_eq!(times.len(), 10);
    stage.pass(10 * 86_400).await;
    assert_eq!(receiver.count(), 10);
}

#[tokio::test]
async fn five_failing_days_disable_a_webhook_and_enabling_resumes_it() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer(500);
    for day in 0..5 {
        stage.publish_filings(day..day + 1).await;
        soon(async || stage.deliveries(&webhook).await.len() as u64 == day + 1).await;
        stage.settled().await;
        assert_eq!(stage.webhook(&webhook).await["status"], "enabled", "on day {day}");
        stage.pass(86_400).await;
    }
    let disabled = stage.webhook(&webhook).await;
    assert_eq!(
        (&disabled["status"], &disabled["disabled_reason"]),
        (&"disabled".into(), &"every delivery failed for five days".into())
    );
    let (_, metrics) = stage.app.admin("/metrics").await;
    assert!(metrics.contains("lastro_webhook_deliveries_total{outcome=\"retried\"}"), "{metrics}");
    soon(async || stage.app.admin("/metrics").await.1.contains("lastro_webhooks_disabled 1\n")).await;

    receiver.answer(200);
    receiver.forget();
    stage.publish_filings(90..91).await;
    stage.pass(3_600).await;
    assert_eq!(receiver.count(), 0, "nothing is sent to a webhook that is disabled");
    let enable =
        stage.app.request(reqwest::Method::PATCH, &path(&webhook, "")).body(r#"{"status":"enabled"}"#);
    let enabled = enable.key(&stage.key).send().await.expect(200).json();
    assert_eq!((&enabled["status"], &enabled["failing_since"]), (&"enabled".into(), &Value::Null));
    for _ in 0..3 {
        stage.pass(86_400).await;
    }
    assert!(receiver.count() >= 3, "what had not been given up is delivered: {}", receiver.count());
    assert!(!items(&receiver, "id").contains(&"90".to_owned()), "what happened meanwhile is not told");
}

#[tokio::test]
async fn a_410_response_disables_the_webhook_at_once() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer(410);
    stage.publish_filings(0..1).await;
    soon(async || stage.webhook(&webhook).await["status"] == "disabled").await;
    assert_eq!(stage.webhook(&webhook).await["disabled_reason"], "the receiver answered 410 Gone");
    stage.publish_filings(1..2).await;
    stage.pass(86_400).await;
    assert_eq!(receiver.count(), 1);
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let stage = Stage::set().await;
    let (receiver, elsewhere) = (Receiver::open(), Receiver::open());
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer_with(307, &[("location", &elsewhere.url())]);
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    assert_eq!(elsewhere.count(), 0);
    let attempt = &attempts(&stage, &webhook).await[0];
    assert_eq!(attempt["status"], 307);
    assert!(attempt["error"].as_str().unwrap().contains("redirects"), "{attempt}");
}

#[tokio::test]
async fn retry_after_delays_the_next_attempt() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    stage.register(&receiver, &["filing.created"]).await;
    receiver.answer_with(429, &[("retry-after", "600")]);
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    stage.pass(599).await;
    assert_eq!(receiver.count(), 1);
    stage.pass(1).await;
    assert_eq!(receiver.count(), 2);
}

#[tokio::test]
async fn retry_after_delays_other_messages_too() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer_with(429, &[("retry-after", "600")]);
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    stage.publish_filings(1..2).await;
    soon(async || stage.deliveries(&webhook).await.len() == 2).await;
    stage.app.advance_seconds(599);
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(receiver.count(), 1);
    receiver.answer(200);
    stage.pass(1).await;
    assert_eq!(receiver.count(), 3);
}

#[tokio::test]
async fn an_unresponsive_receiver_delays_no_other() {
    let stage = Stage::set().await;
    let (slow, quick) = (Receiver::open(), Receiver::open());
    let slow_webhook = stage.register(&slow, &["filing.created"]).await;
    stage.register(&quick, &["filing.created"]).await;
    slow.hold();
    for number in 0..20 {
        stage.publish_filings(number..number + 1).await;
    }
    soon(async || quick.count() == 20).await;
    assert_eq!(slow.count(), 1, "the slow one has one message at a time");
    assert!(attempts(&stage, &slow_webhook).await.is_empty(), "which is not over");
    slow.release();
    soon(async || slow.count() == 20).await;
    assert_eq!(items(&slow, "id"), items(&quick, "id"));
}

#[tokio::test]
async fn an_unresponsive_receiver_times_out() {
    let stage = Stage::set().await;
    let app = stage.app.restart_with(|setup| {
        super::eager(setup);
        setup.settings.webhooks.delivery_timeout = std::time::Duration::from_millis(100);
    });
    let stage = Stage { app: app.await, key: stage.key };
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.hold();
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    let attempt = &attempts(&stage, &webhook).await[0];
    assert_eq!((&attempt["status"], &attempt["error"]), (&Value::Null, &"no answer in time".into()));
}

#[tokio::test]
async fn a_delivery_can_be_requested_again() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    let id = receiver.got()[0].id().to_owned();
    let again = stage.app.post(&path(&webhook, &format!("/deliveries/{id}/redeliver")), "").key(&stage.key);
    assert_eq!(again.send().await.expect(202).json()["status"], "pending");
    soon(async || receiver.count() == 2).await;
    assert_eq!(receiver.got()[1].id(), id);
    stage.settled().await;
    let delivery = &stage.deliveries(&webhook).await[0];
    assert_eq!(
        (&delivery["status"], delivery["attempts"].as_array().unwrap().len()),
        (&"delivered".into(), 2)
    );
}

#[tokio::test]
async fn deliveries_are_kept_for_thirty_days() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    stage.app.advance_seconds(30 * 86_400 + 1);
    // Old deliveries are removed at startup, and every hour after.
    let stage = Stage { app: stage.app.restart_with(super::eager).await, key: stage.key };
    soon(async || stage.deliveries(&webhook).await.is_empty()).await;
}
