//! Filings that claim to be delivered in the future are withheld until their day has come.

use lastro_model::Source;

use super::{Stage, TODAY, day};
use crate::publisher::filing;

impl Stage {
    /// Adds filings of these numbers to this year's archive, delivered so many days from today.
    fn deliver(&self, numbers: std::ops::Range<u64>, in_days: i32) {
        self.publisher.change(|publisher_data| {
            let (company, on) = (publisher_data.companies[0].clone(), day(TODAY).plus_days(in_days));
            let year = publisher_data.filings.get_mut(&day(TODAY).year()).unwrap();
            year.extend(numbers.map(|number| filing(&company, number, on)));
        });
    }

    async fn newest(&self) -> (String, String) {
        let recent = self.json("/api/v1/filings/recent?limit=1").await;
        let newest = &recent["data"][0];
        (newest["id"].as_str().unwrap().to_owned(), newest["date"].as_str().unwrap()[..10].to_owned())
    }
}

#[tokio::test]
async fn filings_of_the_future_are_withheld_until_their_day() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_020, 3);
    stage.deliver(7_000_020..7_000_021, 0);
    assert_eq!(stage.run(Source::Filings).await.unwrap().added, 1);
    stage.caught_up().await;
    assert_eq!(stage.newest().await, ("7000020".to_owned(), TODAY.to_owned()));
    let health = stage.health(Source::Filings).await;
    assert_eq!((&health["rejects"], &health["newest_date"]), (&20.into(), &TODAY.into()));
    // Nothing changes until the day has come, though the archive is the same.
    assert_eq!(stage.run(Source::Filings).await.unwrap().added, 0);
    stage.app.advance_seconds(3 * 86_400);
    assert_eq!(stage.run(Source::Filings).await.unwrap().added, 20);
    stage.caught_up().await;
    assert_eq!(stage.newest().await.0, "7000019");
    assert_eq!(stage.health(Source::Filings).await["rejects"], 0);
    stage.publisher.forget();
    assert_eq!(stage.run(Source::Filings).await.unwrap().added, 0);
}

#[tokio::test]
async fn future_filings_do_not_make_the_source_fresh() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_005, 40);
    stage.app.advance_seconds(20 * 86_400);
    stage.run(Source::Filings).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Filings).await["stale"], true);
}

#[tokio::test]
async fn the_operator_can_accept_filings_of_the_future() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_005, 3);
    assert_eq!(stage.run_accepting(Source::Filings).await.unwrap().added, 5);
}

#[tokio::test]
async fn an_archive_mostly_of_the_future_is_refused() {
    let stage = Stage::synchronised().await;
    let before = stage.text("/api/v1/filings?limit=1000").await;
    stage.deliver(7_000_000..7_000_100, 3);
    let refused = stage.run(Source::Filings).await.unwrap_err().to_string();
    assert!(refused.contains("100 of its 160 rows are delivered in the future"), "{refused}");
    stage.caught_up().await;
    assert_eq!(stage.text("/api/v1/filings?limit=1000").await, before);
}
