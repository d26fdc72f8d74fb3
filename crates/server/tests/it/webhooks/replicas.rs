//! An edition is not announced until every replica serves it, unless a replica takes too long.

use std::time::Duration;

use lastro_model::{Day, Edition, RatePoint, Records, Series, Source};
use lastro_store::Replica;

use super::{Stage, eager, items, soon};
use crate::receiver::Receiver;
use crate::replicas::{ghost, lively};

impl Stage {
    /// Simulates a replica that serves this edition of the filings.
    async fn replica_serves(&self, edition: u64) {
        let mut replica = ghost(&self.app, "slow");
        replica.editions[Source::Filings] = Some(Edition(edition));
        self.app.plain.beat(replica).await.unwrap();
    }

    async fn published(&self) -> u64 {
        self.app.plain.counters().await.unwrap().edition(Source::Filings).0
    }

    /// Waits until this server serves the publication and has polled its outbox many times since.
    async fn served_here(&self) {
        let published = self.published().await;
        soon(async || self.app.service.app.served.catalog.load().filings.stamp.edition.0 == published).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
}

#[tokio::test]
async fn a_message_waits_for_the_slowest_replica() {
    let (stage, receiver) = (Stage::set().await, Receiver::open());
    stage.register(&receiver, &["filing.created"]).await;
    let before = stage.published().await;
    stage.replica_serves(before).await;
    stage.publish_filings(7..8).await;
    stage.served_here().await;
    assert_eq!(receiver.count(), 0, "whoever is told now may ask the slow one");
    stage.replica_serves(stage.published().await).await;
    soon(async || receiver.count() == 1).await;
    assert_eq!(items(&receiver, "id"), ["7"]);
}

#[tokio::test]
async fn a_lagging_replica_delays_a_message_by_thirty_seconds() {
    let (stage, receiver) = (Stage::set().await, Receiver::open());
    stage.register(&receiver, &["filing.created"]).await;
    let before = stage.published().await;
    stage.replica_serves(before).await;
    stage.publish_filings(7..8).await;
    stage.served_here().await;
    for _ in 0..2 {
        stage.app.advance_seconds(10);
        stage.replica_serves(before).await;
        stage.served_here().await;
    }
    // Later news has thirty seconds of its own.
    stage.publish_filings(8..9).await;
    stage.served_here().await;
    assert_eq!(receiver.count(), 0);
    stage.app.advance_seconds(10);
    stage.replica_serves(before).await;
    soon(async || receiver.count() == 1).await;
    stage.served_here().await;
    assert_eq!(items(&receiver, "id"), ["7"]);
    stage.replica_serves(stage.published().await).await;
    soon(async || receiver.count() == 2).await;
}

#[tokio::test]
async fn dead_replicas_and_those_without_the_source_delay_nothing() {
    let (stage, receiver) = (Stage::set().await, Receiver::open());
    stage.register(&receiver, &["filing.created"]).await;
    let unknowing = ghost(&stage.app, "of another version");
    let mut dead = Replica { boot: "dead".to_owned(), ..unknowing.clone() };
    dead.editions[Source::Filings] = Some(Edition(1));
    stage.app.plain.beat(dead).await.unwrap();
    stage.app.advance_seconds(11);
    stage.app.plain.beat(Replica { seen_at: stage.app.timestamp(), ..unknowing }).await.unwrap();
    stage.publish_filings(7..8).await;
    soon(async || receiver.count() == 1).await;
}

#[tokio::test]
async fn a_stuck_replica_delays_messages_until_it_stops() {
    let (stage, receiver) = (Stage::set().await, Receiver::open());
    stage.register(&receiver, &["filing.created"]).await;
    let deaf = stage
        .app
        .beside(|setup| {
            eager(setup);
            lively(setup);
            setup.settings.poll_interval = Duration::from_secs(3600);
        })
        .await;
    stage.publish_filings(7..8).await;
    stage.served_here().await;
    assert_eq!(receiver.count(), 0);
    deaf.service.stop().await.unwrap();
    soon(async || receiver.count() == 1).await;
}

#[tokio::test]
async fn two_up_to_date_replicas_deliver_each_message_once() {
    let (stage, receiver) = (Stage::set().await, Receiver::open());
    stage.register(&receiver, &["filing.created"]).await;
    let second = stage
        .app
        .beside(|setup| {
            eager(setup);
            lively(setup);
        })
        .await;
    for number in 7..10 {
        stage.publish_filings(number..number + 1).await;
    }
    soon(async || receiver.count() == 3).await;
    assert_eq!(items(&receiver, "id"), ["7", "8", "9"]);
    second.service.stop().await.unwrap();
}

#[tokio::test]
async fn a_series_is_announced_once_when_the_last_replica_serves_it() {
    let (stage, receiver) = (Stage::set().await, Receiver::open());
    stage.register_with(&receiver, &["series.updated"], serde_json::json!({"series_ids": ["igpm"]})).await;
    let beside = async || {
        let follows = |setup: &mut lastro::setup::Setup| {
            eager(setup);
            lively(setup);
        };
        stage.app.beside(follows).await
    };
    let (second, third) = (beside().await, beside().await);
    let before = stage.app.plain.counters().await.unwrap().edition(Series::Igpm.into());
    let mut slow = ghost(&stage.app, "slow");
    slow.editions[Series::Igpm.into()] = Some(before);
    stage.app.plain.beat(slow.clone()).await.unwrap();
    let point = |value: i64| RatePoint { day: Day::parse("2026-10-01").unwrap(), value: value.into() };
    stage.publish(Series::Igpm.into(), Records::Rates(vec![point(1)])).await;
    let published = stage.app.plain.counters().await.unwrap().edition(Series::Igpm.into());
    let serves = |app: &crate::app::TestApp| {
        app.service.app.served.catalog.load().series[Series::Igpm].stamp.edition == published
    };
    soon(async || [&stage.app, &second, &third].into_iter().all(serves)).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(receiver.count(), 0, "whoever is told now may ask the slow one");
    slow.editions[Series::Igpm.into()] = Some(published);
    stage.app.plain.beat(slow).await.unwrap();
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    assert_eq!((receiver.count(), items(&receiver, "value")), (1, vec!["1".to_owned()]));
    second.service.stop().await.unwrap();
    third.service.stop().await.unwrap();
}
