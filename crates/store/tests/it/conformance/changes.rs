use lastro_model::{Edition, Filing, FilingId, Records, Series, Source};
use lastro_store::{Publication, PublicationItem, Store};

use super::Place;
use crate::specimen::*;

/// Limits of the change log: changed rows, and remembered editions.
const MOST_CHANGES: u64 = 20_000;
const MOST_EDITIONS: u64 = 200;

async fn published(store: &dyn Store, rows: Vec<Filing>) -> Edition {
    publish(store, publication(Source::Filings), Records::Filings(rows)).await.unwrap().edition
}

fn many(ids: std::ops::Range<u64>) -> Vec<Filing> {
    ids.map(|id| filing(id, "2026-10-30")).collect()
}

async fn remembered(store: &dyn Store) -> Vec<u64> {
    let editions = store.remembered_editions(Source::Filings).await.unwrap();
    editions.iter().map(|remembered| remembered.edition.0).collect()
}

pub(crate) async fn changed_rows_come_once_in_their_current_state(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let first = published(&*here, vec![filing(1, "2026-10-28"), filing(2, "2026-10-28")]).await;
    let mut hashed = filing(9, "2026-10-29");
    hashed.id = FilingId::Hash(7);
    let second = published(&*here, vec![filing(1, "2026-10-29"), hashed.clone()]).await;
    let third = published(&*here, vec![filing(1, "2026-10-30"), filing(2, "2026-10-28")]).await;

    let (edition, rows) = changes(&*there, first).await.unwrap();
    assert_eq!((edition, rows), (third, vec![hashed, filing(1, "2026-10-30")]));
    assert_eq!(changes(&*there, second).await.unwrap().1, [filing(1, "2026-10-30")]);
    assert_eq!(changes(&*there, third).await.unwrap(), (third, vec![]), "whoever is up to date");
}

pub(crate) async fn changes_since_an_unknown_edition_are_none(place: &impl Place) {
    let store = place.open().await;
    let rates = Records::Rates(vec![rate("2026-10-30", "15.00")]);
    let selic = publish(&*store, publication(Source::Series(Series::Selic)), rates).await.unwrap().edition;
    assert!(changes(&*store, Edition(0)).await.is_none(), "nothing was ever published");
    let filings = published(&*store, many(0..3)).await;
    for other in [Edition(0), selic, Edition(filings.0 + 1)] {
        assert!(changes(&*store, other).await.is_none(), "{other:?} is no edition of the filings");
    }
    assert!(
        store.changes(Source::Series(Series::Selic), selic).await.unwrap().is_none(),
        "other sources are read whole"
    );
    assert!(store.remembered_editions(Source::Series(Series::Selic)).await.unwrap().is_empty());
}

pub(crate) async fn an_edition_is_remembered_with_its_extent(place: &impl Place) {
    let store = place.open().await;
    published(&*store, many(0..3)).await;
    let later = Publication { at: at(60), ..publication(Source::Filings) };
    let rows = vec![filing(0, "2026-10-31"), filing(1, "2026-10-30"), filing(5, "2026-10-30")];
    let edition = publish(&*store, later, Records::Filings(rows)).await.unwrap().edition;
    let remembered = store.remembered_editions(Source::Filings).await.unwrap();
    let state = state_of(&*store, Source::Filings).await;
    assert_eq!((remembered[0].edition, remembered[0].published_at), (edition, at(60)));
    assert_eq!((remembered[0].rows, remembered[0].newest_day), (state.rows, state.newest_day));
    assert_eq!(remembered.iter().map(|edition| edition.changes).collect::<Vec<_>>(), [2, 0]);
}

pub(crate) async fn changing_every_row_restarts_the_change_log(place: &impl Place) {
    let store = place.open().await;
    let official = publication(Source::Filings);
    let sample = Publication { sample: true, ..official };
    let replacing = Publication { replace: true, ..official };
    let mut editions = Vec::new();
    for (publication, rows) in [
        (sample, many(0..3)),
        (sample, many(3..4)),
        (official, many(4..5)),
        (official, many(5..6)),
        (replacing, many(0..6)),
    ] {
        let published = publish(&*store, publication, Records::Filings(rows)).await.unwrap();
        editions.push((published.edition.0, remembered(&*store).await));
    }
    assert_eq!(editions, [(1, vec![1]), (2, vec![2, 1]), (3, vec![3]), (4, vec![4, 3]), (5, vec![5])]);
}

pub(crate) async fn too_many_changes_restart_the_change_log(place: &impl Place) {
    let store = place.open().await;
    let first = published(&*store, many(0..MOST_CHANGES + 5)).await;
    assert_eq!(changes(&*store, first).await.unwrap().1, [], "the first rows are no change");
    let second = published(&*store, many(MOST_CHANGES + 5..2 * MOST_CHANGES + 5)).await;
    assert_eq!(changes(&*store, first).await.unwrap().1.len() as u64, MOST_CHANGES);
    assert_eq!(remembered(&*store).await, [second.0, first.0]);
    let third = published(&*store, many(2 * MOST_CHANGES + 5..3 * MOST_CHANGES + 6)).await;
    assert_eq!(remembered(&*store).await, [third.0]);
}

pub(crate) async fn editions_too_many_changes_back_are_forgotten(place: &impl Place) {
    let store = place.open().await;
    let first = published(&*store, many(0..1)).await;
    let half = MOST_CHANGES / 2;
    let second = published(&*store, many(1..half + 1)).await;
    let third = published(&*store, many(half + 1..MOST_CHANGES + 1)).await;
    assert_eq!(remembered(&*store).await, [third.0, second.0, first.0]);
    let fourth = published(&*store, many(MOST_CHANGES + 1..MOST_CHANGES + 2)).await;
    assert_eq!(remembered(&*store).await, [fourth.0, third.0, second.0]);
    assert!(changes(&*store, first).await.is_none());
    assert_eq!(changes(&*store, second).await.unwrap().1.len() as u64, half + 1);
}

pub(crate) async fn editions_too_far_back_are_forgotten(place: &impl Place) {
    let store = place.open().await;
    for id in 0..MOST_EDITIONS + 3 {
        published(&*store, many(id..id + 1)).await;
    }
    let remembered = remembered(&*store).await;
    assert_eq!(remembered.len() as u64, MOST_EDITIONS);
    let oldest = Edition(*remembered.last().unwrap());
    assert_eq!(changes(&*store, oldest).await.unwrap().1.len() as u64, MOST_EDITIONS - 1);
}

pub(crate) async fn a_publication_without_effect_is_not_remembered(place: &impl Place) {
    let store = place.open().await;
    let first = published(&*store, many(0..2)).await;
    let abandoned = vec![PublicationItem::Rows(Records::Filings(many(2..4)))];
    send(&*store, publication(Source::Filings), abandoned).await.unwrap_err();
    assert_eq!(published(&*store, many(0..2)).await, first, "all rows were there");
    assert_eq!(remembered(&*store).await, [first.0]);
    assert_eq!(changes(&*store, first).await.unwrap(), (first, vec![]));
}

pub(crate) async fn changes_match_their_edition_during_the_next_publication(place: &impl Place) {
    let store = place.open().await;
    let first = published(&*store, many(0..1)).await;
    // More than the channel buffers.
    let second = published(&*store, many(0..MOST_CHANGES)).await;
    let told = store.changes(Source::Filings, first).await.unwrap().unwrap();
    let replacing = Publication { replace: true, ..publication(Source::Filings) };
    publish(&*store, replacing, Records::Filings(vec![])).await.unwrap();
    let (edition, rows) = gathered(told).await;
    assert_eq!((edition, rows.len() as u64), (second, MOST_CHANGES - 1));
}
