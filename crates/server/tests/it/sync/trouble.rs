//! Bad days of the publishers, one by one: the server continues as before, and reports why it is not fresher.

use std::time::Duration;

use lastro_ingest::result::SyncError;
use lastro_model::{Series, Source};
use lastro_store::RecordStore;

use super::{Stage, TODAY, day, told_of};
use crate::publisher::{BadDay, PublisherData, Trouble, at_the_source, on_the_way, without_end};

const SELIC: &str = "bcdata.sgs.432/";
const BULLETINS: &str = "CotacaoMoedaPeriodo(";
const CAD: &str = "cad_cia_aberta.csv";
const IPE: &str = "ipe_cia_aberta_2026.zip";

async fn endure(stage: &Stage, held: &PublisherData, before: &[String], round: Vec<BadDay>) {
    let health_before = stage.json("/health").await;
    round.iter().for_each(|bad_day| bad_day.strike(&stage.publisher, day(TODAY)));
    stage.app.advance_seconds(600);
    for (source, result) in stage.run_watched().await {
        let struck = round.iter().find(|bad_day| bad_day.source == source);
        let (name, kind) = struck.map_or(("no trouble", "ok"), |bad_day| (bad_day.name, bad_day.kind));
        let came_to = result.as_ref().map_or_else(SyncError::kind, |_| "ok");
        assert_eq!(came_to, kind, "{source}: {name}: {result:?}");
    }
    stage.caught_up().await;
    assert!(stage.everything().await == before, "{}: an answer changed", round[0].name);
    for BadDay { name, source, told, .. } in &round {
        let health = stage.health(*source).await;
        let sentence = health["last_error"].as_str().unwrap_or_default();
        let short = !sentence.contains('\n') && sentence.len() < 300;
        assert!(sentence.contains(told) && short, "{source}: {name}: {sentence}");
        assert_eq!(
            health["newest_date"],
            told_of(&health_before, *source)["newest_date"],
            "{source}: {name}"
        );
        assert_eq!(health["last_attempt"], stage.app.timestamp().to_string(), "{source}: {name}");
        assert_ne!(health["last_success"], health["last_attempt"], "{source}: {name}");
    }

    stage.publisher.restore(held);
    for BadDay { name, source, .. } in &round {
        let mended = stage.run(*source).await.unwrap();
        assert_eq!((mended.added, mended.changed), (0, 0), "{source}: {name}");
    }
    let states = stage.app.faults.source_states().await.unwrap();
    assert!(states.iter().all(|state| state.last_error.is_none()), "{states:?}");
}

#[tokio::test]
async fn invalid_responses_change_no_response_of_ours() {
    let stage = Stage::synchronised().await;
    let (held, before) = (stage.publisher.publisher_data(), stage.everything().await);
    for round in on_the_way(day(TODAY)) {
        endure(&stage, &held, &before, round).await;
    }
}

#[tokio::test]
async fn implausible_data_changes_no_response_of_ours() {
    let stage = Stage::synchronised().await;
    let (held, before) = (stage.publisher.publisher_data(), stage.everything().await);
    for round in at_the_source(&held, day(TODAY)) {
        endure(&stage, &held, &before, round).await;
    }
}

#[tokio::test]
async fn an_endless_response_times_out() {
    let mut stage = Stage::synchronised().await;
    stage.retries.timeout = Duration::from_millis(400);
    let (held, before) = (stage.publisher.publisher_data(), stage.everything().await);
    for round in without_end(day(TODAY)) {
        endure(&stage, &held, &before, round).await;
    }
}

#[tokio::test]
async fn an_oversized_response_is_not_read_to_its_end() {
    let mut stage = Stage::synchronised().await;
    stage.retries.timeout = Duration::from_secs(60);
    for (source, part) in
        [(Source::Series(Series::Selic), SELIC), (Source::Fx, BULLETINS), (Source::Filings, IPE)]
    {
        stage.publisher.trouble(part, Trouble::Endless);
        let error = stage.run(source).await.unwrap_err();
        assert!(error.to_string().contains("larger than any real answer"), "{source}: {error}");
    }
}

#[tokio::test]
async fn temporary_trouble_is_retried() {
    let stage = Stage::set().await;
    for (part, trouble) in [
        ("sgs:", Trouble::Status(502)),
        ("ptax:", Trouble::Page),
        (CAD, Trouble::Cut),
        (IPE, Trouble::Later(429, 0)),
    ] {
        stage.publisher.trouble_times(part, trouble, 2);
    }
    for (source, result) in stage.run_all().await {
        assert!(result.is_ok(), "{source}: {result:?}");
    }
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn client_errors_are_not_retried() {
    let stage = Stage::synchronised().await;
    for (source, part, status) in [
        (Source::Series(Series::Selic), SELIC, 400),
        (Source::Series(Series::Selic), SELIC, 406),
        (Source::Fx, BULLETINS, 400),
        (Source::Companies, CAD, 403),
    ] {
        stage.publisher.forget();
        stage.publisher.trouble(part, Trouble::Status(status));
        let error = stage.run(source).await.unwrap_err();
        assert_eq!(stage.publisher.asked_again(), Vec::<String>::new(), "{source}: {error}");
        stage.publisher.mend();
    }
}

/// An empty year between others would leave a gap that is never requested again.
#[tokio::test]
async fn an_empty_year_in_a_first_synchronisation_is_rejected() {
    let stage = Stage::set().await;
    stage.publisher.change(|publisher_data| {
        publisher_data.fill_rates(day("2021-01-01"), day(TODAY));
        publisher_data.series.get_mut(&432).unwrap().retain(|day, _| day.year() != 2023);
    });
    let error = stage.run(Source::Series(Series::Selic)).await.unwrap_err();
    assert!(error.to_string().contains("no values from 2023-01-01 to 2023-12-31"), "{error}");
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Series(Series::Selic)).await["sample"], true);
}
