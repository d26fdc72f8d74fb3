//! The account side does not wait for a publication, however long it takes and whichever process makes it.

use std::sync::Arc;
use std::time::Duration;

use lastro_model::{AccountId, KeyDigest, Outcome, Plan, Records, Series, Source, UsageCount, WebhookEvent};
use lastro_store::{Fate, PublicationItem, Store, StoreError, WebhookChange};
use tokio::sync::mpsc;

use crate::conformance::Place;
use crate::postgres::TemporaryDatabase;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

/// Far longer than any of these calls takes, and shorter than the store's lock timeout.
const AT_ONCE: Duration = Duration::from_secs(3);

/// Starts a publication that has begun to write and then pauses; dropping the sender ends it.
async fn publication_in_the_midst(
    store: &Arc<dyn Store>,
) -> (mpsc::Sender<PublicationItem>, tokio::task::JoinHandle<lastro_store::Result<lastro_store::Published>>) {
    let (sender, rows) = mpsc::channel(1);
    let publishing = tokio::spawn({
        let store = Arc::clone(store);
        async move { store.publish(publication(Source::Filings), rows).await }
    });
    for batch in 0..4u64 {
        let rows = (batch * 100..batch * 100 + 100).map(|n| filing(n, "2026-10-30")).collect();
        sender.send(PublicationItem::Rows(Records::Filings(rows))).await.unwrap();
    }
    (sender, publishing)
}

async fn small_writes(store: &dyn Store, number: u32) {
    store.insert_key(new_key(number)).await.unwrap();
    let count = UsageCount {
        account: AccountId(key_id(number)),
        day: day("2026-10-30"),
        endpoint: "GET /health".to_owned(),
        outcome: Outcome::Ok,
        requests: 1,
    };
    store.add_usage("boot", u64::from(number), at(0), &[count]).await.unwrap();
    store.set_plan(key_id(number), Plan::Platinum, None).await.unwrap();
    store.rotate(key_id(number), key_id(number + 50), KeyDigest([3; 32]), at(1), at(2)).await.unwrap();
    store.close_ended_keys(at(2)).await.unwrap();
    let webhook = webhook(number as u8, number, &[WebhookEvent::FxUpdated]);
    store.insert_webhook(webhook.clone(), 10).await.unwrap();
    store.change_webhook(&webhook.id, WebhookChange::default()).await.unwrap();
    store.rotate_webhook_secret(&webhook.id, [9; 16], at(3), at(4)).await.unwrap();
    store.take_lease("sync", "ana", at(0), at(60)).await.unwrap();
    assert!(store.renew_lease("sync", "ana", at(120)).await.unwrap());
    store.release_lease("sync", "ana").await.unwrap();
    store.setting_or(&format!("setting {number}"), "value").await.unwrap();
    store.record_delivery(message(number as u8, &webhook.id), settlement_attempt(), true).await.unwrap();
    store.revoke(key_id(number + 50), at(5)).await.unwrap();
}

async fn small_writes_go_on_in_the_midst_of_a_publication(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let (sender, publishing) = publication_in_the_midst(&here).await;
    for (store, number) in [(&here, 1), (&there, 2)] {
        tokio::time::timeout(AT_ONCE, small_writes(&**store, number)).await.expect("they waited");
    }
    tokio::time::timeout(AT_ONCE, there.erase(key_id(2), at(6))).await.expect("it waited").unwrap();
    let opened = tokio::time::timeout(AT_ONCE, place.open()).await.expect("opening waited");
    assert_eq!(opened.list_keys().await.unwrap().len(), 2);
    drop(sender);
    assert_eq!(publishing.await.unwrap(), Err(StoreError::Abandoned));
}

async fn deliveries_continue_during_a_publication(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let webhook = listening(&*here).await;
    for value in ["1.0", "2.0"] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(&*here, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    }
    let (sender, publishing) = publication_in_the_midst(&here).await;
    let delivering = async {
        let number = there.announcements(1).await.unwrap()[0].number;
        assert!(there.fan_out(number, vec![message(1, &webhook.id)]).await.unwrap());
        let claimed = there.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
        let settled = vec![settlement(&claimed[0], "a", Fate::Delivered)];
        there.settle_and_claim(settled, claim(2, "a")).await.unwrap();
    };
    tokio::time::timeout(AT_ONCE, delivering).await.expect("it waited");
    assert!(here.deliveries(&webhook.id, 1, 0).await.unwrap().page[0].delivered);
    drop(sender);
    assert_eq!(publishing.await.unwrap(), Err(StoreError::Abandoned));
}

#[tokio::test]
async fn small_writes_to_a_file_do_not_wait_for_a_publication() {
    small_writes_go_on_in_the_midst_of_a_publication(&TemporaryFile::new()).await;
}

#[tokio::test]
async fn small_writes_to_a_server_do_not_wait_for_a_publication() {
    small_writes_go_on_in_the_midst_of_a_publication(&TemporaryDatabase::new()).await;
}

#[tokio::test]
async fn news_from_a_file_is_delivered_during_a_publication() {
    deliveries_continue_during_a_publication(&TemporaryFile::new()).await;
}

#[tokio::test]
async fn news_from_a_server_is_delivered_during_a_publication() {
    deliveries_continue_during_a_publication(&TemporaryDatabase::new()).await;
}
