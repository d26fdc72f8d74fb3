//! A synchronisation of data already held: few requests, and new data is soon served.

use lastro_ingest::sync::Reach;
use lastro_model::{Series, Source};

use super::{Stage, TODAY, day};
use crate::app::soon;

#[tokio::test]
async fn a_second_run_makes_few_requests_and_changes_nothing() {
    let stage = Stage::synchronised().await;
    let (before, first) = (stage.everything().await, stage.publisher.asked(""));
    let editions = stage.app.elsewhere().await.counters().await.unwrap().editions;
    let remembered = stage.app.elsewhere().await.read_files(Source::Filings).await.unwrap();
    stage.publisher.forget();
    stage.app.advance_seconds(60);
    for (source, result) in stage.run_watched().await {
        let outcome = result.unwrap();
        assert_eq!((outcome.added, outcome.changed), (0, 0), "{source}");
    }
    let second = stage.publisher.asked("");
    assert!(second * 10 < first, "{second} requests after {first}");
    assert_eq!(stage.app.elsewhere().await.counters().await.unwrap().editions, editions);
    assert_eq!(stage.app.elsewhere().await.read_files(Source::Filings).await.unwrap(), remembered);
    assert!(remembered.iter().filter(|file| file.etag.is_some()).count() == 2, "{remembered:?}");
    stage.caught_up().await;
    assert!(stage.everything().await == before);
    let health = stage.health(Source::Filings).await;
    assert_eq!(health["last_success"], stage.app.timestamp().to_string());
}

#[tokio::test]
async fn absent_years_are_requested_once_in_thirty_days() {
    let stage = Stage::synchronised().await;
    let mut asked = Vec::new();
    for _ in 0..30 {
        stage.publisher.forget();
        stage.sync().await.run(Source::Filings, Reach::Recent).await.unwrap();
        asked.push(["2024", "2025", "2026"].map(|year| stage.publisher.asked(&format!("_{year}.zip"))));
        stage.app.advance_seconds(86_400);
    }
    assert_eq!(asked.iter().filter(|[absent, ..]| *absent == 1).count(), 1, "{asked:?}");
    assert!(asked.iter().all(|[_, last_year, this_year]| (*last_year, *this_year) == (1, 1)), "{asked:?}");
}

#[tokio::test]
async fn new_and_revised_values_are_served() {
    let stage = Stage::synchronised().await;
    stage.publisher.change(|publisher_data| {
        let selic = publisher_data.series.get_mut(&432).unwrap();
        let newest = *selic.last_key_value().unwrap().0;
        selic.insert(newest.plus_days(-4), "12.75".into());
        selic.insert(newest, "12.5000".into());
        let cdi = publisher_data.series.get_mut(&4389).unwrap();
        cdi.remove(&newest);
        let company = publisher_data.companies[3].clone();
        publisher_data.companies[4].name = "NOME NOVO DA COMPANHIA S.A.".into();
        let mut again = crate::publisher::filing(&company, 2_000_000, day(TODAY));
        again.version = 2;
        publisher_data.filings.get_mut(&2026).unwrap().push(again);
    });
    for source in [Source::Series(Series::Selic), Source::Companies, Source::Filings] {
        stage.run(source).await.unwrap();
    }
    soon(async || {
        stage.text("/api/v1/market/selic/current").await == r#"{"date":"2026-11-02","value":12.5000}"#
    })
    .await;
    stage.caught_up().await;
    assert_eq!(stage.json("/api/v1/filings/2000000").await["version"], 2);
    let mut publisher_data = stage.publisher.publisher_data();
    // A day that the publisher withdrew stays as published.
    publisher_data.series.get_mut(&4389).unwrap().insert(day(TODAY), {
        let cdi = stage.json("/api/v1/market/cdi/current").await;
        assert_eq!(cdi["date"], TODAY);
        stage
            .text("/api/v1/market/cdi/current")
            .await
            .rsplit_once(':')
            .unwrap()
            .1
            .trim_end_matches('}')
            .to_owned()
    });
    stage.shows(&publisher_data).await;
}

#[tokio::test]
async fn rows_that_cannot_be_read_are_counted_and_listed() {
    let stage = Stage::synchronised().await;
    stage.publisher.change(|publisher_data| {
        publisher_data.broken_lines = vec!["too;few;fields".into()];
        publisher_data.series.get_mut(&433).unwrap().insert(day("2026-10-01"), "0,41".into());
    });
    for source in [Source::Companies, Source::Filings, Source::Series(Series::Ipca)] {
        stage.run(source).await.unwrap();
        stage.run(source).await.unwrap();
    }
    stage.caught_up().await;
    for (source, count) in
        [(Source::Companies, 1), (Source::Filings, 2), (Source::Series(Series::Ipca), 1), (Source::Fx, 0)]
    {
        assert_eq!(stage.health(source).await["rejects"], count, "{source}");
        let listed = stage.app.elsewhere().await.rejects(source, 10).await.unwrap();
        assert_eq!(listed.len(), count, "{source}");
    }
    let listed = stage.app.elsewhere().await.rejects(Source::Filings, 10).await.unwrap();
    assert_eq!((&*listed[0].file, listed[0].line), ("ipe_cia_aberta_2025.csv", 62));
    // Once the publisher has corrected the row, it is no longer counted.
    stage.publisher.change(|publisher_data| {
        publisher_data.series.get_mut(&433).unwrap().insert(day("2026-10-01"), "0.41".into());
    });
    stage.run(Source::Series(Series::Ipca)).await.unwrap();
    stage.caught_up().await;
    assert!(stage.health(Source::Series(Series::Ipca)).await["rejects"].is_null());
    assert_eq!(stage.health(Source::Series(Series::Ipca)).await["newest_date"], "2026-10-01");
}

#[tokio::test]
async fn texts_with_control_characters_become_rejects() {
    let stage = Stage::synchronised().await;
    let held = stage.publisher.publisher_data();
    stage.publisher.change(|publisher_data| {
        publisher_data.companies[4].name.insert(3, '\u{1b}');
        publisher_data.filings.get_mut(&2026).unwrap()[7].description.insert(3, '\0');
    });
    for (source, reason) in [(Source::Companies, "DENOM_SOCIAL"), (Source::Filings, "Assunto")] {
        assert_eq!(stage.run(source).await.unwrap().changed, 0, "{source}");
        let listed = stage.app.elsewhere().await.rejects(source, 10).await.unwrap();
        assert_eq!(listed[0].reason, format!("{reason} holds a control character"));
    }
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Companies).await["rejects"], 1);
    stage.shows(&held).await;
}
