//! An interrupted synchronisation: the old edition stays whole, and the next attempt requests only the rest.

use lastro_model::{Series, Source};
use lastro_store::faulty::Operation;

use super::Stage;
use crate::publisher::Trouble;

#[tokio::test]
async fn responses_before_the_trouble_are_not_requested_again() {
    let stage = Stage::set().await;
    stage.publisher.trouble("dataInicial=01/01/2026", Trouble::Later(503, 3600));
    stage.publisher.trouble("@m='USD'&@i='01-01-2026'", Trouble::Later(503, 3600));
    for source in [Source::Series(Series::Selic), Source::Series(Series::Cdi), Source::Fx] {
        stage.run(source).await.unwrap_err();
    }
    let first = stage.publisher.asked("");
    stage.publisher.mend();
    stage.publisher.forget();
    for source in [Source::Series(Series::Selic), Source::Series(Series::Cdi), Source::Fx] {
        stage.run(source).await.unwrap();
    }
    let second = stage.publisher.asked("");
    // The open windows of this year, and those not reached before.
    assert!(second * 3 < first, "{second} requests after {first}");
    for (source, result) in stage.run_all().await {
        assert!(result.is_ok(), "{source}: {result:?}");
    }
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
    assert!(!stage.app.directory.path().join("lastro.db.spool").exists(), "it is given up in the end");
}

#[tokio::test]
async fn an_archive_that_could_not_be_stored_is_not_downloaded_again() {
    let stage = Stage::set().await;
    let mut sync = stage.sync().await;
    sync.store = stage.app.faults.clone();
    stage.app.faults.fail_next(Operation::Publish);
    sync.run(Source::Filings, lastro_ingest::sync::Reach::Recent).await.unwrap_err();
    let first = stage.publisher.asked(".zip");
    assert_eq!(stage.health(Source::Filings).await["sample"], true);
    stage.run(Source::Filings).await.unwrap();
    assert_eq!(stage.publisher.asked(".zip"), first + 1, "only the year that is absent is asked again");
}

#[tokio::test]
async fn rejected_data_is_requested_again() {
    let stage = Stage::set().await;
    stage.publisher.change(|publisher_data| {
        publisher_data.fill_rates(super::day("2021-01-01"), super::day(super::TODAY));
        publisher_data.series.get_mut(&432).unwrap().retain(|day, _| day.year() != 2023);
    });
    stage.run(Source::Series(Series::Selic)).await.unwrap_err();
    stage.publisher.change(|publisher_data| {
        publisher_data.fill_rates(super::day("2021-01-01"), super::day(super::TODAY));
    });
    stage.run(Source::Series(Series::Selic)).await.unwrap();
}

#[tokio::test]
async fn after_a_day_everything_is_requested_again() {
    let stage = Stage::set().await;
    stage.publisher.trouble("dataInicial=01/01/2026", Trouble::Later(503, 3600));
    stage.run(Source::Series(Series::Selic)).await.unwrap_err();
    let first = stage.publisher.asked("");
    stage.publisher.forget();
    stage.app.advance_seconds(86_400);
    stage.run(Source::Series(Series::Selic)).await.unwrap_err();
    assert_eq!(stage.publisher.asked(""), first);
}
