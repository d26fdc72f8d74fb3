//! A failing store, a stopping server, two servers at once: nothing is lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use lastro::setup::Setup;
use lastro_store::faulty::Operation;
use serde_json::Value;

use super::{Stage, eager, items, path, soon};
use crate::receiver::Receiver;

#[tokio::test]
async fn every_message_arrives_whichever_step_fails() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let steps =
        [Operation::Announcements, Operation::Subscribers, Operation::FanOut, Operation::SettleAndClaim];
    for (number, step) in (0..).zip(steps) {
        stage.app.faults.fail_next(step);
        stage.app.faults.fail_next(step);
        stage.publish_filings(number..number + 1).await;
        soon(async || receiver.count() as u64 == number + 1).await;
    }
    stage.settled().await;
    assert!(stage.deliveries(&webhook).await.iter().all(|delivery| delivery["status"] == "delivered"));
}

#[tokio::test]
async fn deliveries_during_a_store_failure_are_not_repeated() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.hold();
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.app.faults.fail_all(true);
    receiver.release();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    stage.app.faults.fail_all(false);
    stage.settled().await;
    assert_eq!(receiver.count(), 1);
    assert_eq!(stage.deliveries(&webhook).await[0]["status"], "delivered");
}

#[tokio::test]
async fn a_shutdown_waits_for_the_running_delivery() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.hold();
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    let releasing = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        receiver.release();
    };
    let (app, ()) = tokio::join!(stage.app.restart_with(eager), releasing);
    let stage = Stage { app, key: stage.key };
    assert_eq!(stage.deliveries(&webhook).await[0]["status"], "delivered");
    stage.pass(3_600).await;
    assert_eq!(receiver.count(), 1);
}

#[tokio::test]
async fn metrics_stay_fresh_without_idle_time() {
    let stage = Stage::set().await;
    let app = stage.app.restart_with(|setup| {
        eager(setup);
        setup.settings.webhooks.poll_interval = std::time::Duration::from_secs(3_600);
    });
    let stage = Stage { app: app.await, key: stage.key };
    let receiver = Receiver::open();
    stage.register(&receiver, &["filing.created"]).await;
    receiver.hold();
    stage.publish_filings(0..1).await;
    soon(async || stage.app.admin("/metrics").await.1.contains("lastro_webhook_queue 1\n")).await;
    receiver.release();
    soon(async || stage.app.admin("/metrics").await.1.contains("lastro_webhook_queue 0\n")).await;
}

/// The second server is a whole one on the same file. Messages delivered by one are not delivered by the other.
#[tokio::test]
async fn two_servers_on_one_database_deliver_each_message_once() {
    let stage = Stage::set().await;
    let beside = crate::app::started(beside(&stage).await).await.unwrap();
    let receivers = [Receiver::open(), Receiver::open(), Receiver::open()];
    for receiver in &receivers {
        stage.register(receiver, &["filing.created"]).await;
    }
    for number in 0..30 {
        stage.publish_filings(number..number + 1).await;
    }
    soon(async || receivers.iter().all(|receiver| receiver.count() >= 30)).await;
    stage.settled().await;
    for receiver in &receivers {
        let ids: BTreeSet<String> = receiver.got().iter().map(|got| got.id().to_owned()).collect();
        assert_eq!((ids.len(), receiver.count()), (30, 30));
        assert_eq!(items(receiver, "id").len(), 30);
    }
    let delivered = |metrics: String| -> u64 {
        let line = metrics.lines().find(|line| line.contains("outcome=\"delivered\"")).unwrap().to_owned();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let here = delivered(stage.app.admin("/metrics").await.1);
    assert!(here <= 90, "{here}");
    beside.stop().await.unwrap();
}

async fn beside(stage: &Stage) -> Setup {
    let directory = &stage.app.directory;
    let clock = std::sync::Arc::clone(&stage.app.clock) as std::sync::Arc<dyn lastro_model::Clock>;
    let mut setup = crate::app::setup(directory, stage.app.elsewhere().await, clock);
    setup.settings.index_dir = Some(directory.path().join("index beside"));
    eager(&mut setup);
    setup
}

#[tokio::test]
async fn a_webhook_deleted_during_a_delivery_is_gone() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.hold();
    stage.publish_filings(0..3).await;
    soon(async || receiver.count() == 1).await;
    let delete = stage.app.request(reqwest::Method::DELETE, &path(&webhook, ""));
    delete.key(&stage.key).send().await.expect(204);
    receiver.release();
    let other = Receiver::open();
    stage.register(&other, &["filing.created"]).await;
    stage.publish_filings(3..4).await;
    soon(async || other.count() == 1).await;
    stage.settled().await;
    assert_eq!(receiver.count(), 1);
}

#[tokio::test]
async fn a_panicking_delivery_is_a_failed_attempt_and_is_retried() {
    static PANICS: AtomicBool = AtomicBool::new(true);
    let stage = Stage::set().await;
    let app = stage
        .app
        .restart_with(|setup| {
            eager(setup);
            setup.settings.webhooks.jitter = || {
                assert!(!PANICS.load(Ordering::SeqCst), "on purpose");
                0.0
            };
        })
        .await;
    let stage = Stage { app, key: stage.key };
    let (receiver, other) = (Receiver::open(), Receiver::open());
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    stage.publish_filings(0..1).await;
    let attempts = async || match &stage.deliveries(&webhook).await[..] {
        [delivery] => delivery["attempts"].as_array().unwrap().len(),
        _ => 0,
    };
    soon(async || attempts().await == 1).await;
    let log = stage.deliveries(&webhook).await;
    assert_eq!((&log[0]["status"], &log[0]["attempts"][0]["status"]), (&"pending".into(), &Value::Null));
    assert_eq!(log[0]["attempts"][0]["error"], "a fault of this service");
    assert_eq!(stage.webhook(&webhook).await["failing_since"], Value::Null, "it is not the receiver's fault");
    let (_, metrics) = stage.app.admin("/metrics").await;
    assert!(metrics.contains("lastro_job_restarts_total{job=\"webhooks\"} 0\n"), "the loop goes on");
    assert!(!metrics.contains("lastro_panics_total 0\n"));
    PANICS.store(false, Ordering::SeqCst);
    stage.register(&other, &["filing.created"]).await;
    stage.publish_filings(1..2).await;
    stage.pass(60).await;
    assert_eq!(other.count(), 1);
    assert!(stage.deliveries(&webhook).await.iter().all(|delivery| delivery["status"] == "delivered"));
}
