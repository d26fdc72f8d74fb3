//! The history of rows, and rows that publishers withdraw.

use std::collections::BTreeMap;

use lastro_model::{FilingId, History, Records, Source};
use lastro_store::{Change, ListedFile, Publication, PublicationItem, ShownRow, Store};

use super::Place;
use super::log::{log, publication_at, publish_file, publish_year, told};
use crate::specimen::*;

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

pub(crate) async fn the_rows_that_a_file_alone_lists_are_known(place: &impl Place) {
    let store = &*place.open().await;
    publish_year(
        store,
        1,
        2026,
        &[(1, "2026-01-05"), (2, "2026-02-01"), (3, "2025-12-31"), (4, "2025-12-31")],
    )
    .await;
    publish_year(store, 2, 2025, &[(4, "2025-12-31"), (5, "2025-02-01")]).await;
    publish_year(store, 3, 2026, &[(1, "2026-01-05"), (3, "2025-12-31"), (4, "2025-12-31")]).await;
    let listed = async |year| {
        let mut ids = store.listed_filings(year).await.unwrap();
        ids.sort_unstable();
        ids
    };
    let numbers = |ids: &[u64]| ids.iter().copied().map(FilingId::Protocol).collect::<Vec<_>>();
    assert_eq!(listed(2026).await, numbers(&[1, 3]), "2 is withdrawn, and 4 in both files");
    assert_eq!(listed(2025).await, numbers(&[5]));
    assert_eq!(listed(2024).await, []);
    let companies = Records::Companies(vec![company(1), company(2)]);
    publish_file(store, 4, companies, ListedFile::Registry).await;
    publish_file(store, 5, Records::Companies(vec![company(2)]), ListedFile::Registry).await;
    assert_eq!(store.listed_companies().await.unwrap(), [company(2).id]);
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

pub(crate) async fn a_filing_in_two_files_stays_until_both_drop_it(place: &impl Place) {
    let store = &*place.open().await;
    let (both, other) = ((2, "2026-01-01"), (3, "2026-01-02"));
    publish_year(store, 1, 2025, &[(1, "2025-12-30"), both]).await;
    publish_year(store, 2, 2026, &[both, other]).await;
    publish_year(store, 3, 2026, &[other]).await;
    assert_eq!(withdrawn(store).await, [0u64; 0], "the file of 2025 lists it still");
    publish_year(store, 4, 2025, &[(1, "2025-12-30")]).await;
    assert_eq!(withdrawn(store).await, [2]);
    publish_year(store, 5, 2026, &[both, other]).await;
    publish_year(store, 6, 2025, &[(1, "2025-12-30"), both]).await;
    publish_year(store, 7, 2025, &[(1, "2025-12-30")]).await;
    assert_eq!(withdrawn(store).await, [0u64; 0], "its own file lists it still");
    publish_year(store, 8, 2026, &[other]).await;
    assert_eq!(withdrawn(store).await, [2]);
}

pub(crate) async fn files_that_an_earlier_version_read_may_list_what_others_lack(place: &impl Place) {
    let store = &*place.open().await;
    let old = [(1, "2024-12-30"), (2, "2025-01-01")];
    publish_year(store, 1, 2024, &old).await;
    publish_year(store, 2, 2025, &[(3, "2025-03-01"), (4, "2025-03-01")]).await;
    place
        .change("DELETE FROM listed_elsewhere; INSERT INTO unread_year (year) VALUES (2023), (2024), (2025)");
    publish_year(store, 3, 2025, &[(3, "2025-03-01")]).await;
    assert_eq!(withdrawn(store).await, [0u64; 0], "the file of 2024 may list both");
    publish_year(store, 4, 2024, &old).await;
    assert_eq!(withdrawn(store).await, [4]);
    publish_year(store, 5, 2025, &[(3, "2025-03-01")]).await;
    publish_year(store, 6, 2024, &[(2, "2025-01-01")]).await;
    assert_eq!(withdrawn(store).await, [4], "the file of 2023 may list the first");
    publish_year(store, 7, 2023, &[(9, "2023-01-01")]).await;
    assert_eq!(withdrawn(store).await, [1, 4]);
    publish_year(store, 8, 2024, &[(5, "2024-01-01")]).await;
    assert_eq!(withdrawn(store).await, [1, 2, 4]);
}

pub(crate) async fn withdrawn_rows_are_not_counted(place: &impl Place) {
    let store = &*place.open().await;
    let state = async |source| {
        let states = store.source_states().await.unwrap();
        let state = states.into_iter().find(|state| state.source == source).unwrap();
        (state.rows, state.newest_day)
    };
    publish_year(store, 1, 2026, &[(1, "2026-01-05"), (2, "2026-02-01"), (3, "2026-03-01")]).await;
    publish_year(store, 2, 2026, &[(1, "2026-01-05"), (2, "2026-02-01")]).await;
    assert_eq!(state(Source::Filings).await, (2, Some(day("2026-02-01"))));
    publish_year(store, 3, 2026, &[(1, "2026-01-05"), (4, "2026-02-02")]).await;
    assert_eq!(state(Source::Filings).await, (2, Some(day("2026-02-02"))));
    publish_year(store, 4, 2026, &[(1, "2026-01-05"), (3, "2026-03-01"), (4, "2026-02-02")]).await;
    assert_eq!(state(Source::Filings).await, (3, Some(day("2026-03-01"))));
    let registry = |ids: &[u32]| Records::Companies(ids.iter().map(|id| company(*id)).collect());
    publish_file(store, 5, registry(&[1, 2]), ListedFile::Registry).await;
    publish_file(store, 6, registry(&[1]), ListedFile::Registry).await;
    assert_eq!(state(Source::Companies).await.0, 1);
    let shapes = |shape: &str| vec![(Source::Filings, shape.to_owned())];
    store.log_replacements(shapes("a"), at(7)).await.unwrap();
    store.log_replacements(shapes("b"), at(8)).await.unwrap();
    assert_eq!(told(store, 1).await, ["replaced filings 3"]);
    assert_eq!(histories(store).await.len(), 4, "all rows are still there");
}
