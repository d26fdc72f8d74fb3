//! Database files with flipped bits: reads return what was written, or an error.

use std::path::{Path, PathBuf};

use lastro_model::{Company, Filing, Records, Series, Source};
use lastro_store::{Store, StoreError, open};

use crate::conformance::Place;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

const SELIC: Source = Source::Series(Series::Selic);
const SOURCES: [Source; 5] = [SELIC, Source::Fx, Source::Companies, Source::Filings, Source::Tickers];

/// A database with a few rows of every source, and some keys.
async fn filled() -> TemporaryFile {
    let place = TemporaryFile::new();
    let store = place.open().await;
    let day = |n: u32| format!("2026-{:02}-{:02}", 1 + n / 28, 1 + n % 28);
    let rows = [
        Records::Rates((0..150).map(|n| rate(&day(n), &format!("14.{n}"))).collect()),
        Records::Fx((0..150).map(|n| quote(&day(n), "USD/BRL", &format!("5.1{n}"), "5.2")).collect()),
        Records::Companies((0..80).map(|n| Company { sector: Some(day(n)), ..company(n) }).collect()),
        Records::Filings((0..150).map(|n| filing(n, "2026-10-30")).collect()),
        Records::Tickers(
            (0..80).map(|n| traded_security(&format!("PET{}3", (b'A' + n as u8 % 26) as char), n)).collect(),
        ),
    ];
    for (source, rows) in SOURCES.into_iter().zip(rows) {
        publish(&*store, publication(source), rows).await.unwrap();
    }
    for number in 0..30 {
        store.insert_key(new_key(number)).await.unwrap();
    }
    place
}

fn accounts(place: &TemporaryFile) -> PathBuf {
    format!("{}.accounts", place.path().display()).into()
}

/// All rows of each source, sorted: whoever reads them sorts them, too.
async fn everything(store: &dyn Store) -> Result<Vec<Vec<String>>, StoreError> {
    let mut read = Vec::new();
    for source in SOURCES {
        let mut rows: Vec<String> = all(store, source).await?.1.into_iter().flat_map(texts).collect();
        rows.sort_unstable();
        read.push(rows);
    }
    Ok(read)
}

fn texts(batch: Records) -> Vec<String> {
    fn of<R: std::fmt::Debug>(rows: &[R]) -> Vec<String> {
        rows.iter().map(|row| format!("{row:?}")).collect()
    }
    match batch {
        Records::Rates(rows) => of(&rows),
        Records::Fx(rows) => of(&rows),
        Records::Companies(rows) => of(&rows),
        Records::Filings(rows) => of(&rows),
        Records::Tickers(rows) => of(&rows),
        Records::FormerNames(rows) => of(&rows),
    }
}

/// The file with some bits flipped, the same ones in every run.
fn flipped(bytes: &[u8], seed: u64) -> Vec<u8> {
    let (mut bytes, mut random) = (bytes.to_vec(), fastrand::Rng::with_seed(seed));
    for _ in 0..random.usize(1..4) {
        let place = random.usize(..bytes.len());
        bytes[place] ^= 1 << random.u8(..8);
    }
    bytes
}

/// Opens the database without its logs, which do not belong to these bytes.
async fn opened(place: &TemporaryFile) -> Result<std::sync::Arc<dyn Store>, StoreError> {
    for path in [place.path(), accounts(place)] {
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
    open(&place.url()).await
}

#[tokio::test]
async fn flipped_data_bits_are_detected_or_harmless() {
    let place = filled().await;
    let (written, bytes) =
        (everything(&*place.open().await).await.unwrap(), std::fs::read(place.path()).unwrap());
    let beside = std::fs::read(accounts(&place)).unwrap();
    let mut refused = 0;
    for seed in 0..200 {
        std::fs::write(place.path(), flipped(&bytes, seed)).unwrap();
        std::fs::write(accounts(&place), &beside).unwrap();
        let read = match opened(&place).await {
            Ok(store) => everything(&*store).await,
            Err(refusal) => Err(refusal),
        };
        match read {
            Ok(read) => assert!(read == written, "seed {seed}"),
            Err(_) => refused += 1,
        }
    }
    assert!((20..200).contains(&refused), "{refused} were refused");
}

#[tokio::test]
async fn flipped_account_bits_leave_the_data_readable() {
    let place = filled().await;
    let bytes = std::fs::read(accounts(&place)).unwrap();
    let mut read = 0;
    for seed in 0..50 {
        std::fs::write(accounts(&place), flipped(&bytes, seed)).unwrap();
        let Ok(store) = opened(&place).await else { continue };
        read += usize::from(store.list_keys().await.is_ok());
        assert!(everything(&*store).await.is_ok(), "the data is another file");
    }
    assert!(read > 0);
}

/// Replaces a text in the file by another of the same length.
fn replace(path: &Path, old: &str, new: &str) {
    let mut bytes = std::fs::read(path).unwrap();
    let places: Vec<_> =
        bytes.windows(old.len()).enumerate().filter(|(_, text)| *text == old.as_bytes()).collect();
    let place = places.first().expect("the text is there").0;
    bytes[place..place + new.len()].copy_from_slice(new.as_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_changed_but_valid_number_is_damage() {
    let place = filled().await;
    replace(&place.path(), "14.77", "14.97");
    let damage = all(&*place.open().await, SELIC).await.unwrap_err();
    assert!(damage.to_string().contains("selic is not as it was written"), "{damage}");
    assert!(all(&*place.open().await, Source::Fx).await.is_ok(), "others can be read");
}

#[tokio::test]
async fn changed_filings_are_checked_too() {
    let place = filled().await;
    let before = state_of(&*place.open().await, Source::Filings).await.edition;
    let changed = Filing { description: "Eleição".to_owned(), ..filing(7, "2026-10-30") };
    publish(&*place.open().await, publication(Source::Filings), Records::Filings(vec![changed]))
        .await
        .unwrap();
    place.change("UPDATE filing SET description = 'Eleicao' WHERE id = '7'");
    let mut loaded = place.open().await.changes(Source::Filings, before).await.unwrap().unwrap();
    assert!(matches!(loaded.rows.recv().await, Some(Err(StoreError::Corrupt { .. }))));
}

#[tokio::test]
async fn missing_rows_are_detected() {
    let place = filled().await;
    place.change("DELETE FROM fx WHERE day = 20500");
    let damage = all(&*place.open().await, Source::Fx).await.unwrap_err();
    assert!(damage.to_string().contains("fx has 149 rows, and 150 were published"), "{damage}");
}

#[tokio::test]
async fn publishing_again_repairs_damaged_rows() {
    let place = filled().await;
    place.change(
        "UPDATE rate SET value = '99' WHERE day = 20500; UPDATE rate SET checksum = 7 WHERE day = 20501",
    );
    let store = place.open().await;
    assert!(all(&*store, SELIC).await.is_err());
    let day = |n: i32| lastro_model::Day::from_number(n).unwrap().to_string();
    let again = [rate(&day(20500), "14.46"), rate(&day(20501), "14.47")];
    publish(&*store, publication(SELIC), Records::Rates(again.to_vec())).await.unwrap();
    assert!(all(&*store, SELIC).await.is_ok());
}

#[tokio::test]
async fn rows_without_a_checksum_are_read() {
    let place = filled().await;
    let written = everything(&*place.open().await).await.unwrap();
    for table in ["rate", "fx", "company", "filing", "traded_security"] {
        place.change(&format!("UPDATE {table} SET checksum = NULL"));
    }
    let store = place.open().await;
    assert!(everything(&*store).await.unwrap() == written);
    let known = publish(&*store, publication(SELIC), Records::Rates(vec![rate("2026-01-01", "14.0")])).await;
    assert_eq!(known.unwrap().changed, 0, "what is the same is no change");
}

#[tokio::test]
async fn inconsistent_account_pages_are_rejected() {
    let place = filled().await;
    let mut bytes = std::fs::read(accounts(&place)).unwrap();
    let pages = bytes.len() / 4096;
    // The page header holds the offset of its cells.
    for page in 1..pages {
        bytes[page * 4096 + 5] ^= 0x40;
    }
    std::fs::write(accounts(&place), bytes).unwrap();
    let refusal = open(&place.url()).await.unwrap_err();
    assert!(matches!(&refusal, StoreError::Corrupt { what } if what.contains(".accounts")), "{refusal}");
}
