//! A clock that was once ahead leaves timestamps in the future. They block nothing.

use std::sync::Arc;
use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use lastro_ingest::result::{SyncError, Synchronised};
use lastro_ingest::sync::Reach;
use lastro_model::{Clock, ManualClock, Series, Source};

use super::schedule::scheduled;
use super::{Stage, TODAY, day};
use crate::publisher::Publisher;

impl Stage {
    /// Synchronises with a clock this many days ahead.
    pub(super) async fn run_ahead(&self, days: i64, source: Source) -> Result<Synchronised, SyncError> {
        let mut sync = self.sync().await;
        let now = self.app.clock.now().unix_ms + days * 86_400_000;
        sync.clock = Arc::new(ManualClock::starting_at(now));
        sync.run(source, Reach::Recent).await
    }

    fn in_days(&self, days: i64) -> Timestamp {
        self.app.timestamp().checked_add((days * 24).hours()).unwrap()
    }
}

#[tokio::test]
async fn a_success_in_the_future_does_not_delay_the_next_run() {
    let stage = scheduled(Publisher::on(day(TODAY))).await;
    stage.all_come_to("ok", 1).await;
    let elsewhere = stage.app.elsewhere().await;
    for source in Source::ALL {
        elsewhere.record_attempt(source, stage.in_days(400), None).await.unwrap();
    }
    stage.all_come_to("ok", 2).await;
    stage.caught_up().await;
    for source in Source::ALL {
        assert_eq!(stage.health(source).await["last_success"], stage.app.timestamp().to_string(), "{source}");
    }
}

#[tokio::test]
async fn a_failure_in_the_future_is_retried() {
    let publisher = Publisher::on(day(TODAY));
    publisher.trouble("bcdata.sgs.432/", crate::publisher::Trouble::Status(500));
    let stage = scheduled(publisher).await;
    stage.comes_to(Source::Series(Series::Selic), "unreachable", 1).await;
    stage.publisher.mend();
    let told = Some("it was in the future".to_owned());
    stage
        .app
        .elsewhere()
        .await
        .record_attempt(Source::Series(Series::Selic), stage.in_days(400), told)
        .await
        .unwrap();
    stage.comes_to(Source::Series(Series::Selic), "ok", 1).await;
}

#[tokio::test]
async fn future_values_do_not_hide_those_of_today() {
    let stage = Stage::synchronised().await;
    let later = day(TODAY).plus_days(50);
    stage.publisher.change(|publisher_data| {
        publisher_data.fill_rates(day(TODAY).plus_days(-400), later);
        publisher_data.fill_quotes(&["EUR", "JPY", "USD"], day(TODAY).plus_days(-120), later);
    });
    let sources = [
        Source::Series(Series::Selic),
        Source::Series(Series::Cdi),
        Source::Series(Series::Ipca),
        Source::Fx,
    ];
    for source in sources {
        stage.run_ahead(50, source).await.unwrap();
    }
    // The clock is right again, and the publisher corrects values already held.
    stage.publisher.change(|publisher_data| {
        for code in [432, 4389] {
            publisher_data.series.get_mut(&code).unwrap().insert(day(TODAY), "11.1100".into());
        }
        let (_, newest) = publisher_data.series.get_mut(&433).unwrap().iter_mut().next_back().unwrap();
        newest.push('7');
        publisher_data.quotes.get_mut(&("USD".into(), day(TODAY))).unwrap().1.push('7');
    });
    for source in sources {
        stage.publisher.forget();
        assert_eq!(stage.run(source).await.unwrap().changed, 1, "{source}");
        let asked = stage.publisher.asked("");
        assert_eq!(stage.run(source).await.unwrap().changed, 0, "{source}");
        assert!(
            source == Source::Series(Series::Ipca) || stage.publisher.asked("") - asked < asked,
            "{source}: the whole is read once"
        );
    }
}

#[tokio::test]
async fn a_lease_of_a_clock_that_was_ahead_is_taken_over() {
    let stage = Stage::set().await;
    let store = stage.app.elsewhere().await;
    store.take_lease("sync:selic", "a ghost", stage.in_days(400), stage.in_days(401)).await.unwrap();
    stage.run(Source::Series(Series::Selic)).await.unwrap();
    // A lease that may still be valid is respected.
    let soon = stage.app.timestamp().checked_add(Duration::from_secs(60)).unwrap();
    store.take_lease("sync:cdi", "a neighbour", stage.app.timestamp(), soon).await.unwrap();
    assert!(matches!(stage.run(Source::Series(Series::Cdi)).await, Err(SyncError::Elsewhere(_))));
}

#[tokio::test]
async fn a_success_in_the_future_does_not_count_as_fresh() {
    let stage = Stage::synchronised().await;
    assert_eq!(stage.health(Source::Companies).await["stale"], false);
    let ahead = stage.in_days(400);
    stage.app.elsewhere().await.record_attempt(Source::Companies, ahead, None).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Companies).await["stale"], true);
}
