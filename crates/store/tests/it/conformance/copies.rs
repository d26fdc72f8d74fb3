//! A copy that follows the log equals what is stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lastro_model::{
    Company, FormerName, Records, Series, Source, TradedSecurity, current_holders, latest_first,
};
use lastro_store::{Change, ListedFile, Publication, PublicationItem, ShownRow, Store};
use tokio::sync::mpsc;

use super::Place;
use super::log::{SELIC, log, publication_at, publish_file, publish_year};
use crate::specimen::*;

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
                publish_forms(store, second, claims(&mut random), names).await;
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
    let (mut former_names, mut securities) = (Vec::new(), Vec::new());
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
                Records::Tickers(rows) => securities.extend(rows),
                Records::Companies(companies) => {
                    let listed: Vec<_> = companies
                        .into_iter()
                        .zip(histories)
                        .filter(|(_, history)| !history.is_withdrawn())
                        .collect();
                    let is_listed = |id| listed.iter().any(|(company, _)| company.id == id);
                    let holders = current_holders(&securities, is_listed);
                    rows.extend(listed.into_iter().map(|(company, history)| {
                        let id = company.id;
                        let names = latest_first(&former_names).into_iter();
                        let former_names = names.filter(|name| name.company_id == id);
                        let former_names = former_names.map(|name| name.name.clone()).collect();
                        let tickers = holders.iter().filter(|(_, holder)| **holder == id);
                        let tickers = tickers.map(|(ticker, _)| *ticker).collect();
                        let shown = lastro_store::ShownCompany { company, history, tickers, former_names };
                        (format!("company {id}"), ShownRow::Company(Box::new(shown)))
                    }));
                }
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

/// Publishes registration forms, which replace those before.
async fn publish_forms(
    store: &dyn Store,
    second: i64,
    securities: Vec<TradedSecurity>,
    names: Vec<FormerName>,
) {
    let all = Publication { replace: true, ..publication_at(Source::Tickers, second) };
    let items = vec![
        PublicationItem::Rows(Records::Tickers(securities)),
        PublicationItem::Rows(Records::FormerNames(names)),
        PublicationItem::Commit,
    ];
    send(store, all, items).await.unwrap();
}

/// Two tickers, each claimed by any of four companies.
fn claims(random: &mut fastrand::Rng) -> Vec<TradedSecurity> {
    let mut claims = Vec::new();
    for ticker in ["PETR4", "VALE3"] {
        for company in (1..5).filter(|_| random.bool()) {
            let reference_day = day(&format!("2026-01-0{company}"));
            claims.push(TradedSecurity { reference_day, ..traded_security(ticker, company) });
        }
    }
    claims
}

/// Publications of the registry and of the tickers change the same companies, at the same time.
pub(crate) async fn a_registry_and_tickers_published_at_once_are_told_once(place: &impl Place) {
    let (store, other) = (place.open().await, place.open().await);
    let registry = |name: &str| {
        let named = Company { name: name.to_owned(), ..company(1) };
        Records::Companies(vec![named, company(2)])
    };
    publish_file(&*store, 1, registry("N0"), ListedFile::Registry).await;
    publish_forms(&*store, 2, vec![traded_security("PETR4", 1)], Vec::new()).await;
    let (mut copy, seen) = (Copy(stored(&*store).await), log(&*store).await.len());
    let (sender, rows) = mpsc::channel(1);
    let slow = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.publish(publication_at(Source::Companies, 3), rows).await }
    });
    // The third is taken once the companies have been read as they were before.
    for name in ["N1", "N2", "N3"] {
        sender.send(PublicationItem::Rows(registry(name))).await.unwrap();
    }
    let tickers = async move {
        publish_forms(&*other, 4, vec![traded_security("PETR4", 2)], Vec::new()).await;
    };
    let tickers = tokio::spawn(tickers);
    tokio::time::sleep(Duration::from_millis(500)).await;
    sender.send(PublicationItem::Commit).await.unwrap();
    slow.await.unwrap().unwrap();
    tickers.await.unwrap();
    let changes = log(&*store).await.into_iter().skip(seen);
    changes.for_each(|logged| copy.follow(logged.change));
    assert_eq!(copy.0, stored(&*store).await);
}
