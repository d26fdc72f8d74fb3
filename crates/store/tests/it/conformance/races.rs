//! Several handles that change the same data concurrently, as replicas do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use lastro_model::{
    AccountId, KeyChange, KeyDigest, Outcome, Plan, Records, Series, Source, UsageCount, WebhookEvent,
};
use lastro_store::{Publication, PublicationItem, Store, StoreError};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::Place;
use crate::specimen::*;

async fn two_handles(place: &impl Place) -> [Arc<dyn Store>; 2] {
    [place.open().await, place.open().await]
}

/// Runs all the work concurrently and returns the results.
async fn at_once<T: Send + 'static>(
    work: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let mut running = JoinSet::new();
    work.for_each(|one| {
        running.spawn(one);
    });
    running.join_all().await
}

pub(crate) async fn no_message_is_claimed_twice(place: &impl Place) {
    let handles = two_handles(place).await;
    handles[0].insert_key(new_key(1)).await.unwrap();
    let webhooks = (1..=10).map(|number| webhook(number, 1, &[WebhookEvent::FxUpdated]));
    let mut messages = Vec::new();
    for webhook in webhooks {
        handles[0].insert_webhook(webhook.clone(), 10).await.unwrap();
        messages.push(message(messages.len() as u8, &webhook.id));
    }
    handles[0].fan_out(1, messages).await.unwrap();
    for round in 0..5 {
        let now = round * 60;
        let claiming = (0..8).map(|number| {
            let store = Arc::clone(&handles[number % 2]);
            async move { store.settle_and_claim(Vec::new(), claim(now, &format!("holder {number}"))).await }
        });
        let claimed = at_once(claiming).await;
        let claimed: Vec<_> =
            claimed.into_iter().flat_map(Result::unwrap).map(|one| one.webhook.id).collect();
        let distinct: BTreeSet<_> = claimed.iter().collect();
        assert_eq!(claimed.len(), distinct.len(), "a webhook has one holder");
        assert!(!claimed.is_empty(), "a lease that has ended is given out again");
    }
}

/// A server follows the revisions: its final state of each key must match the database.
pub(crate) async fn a_follower_of_revisions_sees_every_key_state(place: &impl Place) {
    let handles = two_handles(place).await;
    let follower = place.open().await;
    for number in 1..=6 {
        handles[0].insert_key(new_key(number)).await.unwrap();
    }
    let changing = (0..12).map(move |number: u32| {
        let (store, key) = (Arc::clone(&handles[number as usize % 2]), number / 2 + 1);
        async move {
            match number % 2 {
                0 => store.set_plan(key_id(key), Plan::Gold, None).await.map(drop),
                _ => store
                    .rotate(key_id(key), key_id(key + 100), KeyDigest([7; 32]), at(1), at(1_000))
                    .await
                    .map(drop),
            }
        }
    });
    let changing = tokio::spawn(async move { at_once(changing).await });
    let (mut known, mut revision) = (BTreeMap::new(), 0);
    loop {
        let is_over = changing.is_finished();
        for change in follower.keys_since(revision, 3).await.unwrap() {
            assert!(change.revision() > revision, "revisions become visible in their order");
            revision = change.revision();
            if let KeyChange::Changed(key) = change {
                known.insert(key.id, key);
            }
        }
        if is_over && follower.counters().await.unwrap().key_revision == revision {
            break;
        }
    }
    changing.await.unwrap().into_iter().for_each(Result::unwrap);
    let held: BTreeMap<_, _> =
        follower.list_keys().await.unwrap().into_iter().map(|key| (key.id, key)).collect();
    assert_eq!(held.len(), 12);
    assert_eq!(known, held);
    assert!(held.values().all(|key| key.account.plan == Plan::Gold));
}

pub(crate) async fn a_key_has_one_successor(place: &impl Place) {
    let handles = two_handles(place).await;
    for round in 1..=3 {
        handles[0].insert_key(new_key(round)).await.unwrap();
        let rotating = (0..6).map(|number: u32| {
            let store = Arc::clone(&handles[number as usize % 2]);
            let new = key_id(round * 100 + number);
            async move { store.rotate(key_id(round), new, KeyDigest([7; 32]), at(1), at(60)).await }
        });
        let rotated = at_once(rotating).await;
        assert_eq!(rotated.iter().filter(|rotated| rotated.is_ok()).count(), 1);
        assert!(
            rotated.iter().flat_map(|rotated| rotated.as_ref().err()).all(|e| *e == StoreError::KeyEnded)
        );
    }
}

pub(crate) async fn no_account_gets_an_eleventh_webhook(place: &impl Place) {
    let handles = two_handles(place).await;
    handles[0].insert_key(new_key(1)).await.unwrap();
    let inserting = (0..16).map(|number: u8| {
        let store = Arc::clone(&handles[usize::from(number) % 2]);
        async move { store.insert_webhook(webhook(number, 1, &[WebhookEvent::FxUpdated]), 10).await.unwrap() }
    });
    let inserted = at_once(inserting).await;
    assert_eq!(inserted.iter().filter(|inserted| **inserted).count(), 10);
    assert_eq!(handles[0].webhooks_of(AccountId(key_id(1))).await.unwrap().len(), 10);
}

pub(crate) async fn an_announcement_becomes_messages_once(place: &impl Place) {
    let handles = two_handles(place).await;
    let webhook = listening(&*handles[0]).await;
    for number in 1..=5 {
        let addressing = (0..6).map(|handle: u8| {
            let store = Arc::clone(&handles[usize::from(handle) % 2]);
            let message = message(number * 10 + handle, &webhook.id);
            async move { store.fan_out(u64::from(number), vec![message]).await.unwrap() }
        });
        assert_eq!(at_once(addressing).await.iter().filter(|addressed| **addressed).count(), 1);
    }
    assert_eq!(handles[0].deliveries(&webhook.id, 10, 0).await.unwrap().total, 5);
}

/// Deleting a webhook during fan-out loses no message of another webhook.
pub(crate) async fn a_webhook_can_be_deleted_during_fan_out(place: &impl Place) {
    let handles = two_handles(place).await;
    let lasting = listening(&*handles[0]).await;
    for number in 2..8 {
        let passing = webhook(number, 1, &[WebhookEvent::FxUpdated]);
        handles[0].insert_webhook(passing.clone(), 10).await.unwrap();
        let messages = vec![message(number, &lasting.id), message(number + 100, &passing.id)];
        let (writing, deleting) = (Arc::clone(&handles[0]), Arc::clone(&handles[1]));
        let addressing = tokio::spawn(async move { writing.fan_out(u64::from(number), messages).await });
        let deleted = tokio::spawn(async move { deleting.delete_webhook(&passing.id).await });
        assert!(addressing.await.unwrap().unwrap());
        assert!(deleted.await.unwrap().unwrap());
    }
    assert_eq!(handles[0].deliveries(&lasting.id, 10, 0).await.unwrap().total, 6);
}

pub(crate) async fn concurrent_counts_add_up(place: &impl Place) {
    let handles = two_handles(place).await;
    let count = |account: u32| UsageCount {
        account: AccountId(key_id(account)),
        day: day("2026-10-30"),
        endpoint: "GET /health".to_owned(),
        outcome: Outcome::Ok,
        requests: 1,
    };
    for account in 1..=4 {
        let registered = lastro_model::NewKey { self_registered: true, ..new_key(account) };
        handles[0].insert_key(registered).await.unwrap();
    }
    let adding = (0..20u32).map(|number| {
        let store = Arc::clone(&handles[number as usize % 2]);
        let mut counts: Vec<_> = (1..=4).map(count).collect();
        if number.is_multiple_of(2) {
            counts.reverse();
        }
        async move { store.add_usage(&format!("boot {number}"), 1, at(0), &counts).await.unwrap() }
    });
    at_once(adding).await;
    for account in 1..=4 {
        let days = (day("2026-10-30"), day("2026-10-30"));
        let used = handles[1].usage(AccountId(key_id(account)), days.0, days.1).await.unwrap();
        assert_eq!(used[0].requests, 20);
    }
    let unused = handles[0].remove_unused_keys(at(1_000), at(1_000), 10).await.unwrap();
    assert_eq!(unused, 0, "whoever was counted is used");
}

pub(crate) async fn publications_of_one_source_take_turns(place: &impl Place) {
    let handles = two_handles(place).await;
    let publishing = (0..8u64).map(|number| {
        let store = Arc::clone(&handles[number as usize % 2]);
        async move {
            let rows = (0..50).map(|n| lastro_model::Filing {
                description: format!("version {number}"),
                ..filing(n, "2026-10-30")
            });
            let rows = Records::Filings(rows.collect());
            publish(&*store, publication(Source::Filings), rows).await.unwrap().edition
        }
    });
    let editions: BTreeSet<_> = at_once(publishing).await.into_iter().collect();
    assert_eq!(editions.len(), 8, "each has a number of its own");
    let rows = filings(&*handles[0]).await;
    assert_eq!(rows.len(), 50);
    assert!(rows.iter().all(|row| row.description == rows[0].description), "rows of one edition");
    let remembered = handles[1].remembered_editions(Source::Filings).await.unwrap();
    assert_eq!(remembered.len(), 8);
    assert_eq!(remembered.first().map(|one| one.edition), editions.last().copied());
}

pub(crate) async fn concurrent_first_publications_succeed_once(place: &impl Place) {
    let handles = two_handles(place).await;
    let filling = (0..6usize).map(|number| {
        let store = Arc::clone(&handles[number % 2]);
        async move {
            let condition = lastro_store::Condition::NeverPublished;
            let first =
                Publication { sample: true, replace: true, condition, ..publication(Source::Filings) };
            let rows = Records::Filings(vec![filing(number as u64, "2026-10-30")]);
            publish(&*store, first, rows).await.unwrap().skipped
        }
    });
    assert_eq!(at_once(filling).await.iter().filter(|skipped| !**skipped).count(), 1);
    assert_eq!(filings(&*handles[0]).await.len(), 1);
}

/// Only for databases with more than one writer.
pub(crate) async fn publications_of_other_sources_are_not_blocked(place: &impl Place) {
    let handles = two_handles(place).await;
    let webhook = listening(&*handles[0]).await;
    let selic = Source::Series(Series::Selic);
    for value in ["1.0", "2.0"] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(&*handles[0], publication(selic), rows).await.unwrap();
    }
    let number = handles[0].announcements(1).await.unwrap()[0].number;
    // A fanned-out announcement, which the next publication deletes.
    assert!(handles[0].fan_out(number, vec![message(1, &webhook.id)]).await.unwrap());
    let (sender, rows) = mpsc::channel(1);
    let slow = Arc::clone(&handles[0]);
    let slow = tokio::spawn(async move { slow.publish(publication(Source::Filings), rows).await });
    for id in 0..3 {
        let rows = Records::Filings(vec![filing(id, "2026-10-30")]);
        sender.send(PublicationItem::Rows(rows)).await.unwrap();
    }
    let quick = async {
        let rows = Records::Rates(vec![rate("2026-10-29", "3.0")]);
        publish(&*handles[1], publication(selic), rows).await.unwrap()
    };
    let quick = tokio::time::timeout(Duration::from_secs(60), quick).await.expect("it waited for the other");
    sender.send(PublicationItem::Commit).await.unwrap();
    assert!(slow.await.unwrap().unwrap().edition > quick.edition);
}

/// Only for databases with more than one writer. A release that shows rows differently starts during a publication.
pub(crate) async fn a_publication_under_way_delays_only_its_own_replacement(place: &impl Place) {
    let [store, starting] = two_handles(place).await;
    let selic = Source::Series(Series::Selic);
    let shapes = |shape: &str| [selic, Source::Filings].map(|source| (source, shape.to_owned())).to_vec();
    publish(&*store, publication(selic), Records::Rates(vec![rate("2026-10-29", "1.0")])).await.unwrap();
    publish(&*store, publication(Source::Filings), Records::Filings(vec![filing(1, "2026-10-30")]))
        .await
        .unwrap();
    assert_eq!(starting.log_replacements(shapes("a"), at(1)).await.unwrap(), []);
    let (sender, rows) = mpsc::channel(1);
    let slow = tokio::spawn(async move { store.publish(publication(Source::Filings), rows).await });
    for id in 2..5 {
        let rows = Records::Filings(vec![filing(id, "2026-10-30")]);
        sender.send(PublicationItem::Rows(rows)).await.unwrap();
    }
    let told = tokio::time::timeout(Duration::from_secs(4), starting.log_replacements(shapes("b"), at(2)));
    assert_eq!(told.await.expect("it waited for the publication"), Err(StoreError::Busy));
    let logged = starting.change_editions(lastro_model::Edition(0), 9).await.unwrap();
    assert_eq!(logged.last().map(|edition| edition.source), Some(selic), "the other one is told");
    sender.send(PublicationItem::Commit).await.unwrap();
    slow.await.unwrap().unwrap();
    assert_eq!(starting.log_replacements(shapes("b"), at(3)).await.unwrap(), [Source::Filings]);
}
