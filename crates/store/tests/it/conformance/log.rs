//! The log of changes, and feeds.

use std::ops::Range;

use lastro_model::{
    Company, CompanyId, Edition, FeedId, NewKey, Plan, Records, SavedFeed, Series, Source, WebhookEvent,
};
use lastro_store::{
    Change, ChangePosition, FeedLookup, ListedFile, LoggedChange, MOST_CHANGES_LOGGED, Publication,
    PublicationItem, ShownRow, Store, StoreError,
};

use super::Place;
use crate::specimen::*;

pub(crate) const SELIC: Source = Source::Series(Series::Selic);

pub(crate) fn publication_at(source: Source, second: i64) -> Publication {
    Publication { at: at(second), ..publication(source) }
}

/// Publishes a whole file.
pub(crate) async fn publish_file(store: &dyn Store, second: i64, records: Records, file: ListedFile) {
    let source = if file == ListedFile::Registry { Source::Companies } else { Source::Filings };
    let items =
        vec![PublicationItem::Rows(records), PublicationItem::EndOfList(file), PublicationItem::Commit];
    send(store, publication_at(source, second), items).await.unwrap();
}

pub(crate) async fn publish_year(store: &dyn Store, second: i64, year: i16, filings: &[(u64, &str)]) {
    let rows = filings.iter().map(|(id, day)| filing(*id, day)).collect();
    publish_file(store, second, Records::Filings(rows), ListedFile::Year(year)).await;
}

/// All changes of the log.
pub(crate) async fn log(store: &dyn Store) -> Vec<LoggedChange> {
    let oldest = store.oldest_change_edition().await.unwrap().unwrap();
    let mut after = ChangePosition { edition: oldest.edition, position: oldest.changes };
    let mut all = Vec::new();
    loop {
        let changes = store.logged_changes(after, Edition(u64::MAX >> 1), 2).await.unwrap();
        let Some(last) = changes.last() else { return all };
        after = ChangePosition { edition: last.edition, position: last.position };
        all.extend(changes);
    }
}

/// The last changes, each in a few words.
pub(crate) async fn told(store: &dyn Store, last: usize) -> Vec<String> {
    let all = log(store).await;
    all[all.len() - last..].iter().map(|logged| in_words(&logged.change)).collect()
}

fn in_words(change: &Change) -> String {
    match change {
        Change::Created(row) => format!("created {}", name(row)),
        Change::Updated { new, .. } => format!("updated {}", name(new)),
        Change::Removed(row) => format!("removed {}", name(row)),
        Change::Replaced { source, rows } => format!("replaced {source} {rows}"),
    }
}

fn name(row: &ShownRow) -> String {
    match row {
        ShownRow::Rate(series, point) => format!("{} {} {}", series.about().id, point.day, point.value),
        ShownRow::Quote(quote) => format!("{} {}", quote.pair, quote.day),
        ShownRow::Company(shown) => format!("company {} {:?}", shown.company.id, shown.tickers),
        ShownRow::Filing(shown) => format!("filing {}", shown.0.id),
    }
}

pub(crate) async fn companies_are_logged_with_their_tickers(place: &impl Place) {
    let store = &*place.open().await;
    let registry = |ids: &[u32]| Records::Companies(ids.iter().map(|id| company(*id)).collect());
    publish_file(store, 1, registry(&[1, 2]), ListedFile::Registry).await;
    let tickers = |second, rows| {
        let publication = Publication { replace: true, ..publication_at(Source::Tickers, second) };
        publish(store, publication, Records::Tickers(rows))
    };
    tickers(2, vec![traded_security("PETR4", 1)]).await.unwrap();
    assert_eq!(told(store, 2).await, ["replaced companies 2", "replaced companies 2"]);
    let newer = lastro_model::TradedSecurity { version: 9, ..traded_security("PETR4", 2) };
    tickers(3, vec![traded_security("PETR4", 1), newer]).await.unwrap();
    assert_eq!(told(store, 2).await, ["updated company 1 []", "updated company 2 [PETR4]"]);
    publish_file(store, 4, registry(&[1]), ListedFile::Registry).await;
    assert_eq!(told(store, 2).await, ["updated company 1 [PETR4]", "removed company 2 [PETR4]"]);
    let renamed = Company { name: "Outra".to_owned(), ..company(1) };
    publish_file(store, 5, Records::Companies(vec![renamed, company(2)]), ListedFile::Registry).await;
    assert_eq!(told(store, 2).await, ["updated company 1 []", "created company 2 [PETR4]"]);
}

pub(crate) async fn first_data_and_huge_changes_are_one_replacement(place: &impl Place) {
    let store = &*place.open().await;
    let filings = |ids: Range<u64>, on: &str| {
        let plain = |id| lastro_model::Filing { url: String::new(), ..filing(id, on) };
        Records::Filings(ids.map(plain).collect())
    };
    let most = MOST_CHANGES_LOGGED as u64;
    publish(store, publication_at(Source::Filings, 1), filings(0..2, "2026-10-29")).await.unwrap();
    publish(store, publication_at(Source::Filings, 2), filings(0..most + 1, "2026-10-30")).await.unwrap();
    let replaced = format!("replaced filings {}", most + 1);
    assert_eq!(told(store, 2).await, ["replaced filings 2", &replaced]);
    publish(store, publication_at(Source::Filings, 3), filings(0..6_000, "2026-10-31")).await.unwrap();
    assert_eq!(log(store).await.len(), 2 + 6_000);
    let editions = store.change_editions(Edition(0), 9).await.unwrap();
    assert_eq!(editions.iter().map(|edition| edition.changes).collect::<Vec<_>>(), [1, 1, 6_000]);
    assert_eq!(log(store).await.last().unwrap().position, 6_000);
}

pub(crate) async fn old_changes_are_forgotten_up_to_an_anchor(place: &impl Place) {
    let store = &*place.open().await;
    for (second, value) in [(1, "1"), (2, "2"), (3, "3"), (4, "4")] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(store, publication_at(SELIC, second), rows).await.unwrap();
    }
    assert_eq!(store.oldest_change_edition().await.unwrap().unwrap().edition, Edition(0));
    assert_eq!(store.forget_changes(at(0)).await.unwrap(), 0, "only the empty beginning is older");
    assert_eq!(log(store).await.len(), 4);
    assert_eq!(store.forget_changes(at(3)).await.unwrap(), 2);
    assert_eq!(store.oldest_change_edition().await.unwrap().unwrap().edition, Edition(2));
    assert_eq!(told(store, 2).await, ["updated selic 2026-10-29 3", "updated selic 2026-10-29 4"]);
    for (edition, position) in [(0, 0), (1, 1), (2, 0)] {
        let passed = ChangePosition { edition: Edition(edition), position };
        let read = store.logged_changes(passed, Edition(9), 9).await;
        assert_eq!(read.unwrap_err(), StoreError::Forgotten, "a reader is told that it missed changes");
    }
    store.forget_changes(at(99)).await.unwrap();
    assert_eq!(log(store).await, []);
    assert_eq!(store.oldest_change_edition().await.unwrap().unwrap().edition, Edition(4));
    publish(store, publication_at(SELIC, 5), Records::Rates(vec![rate("2026-10-30", "5")])).await.unwrap();
    assert_eq!(told(store, 1).await, ["created selic 2026-10-30 5"]);
}

pub(crate) async fn a_clock_that_was_behind_takes_no_young_changes_along(place: &impl Place) {
    let store = &*place.open().await;
    for (second, value) in [(1, "1"), (50, "2"), (2, "3"), (60, "4"), (3, "5")] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(store, publication_at(SELIC, second), rows).await.unwrap();
    }
    assert_eq!(store.forget_changes(at(10)).await.unwrap(), 1);
    assert_eq!(store.oldest_change_edition().await.unwrap().unwrap().edition, Edition(1));
    assert_eq!(store.forget_changes(at(10)).await.unwrap(), 0, "what follows is young");
    assert_eq!(log(store).await.len(), 4);
    assert_eq!(store.forget_changes(at(55)).await.unwrap(), 2, "up to the next young one");
    assert_eq!(told(store, 2).await, ["updated selic 2026-10-29 4", "updated selic 2026-10-29 5"]);
    assert_eq!(store.forget_changes(at(61)).await.unwrap(), 2);
    assert_eq!(log(store).await, []);
    publish(store, publication_at(SELIC, 90), Records::Rates(vec![rate("2026-10-29", "6")])).await.unwrap();
    publish(store, publication_at(SELIC, 70), Records::Rates(vec![rate("2026-10-29", "7")])).await.unwrap();
    store.forget_changes(at(91)).await.unwrap();
    publish(store, publication_at(SELIC, 80), Records::Rates(vec![rate("2026-10-29", "8")])).await.unwrap();
    assert_eq!(store.forget_changes(at(85)).await.unwrap(), 1, "the start of the log keeps nothing");
}

pub(crate) async fn unlogged_editions_are_told_as_replacements(place: &impl Place) {
    let store = &*place.open().await;
    let shapes = |shape: &str| vec![(SELIC, shape.to_owned()), (Source::Fx, shape.to_owned())];
    publish(store, publication_at(SELIC, 1), Records::Rates(vec![rate("2026-10-29", "1")])).await.unwrap();
    assert_eq!(store.log_replacements(shapes("a"), at(2)).await.unwrap(), [], "the first shape is no news");
    assert_eq!(store.log_replacements(shapes("b"), at(3)).await.unwrap(), [SELIC]);
    assert_eq!(store.log_replacements(shapes("b"), at(4)).await.unwrap(), []);
    place.change(
        "UPDATE counter SET value = value + 1 WHERE name = 'edition';
        UPDATE source_state SET edition = (SELECT value FROM counter WHERE name = 'edition') WHERE source = 'selic'",
    );
    assert_eq!(store.log_replacements(shapes("b"), at(5)).await.unwrap(), [SELIC]);
    assert_eq!(told(store, 3).await, ["replaced selic 1"; 3]);
    assert_eq!(store.counters().await.unwrap().edition(SELIC), Edition(4));
    place.change(
        "UPDATE counter SET value = value + 1 WHERE name = 'edition';
        UPDATE source_state SET edition = (SELECT value FROM counter WHERE name = 'edition') WHERE source = 'selic'",
    );
    publish(store, publication_at(SELIC, 6), Records::Rates(vec![rate("2026-10-30", "2")])).await.unwrap();
    assert_eq!(told(store, 1).await, ["replaced selic 2"], "a publication notices it, too");
}

pub(crate) async fn an_abandoned_publication_is_not_logged(place: &impl Place) {
    let store = &*place.open().await;
    publish_year(store, 1, 2026, &[(1, "2026-01-05")]).await;
    let rows = Records::Filings((0..30_000).map(|id| filing(id, "2026-02-01")).collect());
    let items = vec![PublicationItem::Rows(rows)];
    assert!(send(store, publication_at(Source::Filings, 2), items).await.is_err());
    assert_eq!(told(store, 1).await, ["replaced filings 1"]);
    assert_eq!(log(store).await.len(), 1);
}

pub(crate) async fn withdrawals_are_announced(place: &impl Place) {
    let store = &*place.open().await;
    publish_year(store, 1, 2026, &[(1, "2026-01-05"), (2, "2026-02-01")]).await;
    listening(store).await;
    publish_year(store, 2, 2026, &[(1, "2026-01-06")]).await;
    let events = store.announcements(9).await.unwrap();
    let mut events: Vec<WebhookEvent> = events.into_iter().map(|announcement| announcement.event).collect();
    events.sort_unstable();
    assert_eq!(events, [WebhookEvent::FilingUpdated, WebhookEvent::FilingRemoved]);
}

pub(crate) fn saved_feed(number: u8, account: u32) -> SavedFeed {
    SavedFeed {
        id: FeedId::from_random([number; 12]),
        account: lastro_model::AccountId(key_id(account)),
        name: "Dividendos — \"Petrobras\"".to_owned(),
        q: Some("dividendos".to_owned()),
        company_ids: vec![CompanyId(9512)],
        categories: vec!["Fato Relevante".to_owned()],
        created_at: at(i64::from(number)),
    }
}

pub(crate) async fn a_feed_is_found_by_its_token_until_deleted(place: &impl Place) {
    let store = &*place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let feed = saved_feed(1, 1);
    assert!(store.insert_feed(feed.clone(), "digest".to_owned(), 2).await.unwrap());
    assert!(store.insert_feed(saved_feed(2, 1), "another".to_owned(), 2).await.unwrap());
    assert!(!store.insert_feed(saved_feed(3, 1), "third".to_owned(), 2).await.unwrap());
    assert_eq!(store.feeds_of(feed.account).await.unwrap(), [feed.clone(), saved_feed(2, 1)]);
    let found = store.feed_by_token("digest").await.unwrap();
    assert!(matches!(&found, FeedLookup::Found(found, Some(_)) if *found == feed), "{found:?}");
    store.revoke(key_id(1), at(9)).await.unwrap();
    assert_eq!(store.feed_by_token("digest").await.unwrap(), FeedLookup::Found(feed.clone(), None));
    assert!(store.delete_feed(feed.account, &feed.id, at(9)).await.unwrap());
    assert!(!store.delete_feed(feed.account, &feed.id, at(9)).await.unwrap());
    assert_eq!(store.feed_by_token("digest").await.unwrap(), FeedLookup::Ended);
    assert_eq!(store.feed_by_token("third").await.unwrap(), FeedLookup::Unknown);
}

pub(crate) async fn ended_feeds_are_known_until_forgotten(place: &impl Place) {
    let store = &*place.open().await;
    let day = |days: i64| at(days * 86_400);
    let lookup = async |number: u32| store.feed_by_token(&format!("digest {number}")).await.unwrap();
    for number in 1..=3 {
        let unused = NewKey { self_registered: true, ..new_key(number) };
        store.insert_key(unused).await.unwrap();
        let feed = saved_feed(number as u8, number);
        assert!(store.insert_feed(feed, format!("digest {number}"), 2).await.unwrap());
    }
    assert!(store.delete_feed(saved_feed(1, 1).account, &saved_feed(1, 1).id, day(1)).await.unwrap());
    store.erase(key_id(2), day(2)).await.unwrap();
    assert_eq!(lookup(3).await, FeedLookup::Found(saved_feed(3, 3), Some(Plan::Free)));
    assert_eq!(store.remove_unused_keys(day(1), day(3), 10).await.unwrap(), 2);
    for number in 1..=3 {
        assert_eq!(lookup(number).await, FeedLookup::Ended, "{number}");
    }
    let second = lastro_model::Now { monotonic_ns: 0, unix_ms: day(2).as_millisecond() }.utc_day();
    assert_eq!(store.forget_ended_feeds(second).await.unwrap(), 1);
    assert_eq!(lookup(1).await, FeedLookup::Unknown);
    assert_eq!(lookup(2).await, FeedLookup::Ended);
}
