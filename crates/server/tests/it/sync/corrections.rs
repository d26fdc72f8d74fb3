//! Late corrections by publishers: they are found, judged like any change, and accepted if the operator says so.

use std::time::Duration;

use lastro_ingest::result::{SyncError, Synchronised};
use lastro_ingest::sync::Reach;
use lastro_model::{Series, Source};

use super::{Stage, TODAY, day};
use crate::publisher::{Trouble, filing};

pub(super) const WEEK: Duration = Duration::from_secs(7 * 86_400);
/// A day that is held, and long before the days that every run requests again.
const LONG_AGO: &str = "2026-01-15";

impl Stage {
    pub(super) async fn run_whole(&self, source: Source) -> Result<Synchronised, SyncError> {
        self.sync().await.run(source, Reach::Whole).await
    }

    /// Synchronises with the operator's acceptance of this source.
    pub(super) async fn run_accepting(&self, source: Source) -> Result<Synchronised, SyncError> {
        let mut sync = self.sync().await;
        sync.accept = vec![source];
        sync.run(source, Reach::Recent).await
    }

    /// Changes the publisher's Selic of a day long ago.
    pub(super) fn correct(&self, value: &str) {
        self.publisher.change(|publisher_data| {
            publisher_data.series.get_mut(&432).unwrap().insert(day(LONG_AGO), value.into());
        });
    }

    pub(super) async fn selic_long_ago(&self) -> String {
        self.caught_up().await;
        self.text(&format!("/api/v1/market/selic?from={LONG_AGO}&to={LONG_AGO}")).await
    }
}

#[tokio::test]
async fn a_correction_of_an_old_value_is_found_within_a_week() {
    let stage = Stage::synchronised().await;
    stage.correct("12.34");
    stage.publisher.change(|publisher_data| {
        let dollar = publisher_data.quotes.iter_mut().find(|((currency, _), _)| currency == "USD").unwrap();
        dollar.1.0.push('7');
    });
    for source in [Source::Series(Series::Selic), Source::Fx] {
        let soon = stage.run(source).await.unwrap();
        assert_eq!((soon.added, soon.changed), (0, 0), "{source}: nobody asks for old days every hour");
    }
    stage.app.advance(WEEK);
    stage.publisher.forget();
    for source in
        [Source::Series(Series::Selic), Source::Fx, Source::Series(Series::Cdi), Source::Series(Series::Ipca)]
    {
        let found = stage.run(source).await.unwrap();
        let corrected = [Source::Series(Series::Selic), Source::Fx].contains(&source);
        assert_eq!((found.added, found.changed), (0, corrected.into()), "{source}");
    }
    let whole = stage.publisher.asked("");
    stage.publisher.forget();
    for source in
        [Source::Series(Series::Selic), Source::Fx, Source::Series(Series::Cdi), Source::Series(Series::Ipca)]
    {
        stage.run(source).await.unwrap();
    }
    assert!(stage.publisher.asked("") * 10 < whole, "once a week is enough");
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn a_whole_run_finds_old_corrections_at_once() {
    let stage = Stage::synchronised().await;
    stage.correct("12.34");
    assert_eq!(stage.run_whole(Source::Series(Series::Selic)).await.unwrap().changed, 1);
    assert!(stage.selic_long_ago().await.contains("12.34"));
}

#[tokio::test]
async fn a_jump_in_an_old_value_is_withheld_until_accepted() {
    let stage = Stage::synchronised().await;
    let before = stage.selic_long_ago().await;
    stage.correct("120.34");
    let outcome = stage.run_whole(Source::Series(Series::Selic)).await.unwrap();
    assert_eq!((outcome.changed, outcome.withheld), (0, 1));
    assert_eq!(stage.selic_long_ago().await, before);
    let reason =
        stage.health(Source::Series(Series::Selic)).await["withheld_points"][0]["reason"].to_string();
    assert!(reason.contains("120.34 where"), "{reason}");
    // Old days are not requested every hour, but points withheld among them are remembered.
    assert_eq!(stage.run(Source::Series(Series::Selic)).await.unwrap().withheld, 1);
    let outcome = stage.run_accepting(Source::Series(Series::Selic)).await.unwrap();
    assert_eq!((outcome.changed, outcome.withheld), (1, 0));
    assert!(stage.selic_long_ago().await.contains("120.34"));
    // The acceptance was for that run only.
    stage.correct("1203.4");
    assert_eq!(stage.run_whole(Source::Series(Series::Selic)).await.unwrap().withheld, 1);
    // A change towards the neighbouring values needs no acceptance.
    stage.correct("12.34");
    let outcome = stage.run_whole(Source::Series(Series::Selic)).await.unwrap();
    assert_eq!((outcome.changed, outcome.withheld), (1, 0));
    assert!(stage.selic_long_ago().await.contains("12.34"));
}

#[tokio::test]
async fn trouble_with_old_days_does_not_block_new_values() {
    let stage = Stage::synchronised().await;
    let before = stage.selic_long_ago().await;
    let held = stage.publisher.publisher_data();
    let change_today = |value: &str| {
        stage.publisher.change(|publisher_data| {
            publisher_data.series.get_mut(&432).unwrap().insert(day(TODAY), value.into());
        });
    };
    stage.publisher.change(|publisher_data| {
        let lost = day(LONG_AGO).plus_days(-30)..day(LONG_AGO).plus_days(30);
        publisher_data.series.get_mut(&432).unwrap().retain(|day, _| !lost.contains(day));
    });
    change_today("11.11");
    stage.app.advance(WEEK);
    assert_eq!(stage.run(Source::Series(Series::Selic)).await.unwrap().changed, 1);
    assert_eq!(stage.selic_long_ago().await, before);
    assert!(stage.text("/api/v1/market/selic/current").await.contains("11.11"));
    let health = stage.health(Source::Series(Series::Selic)).await;
    assert_eq!((&health["rejects"], &health["last_error"]), (&1.into(), &().into()), "{health}");
    let rejects = stage.app.elsewhere().await.rejects(Source::Series(Series::Selic), 10).await.unwrap();
    assert!(rejects[0].reason.contains("are lost"), "{rejects:?}");

    // It is retried the next day, and not before.
    stage.publisher.forget();
    change_today("11.12");
    stage.run(Source::Series(Series::Selic)).await.unwrap();
    assert_eq!(stage.publisher.asked("bcdata.sgs.432"), 1);
    stage.publisher.restore(&held);
    stage.correct("12.34");
    change_today("11.12");
    stage.app.advance(WEEK / 7);
    assert_eq!(stage.run(Source::Series(Series::Selic)).await.unwrap().changed, 1);
    assert!(stage.selic_long_ago().await.contains("12.34"));
    assert!(stage.health(Source::Series(Series::Selic)).await["rejects"].is_null());
}

#[tokio::test]
async fn lost_rows_can_be_accepted_but_invalid_data_cannot() {
    let stage = Stage::synchronised().await;
    let before = stage.json("/api/v1/companies").await["total"].clone();
    stage.publisher.change(|publisher_data| publisher_data.companies.truncate(60));
    stage.run(Source::Companies).await.unwrap_err();
    stage.run_accepting(Source::Companies).await.unwrap();
    stage.run(Source::Companies).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.json("/api/v1/companies").await["total"], 60);
    let held = stage.json("/api/v1/companies?withdrawn=include").await["total"].clone();
    assert_eq!(held, before, "what was held stays");
    for trouble in [Trouble::Page, Trouble::Instead(b"CD_CVM;SIT\r\n1;ATIVO\r\n".into())] {
        stage.publisher.trouble("cad_cia_aberta", trouble);
        stage.run_accepting(Source::Companies).await.unwrap_err();
        stage.publisher.mend();
    }
}

#[tokio::test]
async fn an_unlisted_currency_is_reported_and_kept() {
    let stage = Stage::synchronised().await;
    let listed = |symbols: &[&str]| {
        let items: Vec<String> =
            symbols.iter().map(|symbol| format!(r#"{{"simbolo":"{symbol}"}}"#)).collect();
        Trouble::Instead(format!(r#"{{"value":[{}]}}"#, items.join(",")).into_bytes())
    };
    stage.publisher.trouble("/Moedas?", listed(&["EUR", "USD"]));
    stage.run(Source::Fx).await.unwrap();
    stage.caught_up().await;
    let health = stage.health(Source::Fx).await;
    assert_eq!((&health["rejects"], &health["last_error"]), (&1.into(), &().into()), "{health}");
    let rejects = stage.app.elsewhere().await.rejects(Source::Fx, 10).await.unwrap();
    assert!(rejects[0].reason.contains("JPY/BRL is no longer listed"), "{rejects:?}");
    stage.shows(&stage.publisher.publisher_data()).await;
    // Once it is listed again, nothing is left to report.
    stage.publisher.mend();
    stage.run(Source::Fx).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Fx).await["rejects"], 0);
}

#[tokio::test]
async fn a_failed_year_prevents_a_recorded_success() {
    let stage = Stage::synchronised().await;
    let success = stage.health(Source::Filings).await["last_success"].clone();
    stage.publisher.change(|publisher_data| {
        let company = publisher_data.companies[0].clone();
        publisher_data.filings.get_mut(&2026).unwrap().push(filing(&company, 3_000_000, day(TODAY)));
        publisher_data.filings.get_mut(&2025).unwrap().truncate(30);
    });
    stage.app.advance_seconds(3600);
    stage.run(Source::Filings).await.unwrap_err();
    stage.caught_up().await;
    stage.json("/api/v1/filings/3000000").await;
    let health = stage.health(Source::Filings).await;
    assert_eq!(health["last_success"], success, "{health}");
    assert_eq!(health["last_attempt"], stage.app.timestamp().to_string());
    assert!(health["last_error"].as_str().unwrap().contains("filings of 2025"), "{health}");
}
