//! Filings that claim to be delivered in the future are withheld until their day has come.

use lastro_model::{FilingId, Source};
use serde_json::json;

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

    /// Takes filings of this year's archive back.
    fn take_back(&self, numbers: std::ops::Range<u64>) {
        self.publisher.change(|publisher_data| {
            let year = publisher_data.filings.get_mut(&day(TODAY).year()).unwrap();
            year.retain(|filing| !numbers.clone().any(|number| filing.id == FilingId::Protocol(number)));
        });
    }

    /// A synchronisation by a process whose clock is three days ahead. It leaves what an earlier version left: filings of
    /// days to come in service, and archives that are known.
    async fn let_in(&self) {
        self.run_ahead(3, Source::Filings).await.unwrap();
        self.caught_up().await;
    }

    /// The types of the changes of filings after a cursor, and the next cursor.
    async fn changes(&self, after: &str) -> (Vec<String>, String) {
        let changes = self.json(&format!("/api/v1/changes?limit=1000&after={after}")).await;
        let types = changes["data"].as_array().unwrap().iter();
        let types = types.map(|change| change["type"].as_str().unwrap().to_owned()).collect();
        (types, changes["next"].as_str().unwrap().to_owned())
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
    let told = ["rejects", "withheld", "newest_date"].map(|member| &health[member]);
    assert_eq!(told, [&json!(0), &json!(20), &json!(TODAY)]);
    let listed = stage.app.elsewhere().await.rejects(Source::Filings, 100).await.unwrap();
    assert_eq!(listed.len(), 20, "with their lines");
    // Nothing changes until the day has come, though the archive is the same.
    assert_eq!(stage.run(Source::Filings).await.unwrap().added, 0);
    stage.app.advance_seconds(3 * 86_400);
    assert_eq!(stage.run(Source::Filings).await.unwrap().added, 20);
    stage.caught_up().await;
    assert_eq!(stage.newest().await.0, "7000019");
    assert_eq!(stage.health(Source::Filings).await["withheld"], 0);
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
async fn accepting_an_archive_does_not_let_the_future_in() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_100, 3);
    stage.run(Source::Filings).await.unwrap_err();
    let accepted = stage.run_accepting(Source::Filings).await.unwrap();
    assert_eq!((accepted.added, accepted.withheld), (0, 100));
}

#[tokio::test]
async fn a_filing_of_the_future_keeps_no_other_from_withdrawal() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_002, 0);
    stage.run(Source::Filings).await.unwrap();
    stage.deliver(7_000_002..7_000_003, 3);
    stage.take_back(7_000_000..7_000_001);
    assert_eq!(stage.run(Source::Filings).await.unwrap().changed, 1);
    stage.caught_up().await;
    let withdrawn = stage.json("/api/v1/filings/7000000").await;
    assert!(withdrawn["withdrawn_at"].is_string(), "{withdrawn}");
    // A filing whose day the publisher moves into the future is still listed, and stays as it was.
    stage.take_back(7_000_001..7_000_002);
    stage.deliver(7_000_001..7_000_002, 3);
    assert_eq!(stage.run(Source::Filings).await.unwrap().changed, 0);
    stage.caught_up().await;
    assert_eq!(stage.newest().await, ("7000001".to_owned(), TODAY.to_owned()));
}

#[tokio::test]
async fn filings_of_the_future_that_are_held_leave_until_their_day() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_020, 3);
    stage.let_in().await;
    assert_eq!(stage.newest().await.0, "7000019");
    let first_seen = stage.json("/api/v1/filings/7000019").await["first_seen_at"].clone();
    let (_, cursor) = stage.changes("oldest").await;

    assert_eq!(stage.run(Source::Filings).await.unwrap().changed, 20, "though no archive has changed");
    stage.caught_up().await;
    assert!(stage.newest().await.1.as_str() <= TODAY);
    let health = stage.health(Source::Filings).await;
    assert!(health["newest_date"].as_str().unwrap() <= TODAY, "{health}");
    // The publisher has not withdrawn them.
    stage.app.get("/api/v1/filings/7000019").key(&stage.key).send().await.expect(404);
    let all = stage.json("/api/v1/filings?withdrawn=include").await["total"].clone();
    assert_eq!(all, stage.json("/api/v1/filings").await["total"]);
    let (types, cursor) = stage.changes(&cursor).await;
    assert_eq!(types, vec!["filing.removed"; 20]);

    assert_eq!(stage.run(Source::Filings).await.unwrap().changed, 0);
    stage.app.advance_seconds(3 * 86_400);
    stage.run(Source::Filings).await.unwrap();
    stage.caught_up().await;
    let (types, _) = stage.changes(&cursor).await;
    assert_eq!(types, vec!["filing.created"; 20]);
    assert_eq!(stage.json("/api/v1/filings/7000019").await["first_seen_at"], first_seen);
}

#[tokio::test]
async fn held_filings_of_the_future_that_nobody_lists_leave_for_good() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_001, 3);
    stage.let_in().await;
    stage.take_back(7_000_000..7_000_001);
    assert_eq!(stage.run(Source::Filings).await.unwrap().changed, 1);
    stage.publisher.forget();
    assert_eq!(stage.run(Source::Filings).await.unwrap().changed, 0);
    assert_eq!(stage.publisher.sent(), 0, "the archives are known again");
}

#[tokio::test]
async fn withheld_filings_are_not_lost_ones() {
    let stage = Stage::synchronised().await;
    stage.deliver(7_000_000..7_000_020, 3);
    stage.let_in().await;
    // A quarter of the rows that the archive had is of the future now.
    let outcome = stage.run(Source::Filings).await.unwrap();
    assert_eq!((outcome.changed, outcome.withheld), (20, 20));
}

#[tokio::test]
async fn a_small_archive_mostly_of_the_future_is_not_refused() {
    let stage = Stage::synchronised().await;
    stage.app.advance_seconds(61 * 86_400);
    stage.publisher.change(|publisher_data| {
        let (company, today) = (publisher_data.companies[0].clone(), day("2027-01-02"));
        let days = [0, 5, 5].into_iter().zip(8_000_000..);
        let year = days.map(|(days, number)| filing(&company, number, today.plus_days(days)));
        publisher_data.filings.insert(2027, year.collect());
    });
    let outcome = stage.run(Source::Filings).await.unwrap();
    assert_eq!((outcome.added, outcome.withheld), (1, 2));
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
