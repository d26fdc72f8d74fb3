//! `lastro demo`: the same data for the same seed, never over official data, visible in a running server.

use lastro_model::{Records, Series, Source};
use lastro_sample as sample;
use lastro_store::{Condition, Publication, PublicationItem};
use serde_json::Value;

use super::{Home, eventually};

/// Every filing that a server with this demo shows.
async fn filings_of(seed: &str) -> Vec<Value> {
    let home = Home::new();
    home.must(&["demo", "--companies", "40", "--filings", "1500", "--seed", seed]);
    let key = home.new_key("gold", &[]);
    let server = home.serve(&[]);
    let mut all = Vec::new();
    for offset in [0, 1000] {
        let path = format!("/api/v1/filings?limit=1000&offset={offset}");
        let (status, page) = server.get(&path, Some(&key)).await;
        assert_eq!((status, &page["total"]), (200, &1500.into()));
        all.extend(page["data"].as_array().unwrap().iter().cloned());
    }
    all
}

#[tokio::test]
async fn the_same_seed_makes_the_same_filings() {
    let (one, again, other) = (filings_of("7").await, filings_of("7").await, filings_of("8").await);
    assert_eq!(one.len(), 1500);
    assert!(one == again, "two runs of one seed differ");
    assert!(one != other, "the seed changes nothing");
}

#[tokio::test]
async fn official_data_is_never_replaced() {
    let home = Home::new();
    let store = lastro_store::open(&home.url()).await.unwrap();
    let (sender, rows) = tokio::sync::mpsc::channel(2);
    sender.send(PublicationItem::Rows(Records::Rates(sample::rates(Series::Selic, 1)))).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let at = jiff::Timestamp::UNIX_EPOCH;
    let official = Publication {
        source: Source::Series(Series::Selic),
        sample: false,
        replace: true,
        at,
        condition: Condition::None,
    };
    store.publish(official, rows).await.unwrap();
    let finished = home.run(&["demo", "--filings", "10"]);
    assert!(!finished.succeeded());
    assert!(finished.stderr.contains("holds official data"), "{}", finished.stderr);
    let states = store.source_states().await.unwrap();
    assert!(states.iter().all(|state| !state.sample), "{states:?}");
}

#[tokio::test]
async fn a_running_server_shows_the_new_edition() {
    let home = Home::new();
    let server = home.serve(&[]);
    let key = home.new_key("gold", &["--rate-limit", "100000"]);
    let (_, before) = server.get("/api/v1/filings?limit=1", Some(&key)).await;
    home.must(&["demo", "--companies", "50", "--filings", "900", "--seed", "9"]);
    let total = async |path: &str| server.get(path, Some(&key)).await.1["total"].as_u64();
    assert_ne!(before["total"], 900);
    assert!(eventually(async || total("/api/v1/filings").await == Some(900)).await);
    assert_eq!(total("/api/v1/companies").await, Some(50));
}
