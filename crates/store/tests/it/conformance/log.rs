//! The log of changes, the history of rows, and rows that publishers withdraw.

use std::collections::BTreeMap;

use lastro_model::{
    Company, CompanyId, Edition, FeedId, FilingId, FormerName, History, Records, SavedFeed, Series, Source,
    WebhookEvent, latest_first,
};
use lastro_store::{
    Change, ChangePosition, ListedFile, LoggedChange, MOST_CHANGES_LOGGED, Publication, PublicationItem,
    ShownRow, Store,
};

use super::Place;
use crate::specimen::*;

const SELIC: Source = Source::Series(Series::Selic);

fn publication_at(source: Source, second: i64) -> Publication {
    Publication { at: at(second), ..publication(source) }
}

/// Publishes a whole file.
async fn publish_file(store: &dyn Store, second: i64, records: Records, file: ListedFile) {
    let source = if file == ListedFile::Registry { Source::Companies } else { Source::Filings };
    let items =
        vec![PublicationItem::Rows(records), PublicationItem::EndOfList(file), PublicationItem::Commit];
    send(store, publication_at(source, second), items).await.unwrap();
}

async fn publish_year(store: &dyn Store, second: i64, year: i16, filings: &[(u64, &str)]) {
    let rows = filings.iter().map(|(id, day)| filing(*id, day)).collect();
    publish_file(store, second, Records::Filings(rows), ListedFile::Year(year)).await;
}

/// The stored filings with their histories.
async fn histories(store: &dyn Store) -> BTreeMap<FilingId, History> {
    let mut loaded = store.load(Source::Filings).await.unwrap();
    let mut found = BTreeMap::new();
    while let Some(batch) = loaded.rows.recv().await {
        let batch = batch.unwrap();
        let Records::Filings(rows) = batch.rows else { panic!("not filings") };
        found.extend(rows.into_iter().map(|row| row.id).zip(batch.histories));
    }
    found
}

async fn withdrawn(store: &dyn Store) -> Vec<u64> {
    let number = |id| if let FilingId::Protocol(number) = id { number } else { panic!("not a number") };
    histories(store)
        .await
        .into_iter()
        .filter(|(_, history)| history.is_withdrawn())
        .map(|(id, _)| number(id))
        .collect()
}

/// All changes of the log.
pub(crate) async fn log(store: &dyn Store) -> Vec<LoggedChange> {
    let (mut after, mut all) = (ChangePosition::default(), Vec::new());
    loop {
        let changes = store.logged_changes(after, Edition(u64::MAX >> 1), 2).await.unwrap();
        let Some(last) = changes.last() else { return all };
        after = ChangePosition { edition: last.edition, position: last.position };
        all.extend(changes);
    }
}

/// The last changes, each in a few words.
async fn told(store: &dyn Store, last: usize) -> Vec<String> {
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

pub(crate) async fn rows_that_a_file_lacks_are_withdrawn(place: &impl Place) {
    let store = &*place.open().await;
    publish_year(store, 1, 2026, &[(1, "2026-01-05"), (2, "2026-02-01"), (3, "2026-02-01")]).await;
    publish_year(store, 2, 2025, &[(4, "2025-02-01")]).await;
    assert_eq!(withdrawn(store).await, [0u64; 0]);
    publish_year(store, 3, 2026, &[(1, "2026-01-05"), (3, "2026-02-01")]).await;
    assert_eq!(withdrawn(store).await, [2]);
    assert_eq!(told(store, 1).await, ["removed filing 2"]);
    let history = histories(store).await[&FilingId::Protocol(2)];
    assert_eq!(history, History { first_seen: Some(at(1)), withdrawn: Some(at(3)) });
    publish_year(store, 4, 2026, &[(1, "2026-01-05"), (2, "2026-02-01"), (3, "2026-02-01")]).await;
    assert_eq!(told(store, 1).await, ["created filing 2"]);
    let history = histories(store).await[&FilingId::Protocol(2)];
    assert_eq!(history, History { first_seen: Some(at(1)), withdrawn: None });
    let Change::Created(ShownRow::Filing(shown)) = log(store).await.pop().unwrap().change else { panic!() };
    assert_eq!(shown.1.first_seen, Some(at(1)));
}

/// Publishes the file of 2026 on 2026-11-02.
async fn publish_today(store: &dyn Store, rows: &[(u64, &str)], held_back: &[(u64, &str)]) {
    let filings =
        |rows: &[(u64, &str)]| -> Vec<_> { rows.iter().map(|(id, day)| filing(*id, day)).collect() };
    let items = vec![
        PublicationItem::UpToToday,
        PublicationItem::Rows(Records::Filings(filings(rows))),
        PublicationItem::HeldBack(filings(held_back)),
        PublicationItem::EndOfList(ListedFile::Year(2026)),
        PublicationItem::File(read_file("https://sample.invalid/2026", 0)),
        PublicationItem::Commit,
    ];
    let today = "2026-11-02T12:00:00Z".parse().unwrap();
    send(store, Publication { at: today, ..publication(Source::Filings) }, items).await.unwrap();
}

pub(crate) async fn filings_of_days_to_come_leave_and_come_back(place: &impl Place) {
    let store = &*place.open().await;
    let (past, later) = ([(1, "2026-01-05"), (2, "2026-02-01")], [(3, "2026-11-03"), (4, "2062-01-01")]);
    publish_year(store, 1, 2026, &[past, later].concat()).await;
    send(
        store,
        publication_at(Source::Filings, 2),
        vec![PublicationItem::File(read_file("https://sample.invalid/2025", 0)), PublicationItem::Commit],
    )
    .await
    .unwrap();
    publish_today(store, &past, &later).await;
    assert_eq!(told(store, 2).await, ["removed filing 3", "removed filing 4"]);
    assert_eq!(state_of(store, Source::Filings).await.newest_day, Some(day("2026-02-01")));
    let tags = store.read_files(Source::Filings).await.unwrap();
    let is_known: Vec<bool> = tags.iter().map(|file| file.etag.is_some()).collect();
    assert_eq!(is_known, [false, true], "a file that was not read may list one of them");
    let changes = log(store).await.len();
    publish_today(store, &past, &later).await;
    publish_today(store, &past, &[]).await;
    assert_eq!(log(store).await.len(), changes, "they left before");
    publish_today(store, &[(1, "2026-01-05")], &[(2, "2026-12-01"), (5, "2062-01-01")]).await;
    publish_today(store, &[(1, "2026-01-05")], &[(2, "2026-12-01")]).await;
    assert_eq!(log(store).await.len(), changes, "one that is held back is listed");
    publish_today(store, &[(1, "2026-01-05"), (2, "2026-02-01"), (4, "2026-10-30")], &[]).await;
    assert_eq!(told(store, 1).await, ["created filing 4"]);
}

pub(crate) async fn a_file_of_another_year_keeps_its_rows(place: &impl Place) {
    let store = &*place.open().await;
    publish_year(store, 1, 2025, &[(1, "2025-12-30"), (2, "2026-01-01")]).await;
    publish_year(store, 2, 2026, &[(3, "2026-01-02"), (4, "2025-12-31")]).await;
    publish_year(store, 3, 2025, &[(1, "2025-12-30"), (2, "2026-01-01")]).await;
    publish_year(store, 4, 2026, &[(3, "2026-01-02"), (4, "2025-12-31")]).await;
    assert_eq!(withdrawn(store).await, [0u64; 0]);
    publish_year(store, 5, 2026, &[(3, "2026-01-02")]).await;
    assert_eq!(withdrawn(store).await, [4]);
    let both = vec![
        PublicationItem::Rows(Records::Filings(vec![filing(1, "2025-12-30")])),
        PublicationItem::EndOfList(ListedFile::Year(2025)),
        PublicationItem::Rows(Records::Filings(vec![filing(2, "2026-01-01"), filing(3, "2026-01-02")])),
        PublicationItem::EndOfList(ListedFile::Year(2026)),
        PublicationItem::Commit,
    ];
    send(store, publication_at(Source::Filings, 6), both).await.unwrap();
    assert_eq!(withdrawn(store).await, [4], "one that another file lists now stays");
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
    let many = |on: &str| {
        let ids = 0..=MOST_CHANGES_LOGGED as u64;
        Records::Filings(
            ids.map(|id| lastro_model::Filing { url: String::new(), ..filing(id, on) }).collect(),
        )
    };
    publish(store, publication_at(Source::Filings, 1), many("2026-10-29")).await.unwrap();
    publish(store, publication_at(Source::Filings, 2), many("2026-10-30")).await.unwrap();
    let rows = MOST_CHANGES_LOGGED + 1;
    let replaced = format!("replaced filings {rows}");
    assert_eq!(told(store, 2).await, [&replaced, &replaced].map(String::as_str));
    let some = Records::Filings((0..20_000).map(|id| filing(id, "2026-10-31")).collect());
    publish(store, publication_at(Source::Filings, 3), some).await.unwrap();
    assert_eq!(log(store).await.len(), 2 + 20_000);
    let editions = store.change_editions(Edition(0), 9).await.unwrap();
    assert_eq!(editions.iter().map(|edition| edition.changes).collect::<Vec<_>>(), [1, 1, 20_000]);
    assert_eq!(log(store).await.last().unwrap().position, 20_000);
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
    store.forget_changes(at(99)).await.unwrap();
    assert_eq!(log(store).await, []);
    assert_eq!(store.oldest_change_edition().await.unwrap().unwrap().edition, Edition(4));
    publish(store, publication_at(SELIC, 5), Records::Rates(vec![rate("2026-10-30", "5")])).await.unwrap();
    assert_eq!(told(store, 1).await, ["created selic 2026-10-30 5"]);
}

pub(crate) async fn unlogged_editions_are_told_as_replacements(place: &impl Place) {
    let store = &*place.open().await;
    let shapes = |shape: &str| vec![(SELIC, shape.to_owned()), (Source::Fx, shape.to_owned())];
    publish(store, publication_at(SELIC, 1), Records::Rates(vec![rate("2026-10-29", "1")])).await.unwrap();
    assert_eq!(store.tell_replacements(shapes("a"), at(2)).await.unwrap(), [], "the first shape is no news");
    assert_eq!(store.tell_replacements(shapes("b"), at(3)).await.unwrap(), [SELIC]);
    assert_eq!(store.tell_replacements(shapes("b"), at(4)).await.unwrap(), []);
    place.change(
        "UPDATE counter SET value = value + 1 WHERE name = 'edition';
        UPDATE source_state SET edition = (SELECT value FROM counter WHERE name = 'edition') WHERE source = 'selic'",
    );
    assert_eq!(store.tell_replacements(shapes("b"), at(5)).await.unwrap(), [SELIC]);
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

/// The rows that a follower of the log holds.
#[derive(Default, PartialEq, Debug)]
struct Copy(BTreeMap<String, ShownRow>);

impl Copy {
    fn follow(&mut self, change: Change) {
        let key = |row: &ShownRow| match row {
            ShownRow::Rate(series, point) => format!("{} {}", series.about().id, point.day),
            ShownRow::Quote(quote) => format!("{} {}", quote.pair, quote.day),
            ShownRow::Company(shown) => format!("company {}", shown.company.id),
            ShownRow::Filing(shown) => format!("filing {}", shown.0.id),
        };
        match change {
            Change::Created(row) => assert_eq!(self.0.insert(key(&row), row), None),
            Change::Updated { old, new } => assert_eq!(self.0.insert(key(&new), new), Some(old)),
            Change::Removed(row) => assert_eq!(self.0.remove(&key(&row)), Some(row)),
            Change::Replaced { .. } => {}
        }
    }
}

/// Follows random publications from the second of each source on.
pub(crate) async fn the_log_leads_from_any_state_to_any_later_one(place: &impl Place) {
    let store = &*place.open().await;
    let mut random = fastrand::Rng::with_seed(7);
    for (source, rows) in [
        (SELIC, Records::Rates(vec![])),
        (Source::Companies, Records::Companies(vec![])),
        (Source::Filings, Records::Filings(vec![])),
        (Source::Tickers, Records::FormerNames(vec![])),
    ] {
        let empty = Publication { replace: true, ..publication_at(source, 0) };
        publish(store, empty, rows).await.unwrap();
    }
    let (mut copy, mut held, mut seen) = (Copy::default(), BTreeMap::new(), 4);
    for second in 1..60 {
        match random.u8(..4) {
            0 => {
                let value = format!("{}.{}", random.u8(..3), random.u8(..2));
                let rows = Records::Rates(vec![rate(&format!("2026-10-0{}", random.u8(1..6)), &value)]);
                publish(store, publication_at(SELIC, second), rows).await.unwrap();
            }
            1 => {
                let ids: Vec<u32> = (1..5).filter(|_| random.u8(..3) > 0).collect();
                let named = |id| Company { name: format!("N{}", random.u8(..2)), ..company(id) };
                let rows = ids.into_iter().map(named).collect();
                publish_file(store, second, Records::Companies(rows), ListedFile::Registry).await;
            }
            2 => {
                let former = |id| FormerName {
                    until: day(&format!("2026-01-0{}", random.u8(1..4))),
                    ..former_name(id, &format!("F{}", random.u8(..2)))
                };
                let names = (1..5).flat_map(|id| [id, id]).map(former).collect();
                let all = Publication { replace: true, ..publication_at(Source::Tickers, second) };
                publish(store, all, Records::FormerNames(names)).await.unwrap();
            }
            _ => {
                let ids: Vec<u64> = (1..7).filter(|_| random.u8(..3) > 0).collect();
                let days = ["2026-05-01", "2026-05-02"];
                let rows: Vec<_> = ids.into_iter().map(|id| (id, days[random.usize(..2)])).collect();
                publish_year(store, second, 2026, &rows).await;
            }
        }
        let all = log(store).await;
        all[seen..].iter().for_each(|logged| copy.follow(logged.change.clone()));
        seen = all.len();
        held = stored(store).await;
        assert_eq!(copy.0, held, "after {second}");
    }
    assert!(!held.is_empty());
}

/// The rows that are shown.
async fn stored(store: &dyn Store) -> BTreeMap<String, ShownRow> {
    let mut rows = BTreeMap::new();
    let mut former_names = Vec::new();
    for source in [Source::Tickers, SELIC, Source::Companies, Source::Filings] {
        let mut loaded = store.load(source).await.unwrap();
        while let Some(batch) = loaded.rows.recv().await {
            let batch = batch.unwrap();
            let histories = batch.histories.into_iter();
            match batch.rows {
                Records::Rates(points) => rows.extend(
                    points
                        .into_iter()
                        .map(|point| (format!("selic {}", point.day), ShownRow::Rate(Series::Selic, point))),
                ),
                Records::Companies(companies) => rows.extend(
                    companies.into_iter().zip(histories).filter(|(_, history)| !history.is_withdrawn()).map(
                        |(company, history)| {
                            let id = company.id;
                            let names = latest_first(&former_names).into_iter();
                            let former_names = names.filter(|name| name.company_id == id);
                            let former_names = former_names.map(|name| name.name.clone()).collect();
                            let tickers = Vec::new();
                            let shown =
                                lastro_store::ShownCompany { company, history, tickers, former_names };
                            (format!("company {id}"), ShownRow::Company(Box::new(shown)))
                        },
                    ),
                ),
                Records::Filings(filings) => rows.extend(
                    filings.into_iter().zip(histories).filter(|(_, history)| !history.is_withdrawn()).map(
                        |(filing, history)| {
                            (format!("filing {}", filing.id), ShownRow::Filing(Box::new((filing, history))))
                        },
                    ),
                ),
                Records::FormerNames(names) => former_names.extend(names),
                _ => panic!("another source"),
            }
        }
    }
    rows
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
    let (found, plan) = store.feed_by_token("digest").await.unwrap().unwrap();
    assert_eq!((found, plan.is_some()), (feed.clone(), true));
    store.revoke(key_id(1), at(9)).await.unwrap();
    assert_eq!(store.feed_by_token("digest").await.unwrap().unwrap().1, None);
    assert!(store.delete_feed(feed.account, &feed.id).await.unwrap());
    assert!(!store.delete_feed(feed.account, &feed.id).await.unwrap());
    assert_eq!(store.feed_by_token("digest").await.unwrap(), None);
}
