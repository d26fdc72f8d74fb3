//! Applying the changes since any remembered edition gives the same rows as a full load.

use std::collections::BTreeMap;

use lastro_model::{Edition, Filing, FilingId, Records, Source};
use lastro_store::{Publication, Store};
use proptest::prelude::*;

use crate::conformance::Place;
use crate::postgres::TemporaryDatabase;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

type Held = BTreeMap<FilingId, Filing>;

/// A publication: the ids and days of its rows, and whether it replaces all others.
type Step = (Vec<(u64, i32)>, bool);

fn row((id, later): (u64, i32)) -> Filing {
    Filing { delivered_on: day("2026-10-01").plus_days(later), ..filing(id, "2026-10-01") }
}

fn by_id(rows: Vec<Filing>) -> Held {
    rows.into_iter().map(|row| (row.id, row)).collect()
}

async fn every_edition_catches_up(store: &dyn Store, steps: Vec<Step>) {
    let mut held = BTreeMap::<Edition, Held>::new();
    for (rows, replace) in steps {
        let publication = Publication { replace, ..publication(Source::Filings) };
        let rows = Records::Filings(rows.into_iter().map(row).collect());
        let edition = publish(store, publication, rows).await.unwrap().edition;
        let whole = by_id(filings(store).await);
        held.insert(edition, whole.clone());
        let state = state_of(store, Source::Filings).await;
        let newest = whole.values().map(|row| row.delivered_on).max();
        assert_eq!((state.rows, state.newest_day), (whole.len() as u64, newest));
        for remembered in store.remembered_editions(Source::Filings).await.unwrap() {
            let mut caught_up = held[&remembered.edition].clone();
            let (reached, changed) = changes(store, remembered.edition).await.unwrap();
            caught_up.extend(by_id(changed));
            assert_eq!((reached, &caught_up), (edition, &whole));
        }
    }
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (prop::collection::vec((0u64..9, 0i32..4), 0..6), prop::bool::weighted(0.1));
    prop::collection::vec(step, 1..most)
}

fn on(place: &impl Place, steps: Vec<Step>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async { every_edition_catches_up(&*place.open().await, steps).await });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn changes_since_any_edition_give_the_current_one(steps in steps(9)) {
        on(&TemporaryFile::new(), steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn changes_on_a_server_give_the_current_edition(steps in steps(9)) {
        on(&TemporaryDatabase::new(), steps);
    }
}
