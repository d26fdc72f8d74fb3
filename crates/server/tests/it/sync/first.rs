//! A first synchronisation: the sample is replaced source by source, and the new data equals what was published.

use std::sync::Arc;

use futures_util::future::join_all;
use lastro_ingest::sync::{Reach, Synchronizer};
use lastro_model::{Edition, Plan, Series, Source};

use super::Stage;
use crate::publisher::{PERSONS, Trouble};

#[tokio::test]
async fn each_source_replaces_its_own_sample_and_no_other() {
    let stage = Stage::set().await;
    let served: Vec<Source> = Source::ALL.to_vec();
    for (done, source) in served.iter().copied().enumerate() {
        stage.run(source).await.unwrap();
        stage.caught_up().await;
        let health = stage.json("/health").await;
        let samples = health["sources"].as_array().unwrap().iter().map(|source| source["sample"] == true);
        let expected = (0..served.len()).map(|place| place > done);
        assert!(samples.eq(expected), "after {source}: {health}");
        assert_eq!(health["sample"], done + 1 < served.len());
    }
}

#[tokio::test]
async fn every_value_equals_the_published_one() {
    let stage = Stage::synchronised().await;
    stage.shows(&stage.publisher.publisher_data()).await;
    let publisher_data = stage.publisher.publisher_data();
    let (oldest, _) = publisher_data.series[&432].first_key_value().unwrap();
    let path = format!("/api/v1/market/selic?from={oldest}&limit=1");
    let free = stage.app.ample_key(Plan::Free).await;
    stage.app.get(&path).key(&free).send().await.expect(403);
    stage.app.get(&path).key(&stage.key).send().await.expect(200);
    for source in Source::ALL {
        let health = stage.health(source).await;
        assert_eq!((&health["last_error"], &health["stale"]), (&().into(), &false.into()));
        assert_eq!(health["rejects"].as_u64().unwrap_or(0), 0);
    }
}

#[tokio::test]
async fn requests_are_limited_per_publisher_and_never_repeated() {
    let stage = Stage::synchronised().await;
    assert_eq!(stage.publisher.asked_again(), Vec::<String>::new());
    for host in ["sgs", "ptax", "cvm"] {
        assert!((1..=3).contains(&stage.publisher.most_at_once(host)), "{host}");
    }
}

/// The numbers are stated in docs/data.md.
#[tokio::test]
async fn first_and_second_runs_make_the_documented_requests() {
    let stage = Stage::set().await;
    let sync = stage.sync().await;
    let run = async |source| sync.run(source, Reach::Recent).await;
    let series = || Series::ALL.into_iter().map(|series| Box::pin(run(series.into())));
    assert!(join_all(series()).await.iter().all(Result::is_ok));
    assert_eq!(stage.publisher.asked("sgs:"), 373);
    let order = stage.publisher.codes_in_order();
    let table: Vec<u32> = Series::ALL.iter().map(|series| series.about().code).collect();
    let place = |code: &u32| table.iter().position(|other| other == code).unwrap();
    // Three run at once, so one may overtake two.
    assert!((0..).zip(&order).all(|(asked, code)| place(code).abs_diff(asked) <= 2), "{order:?}");
    stage.publisher.forget();
    assert!(join_all(series()).await.iter().all(Result::is_ok));
    assert_eq!(stage.publisher.asked("sgs:"), Series::ALL.len());
}

/// `lastro sync` gives up on the publisher, not on each of its series.
#[tokio::test]
async fn an_unreachable_publisher_is_tried_by_few_series() {
    let stage = Stage::set().await;
    stage.publisher.trouble("sgs:", Trouble::Later(503, 3600));
    for (source, result) in stage.run_all().await {
        let Source::Series(_) = source else { continue };
        let sentence = result.unwrap_err().to_string();
        assert!(sentence.contains("the publisher answered status 503"), "{source}: {sentence}");
    }
    // When the third has failed, two others may be running.
    let asked = stage.publisher.codes_in_order();
    assert!((3..=5).contains(&asked.len()), "{asked:?}");
    assert!(stage.publisher.asked("ptax:") > 0 && stage.publisher.asked("cvm:") > 0);
}

#[tokio::test]
async fn no_person_of_the_registry_is_in_any_file_of_ours() {
    let stage = Stage::synchronised().await;
    assert!(
        stage
            .publisher
            .publisher_data()
            .registry()
            .windows(20)
            .any(|part| part == &PERSONS[0].as_bytes()[..20])
    );
    for entry in std::fs::read_dir(stage.app.directory.path()).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_file(), "{} is left", path.display());
        let bytes = std::fs::read(&path).unwrap();
        for person in PERSONS {
            let found = bytes.windows(person.len()).any(|part| part.eq_ignore_ascii_case(person.as_bytes()));
            assert!(!found, "{person} is in {}", path.display());
        }
    }
}

#[tokio::test]
async fn no_sample_is_added_to_official_data() {
    let directory = tempfile::tempdir().unwrap();
    let store = lastro_store::open(&crate::app::database(&directory)).await.unwrap();
    let stage = Stage::set().await;
    let sync = Synchronizer { store: Arc::clone(&store), ..stage.sync().await };
    sync.run(Source::Fx, Reach::Recent).await.unwrap();
    lastro::sample::fill_if_empty(&*store, stage.app.timestamp()).await.unwrap();
    for state in store.source_states().await.unwrap() {
        assert_eq!(state.edition == Edition(0), state.source != Source::Fx, "{state:?}");
        assert!(!state.sample);
    }
}
