use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use lastro_model::{Day, Edition, FxQuote, Point, RatePoint, Records, Series, Source};
use lastro_store::{Publication, PublicationItem, Recorded, Revision, Store};

use super::Place;
use crate::specimen::*;

const SERIES: Source = Source::Series(Series::IbcBrSa);

fn publication_at(second: i64) -> Publication {
    Publication { at: at(second), ..publication(SERIES) }
}

/// Publishes points of the series at this second.
async fn published(store: &dyn Store, second: i64, rows: &[(&str, &str)]) -> Edition {
    let rows = rows.iter().map(|(on, value)| rate(on, value)).collect();
    publish(store, publication_at(second), Records::Rates(rows)).await.unwrap().edition
}

async fn recorded(store: &dyn Store) -> Recorded {
    store.revisions(SERIES).await.unwrap()
}

fn revision(edition: Edition, second: i64, old: Option<RatePoint>, new: RatePoint) -> Revision {
    Revision { edition, at: at(second), old: old.map(Point::from), new: Some(new.into()) }
}

pub(crate) async fn recording_begins_with_the_first_history(place: &impl Place) {
    let store = place.open().await;
    assert_eq!(recorded(&*store).await, Recorded::default(), "nothing was ever published");
    let history = [("2026-01-01", "140.1"), ("2026-02-01", "140.2")];
    published(&*store, 10, &history).await;
    assert_eq!(recorded(&*store).await, Recorded { since: Some(at(10)), rows: vec![] });
    published(&*store, 20, &history).await;
    assert_eq!(recorded(&*store).await.since, Some(at(10)), "nothing is new since then");
}

pub(crate) async fn changes_are_recorded_with_edition_and_time(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    published(&*here, 10, &[("2026-01-01", "140.1"), ("2026-02-01", "140.2")]).await;
    let rows = [("2026-01-01", "140.3"), ("2026-02-01", "140.2"), ("2026-03-01", "141")];
    let second = published(&*here, 20, &rows).await;
    let third = published(&*here, 30, &[("2026-03-01", "141.0")]).await;
    let told = recorded(&*there).await;
    assert_eq!(told.since, Some(at(10)));
    assert_eq!(
        told.rows,
        [
            revision(third, 30, Some(rate("2026-03-01", "141")), rate("2026-03-01", "141.0")),
            revision(second, 20, None, rate("2026-03-01", "141")),
            revision(second, 20, Some(rate("2026-01-01", "140.1")), rate("2026-01-01", "140.3")),
        ]
    );
    let decimals: Vec<String> =
        told.rows.iter().map(|row| format!("{:?}", row.new)).filter(|text| text.contains("141.0")).collect();
    assert_eq!(decimals.len(), 1, "values keep their decimals");
    let other = store_of_another_series(&*there).await;
    assert_eq!(other, Recorded::default(), "each series by itself");
}

async fn store_of_another_series(store: &dyn Store) -> Recorded {
    store.revisions(Source::Series(Series::Selic)).await.unwrap()
}

pub(crate) async fn exchange_rates_are_recorded_pair_by_pair(place: &impl Place) {
    let store = place.open().await;
    let publish_quotes = async |second, quotes: Vec<FxQuote>| {
        let publication = Publication { at: at(second), ..publication(Source::Fx) };
        publish(&*store, publication, Records::Fx(quotes)).await.unwrap().edition
    };
    let dollar = |buy| quote("2026-10-29", "USD/BRL", buy, "5.09");
    let euro = quote("2026-10-29", "EUR/BRL", "6.01", "6.02");
    publish_quotes(1, vec![dollar("5.08"), euro]).await;
    let new = quote("2026-10-30", "EUR/BRL", "6.11", "6.12");
    let edition = publish_quotes(2, vec![new, dollar("5.07"), euro]).await;
    let told = store.revisions(Source::Fx).await.unwrap();
    let expected = [
        Revision { edition, at: at(2), old: None, new: Some(new.into()) },
        Revision { edition, at: at(2), old: Some(dollar("5.08").into()), new: Some(dollar("5.07").into()) },
    ];
    assert_eq!(told, Recorded { since: Some(at(1)), rows: expected.to_vec() });
}

pub(crate) async fn a_point_written_twice_is_recorded_once(place: &impl Place) {
    let store = place.open().await;
    published(&*store, 1, &[("2026-01-01", "1"), ("2026-02-01", "2")]).await;
    let rows = |rows: &[(&str, &str)]| {
        PublicationItem::Rows(Records::Rates(rows.iter().map(|(on, value)| rate(on, value)).collect()))
    };
    let writes = vec![
        rows(&[("2026-01-01", "1.5"), ("2026-01-01", "1.6"), ("2026-02-01", "2.5"), ("2026-03-01", "3")]),
        rows(&[("2026-01-01", "1.7"), ("2026-02-01", "2"), ("2026-03-01", "3.1")]),
        PublicationItem::Commit,
    ];
    let edition = send(&*store, publication_at(2), writes).await.unwrap().edition;
    assert_eq!(
        recorded(&*store).await.rows,
        [
            revision(edition, 2, None, rate("2026-03-01", "3.1")),
            revision(edition, 2, Some(rate("2026-01-01", "1")), rate("2026-01-01", "1.7")),
        ],
        "what ended as it began is no revision"
    );
}

pub(crate) async fn an_abandoned_publication_is_not_recorded(place: &impl Place) {
    let store = place.open().await;
    published(&*store, 1, &[("2026-01-01", "1")]).await;
    let abandoned = vec![PublicationItem::Rows(Records::Rates(vec![rate("2026-01-01", "2")]))];
    send(&*store, publication_at(2), abandoned.clone()).await.unwrap_err();
    assert_eq!(recorded(&*store).await, Recorded { since: Some(at(1)), rows: vec![] });
    let again = [abandoned, vec![PublicationItem::Commit]].concat();
    let edition = send(&*store, publication_at(3), again).await.unwrap().edition;
    let expected = revision(edition, 3, Some(rate("2026-01-01", "1")), rate("2026-01-01", "2"));
    assert_eq!(recorded(&*store).await.rows, [expected], "run again, it is recorded once");
}

pub(crate) async fn samples_are_not_recorded(place: &impl Place) {
    let store = place.open().await;
    let sample = |second| Publication { sample: true, ..publication_at(second) };
    for (second, value) in [(1, "1"), (2, "2")] {
        publish(&*store, sample(second), Records::Rates(vec![rate("2026-01-01", value)])).await.unwrap();
        assert_eq!(recorded(&*store).await, Recorded::default());
    }
    let official = Publication { replace: true, ..publication_at(3) };
    publish(&*store, official, Records::Rates(vec![rate("2026-01-01", "3")])).await.unwrap();
    assert_eq!(recorded(&*store).await, Recorded { since: Some(at(3)), rows: vec![] });
    published(&*store, 4, &[("2026-01-01", "4")]).await;
    assert_eq!(recorded(&*store).await.rows.len(), 1);
}

pub(crate) async fn replacing_all_rows_restarts_the_recording(place: &impl Place) {
    let store = place.open().await;
    for (second, value) in [(1, "1"), (2, "2")] {
        published(&*store, second, &[("2026-01-01", value)]).await;
    }
    let replacing = Publication { replace: true, ..publication_at(3) };
    publish(&*store, replacing, Records::Rates(vec![rate("2026-01-01", "3")])).await.unwrap();
    assert_eq!(recorded(&*store).await, Recorded { since: Some(at(3)), rows: vec![] });
}

pub(crate) async fn a_first_history_in_parts_is_not_recorded_as_additions(place: &impl Place) {
    let store = place.open().await;
    for (second, on) in [(1, "2026-01-01"), (2, "2026-02-01")] {
        let part =
            vec![PublicationItem::Rows(Records::Rates(vec![rate(on, "1")])), PublicationItem::CommitPart];
        send(&*store, publication_at(second), part).await.unwrap();
    }
    published(&*store, 3, &[("2026-03-01", "1")]).await;
    assert_eq!(recorded(&*store).await, Recorded { since: Some(at(3)), rows: vec![] });
    published(&*store, 4, &[("2026-04-01", "1")]).await;
    let told = recorded(&*store).await;
    assert_eq!((told.since, told.rows.len()), (Some(at(3)), 1));
}

pub(crate) async fn companies_and_filings_are_not_recorded(place: &impl Place) {
    let store = place.open().await;
    for version in 1..3 {
        let filing = lastro_model::Filing { version, ..filing(1, "2026-10-30") };
        publish(&*store, publication(Source::Filings), Records::Filings(vec![filing])).await.unwrap();
    }
    for source in [Source::Filings, Source::Companies] {
        assert_eq!(store.revisions(source).await.unwrap(), Recorded::default());
    }
}

/// A replica of the previous version publishes without writing to the recording's tables.
pub(crate) async fn recording_restarts_after_an_older_version_publishes(place: &impl Place) {
    let store = place.open().await;
    published(&*store, 1, &[("2026-01-01", "1")]).await;
    published(&*store, 2, &[("2026-01-01", "2")]).await;
    let (name, time) = (SERIES.name(), at(3).as_millisecond());
    place.change(&format!(
        "UPDATE rate SET value = '3' WHERE series = '{name}';
        UPDATE counter SET value = value + 1 WHERE name = 'edition';
        UPDATE source_state SET edition = (SELECT value FROM counter WHERE name = 'edition'), published_at = {time}
            WHERE source = '{name}'"
    ));
    let told = recorded(&*store).await;
    assert_eq!((told.since, told.rows.len()), (Some(at(3)), 1), "what was known before is still true");
    let edition = published(&*store, 4, &[("2026-01-01", "4")]).await;
    let told = recorded(&*store).await;
    assert_eq!(told.since, Some(at(3)));
    let expected = revision(edition, 4, Some(rate("2026-01-01", "3")), rate("2026-01-01", "4"));
    assert_eq!((told.rows.len(), told.rows[0]), (2, expected));
}

pub(crate) async fn recording_waits_for_an_edition_with_a_known_time(place: &impl Place) {
    let store = place.open().await;
    published(&*store, 1, &[("2026-01-01", "1")]).await;
    place.change(&format!("UPDATE source_state SET published_at = 0 WHERE source = '{}'", SERIES.name()));
    assert_eq!(recorded(&*store).await, Recorded::default());
    published(&*store, 2, &[("2026-01-01", "2")]).await;
    assert_eq!(recorded(&*store).await, Recorded { since: Some(at(2)), rows: vec![] });
}

pub(crate) async fn earlier_states_can_be_rebuilt_from_revisions(place: &impl Place) {
    let store = place.open().await;
    let mut random = fastrand::Rng::with_seed(13);
    let (mut held, mut states) = (BTreeMap::<Day, String>::new(), Vec::new());
    for second in 1..40 {
        let rows: Vec<RatePoint> = (0..random.usize(1..8))
            .map(|_| RatePoint {
                day: day("2026-01-01").plus_days(random.i32(0..12)),
                value: decimal(&random.u32(0..4).to_string()),
            })
            .collect();
        held.extend(rows.iter().map(|row| (row.day, row.value.to_string())));
        publish(&*store, publication_at(second), Records::Rates(rows)).await.unwrap();
        states.push((at(second), held.clone()));
    }
    let told = recorded(&*store).await;
    assert_eq!(told.since, Some(at(1)));
    for (time, state) in states {
        assert_eq!(undone(&held, &told.rows, time), state, "at {time}");
    }
}

/// The values held at a time, reconstructed from the current values and the revisions since.
fn undone(held: &BTreeMap<Day, String>, rows: &[Revision], time: Timestamp) -> BTreeMap<Day, String> {
    let mut held = held.clone();
    for row in rows.iter().take_while(|row| row.at > time) {
        match (row.old, row.new) {
            (Some(Point::Rate(old)), _) => held.insert(old.day, old.value.to_string()),
            (_, Some(new)) => held.remove(&new.day()),
            _ => panic!("neither old nor new: {row:?}"),
        };
    }
    held
}

pub(crate) async fn concurrent_publications_are_recorded_in_order(place: &impl Place) {
    let handles = [place.open().await, place.open().await];
    published(&*handles[0], 0, &[("2026-01-01", "0")]).await;
    let publishing = (1..=8usize).map(|number| {
        let store = Arc::clone(&handles[number % 2]);
        tokio::spawn(async move { published(&*store, 1, &[("2026-01-01", &number.to_string())]).await })
    });
    for publishing in publishing.collect::<Vec<_>>() {
        publishing.await.unwrap();
    }
    let rows = recorded(&*handles[0]).await.rows;
    assert_eq!(rows.len(), 8);
    assert!(rows.windows(2).all(|pair| pair[0].old == pair[1].new && pair[0].edition > pair[1].edition));
    assert_eq!(rows.last().and_then(|row| row.old), Some(rate("2026-01-01", "0").into()));
}
