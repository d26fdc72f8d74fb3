//! Points that look like slips are withheld and reported; the rest is published. Corrections need no acceptance.

use std::time::Duration;

use lastro_model::{Day, Series, Source};
use serde_json::Value;

use super::corrections::WEEK;
use super::{Stage, TODAY, day};

const DAY: Duration = Duration::from_secs(86_400);
const TOMORROW: &str = "2026-11-03";

impl Stage {
    /// A stage one day later.
    async fn tomorrow() -> Self {
        let stage = Self::synchronised().await;
        stage.app.advance(DAY);
        stage
    }

    /// Sets the publisher's value of a series.
    fn publish(&self, code: u32, on: &str, value: &str) {
        self.publisher.change(|publisher_data| {
            publisher_data.series.get_mut(&code).unwrap().insert(day(on), value.into());
        });
    }

    fn publish_dollar(&self, on: &str, buy: &str, sell: &str) {
        self.publisher.change(|publisher_data| {
            publisher_data.quotes.insert(("USD".into(), day(on)), (buy.into(), sell.into()));
        });
    }

    /// Synchronises, and returns the number of points added, changed and withheld.
    async fn comes_in(&self, source: Source) -> (u64, u64, u64) {
        let outcome = self.run(source).await.unwrap();
        self.caught_up().await;
        assert_eq!(self.health(source).await["withheld"].as_u64().unwrap_or(0), outcome.withheld);
        (outcome.added, outcome.changed, outcome.withheld)
    }

    async fn current(&self, series: &str) -> Value {
        self.json(&format!("/api/v1/market/{series}/current")).await
    }

    /// The only withheld point.
    async fn withheld(&self, source: Source) -> Value {
        let points = self.health(source).await["withheld_points"].clone();
        assert_eq!(points.as_array().unwrap().len(), 1, "{points}");
        points[0].clone()
    }

    async fn metric(&self, line: &str) -> bool {
        self.app.admin("/metrics").await.1.lines().any(|found| found == line)
    }
}

#[tokio::test]
async fn a_slip_in_a_new_point_is_withheld_until_corrected() {
    let stage = Stage::tomorrow().await;
    let before = stage.current("selic").await;
    stage.publish(432, TODAY, "15.50");
    stage.publish(432, TOMORROW, "1500.00");
    assert_eq!(
        stage.comes_in(Source::Series(Series::Selic)).await,
        (0, 1, 1),
        "the rest of the answer goes in"
    );
    let current = stage.current("selic").await;
    assert_eq!((&current["date"], &current["value"]), (&before["date"], &15.5.into()));
    let health = stage.health(Source::Series(Series::Selic)).await;
    assert!(health["last_error"].is_null() && health["rejects"].as_u64().unwrap_or(0) == 0, "{health}");
    let told = stage.withheld(Source::Series(Series::Selic)).await;
    assert_eq!((&told["date"], told.get("pair")), (&TOMORROW.into(), None));
    assert_eq!(told["reason"], "its value is 1500.00 beside 15.50 of 2026-11-02: an implausible step");
    assert!(stage.metric("lastro_withheld_points{source=\"selic\"} 1").await);
    assert!(stage.metric("lastro_withheld_points{source=\"cdi\"} 0").await);

    stage.publish(432, TOMORROW, "15.50");
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (1, 0, 0));
    assert_eq!(stage.current("selic").await["date"], TOMORROW);
    assert!(stage.health(Source::Series(Series::Selic)).await.get("withheld_points").is_none());
    assert!(stage.metric("lastro_withheld_points{source=\"selic\"} 0").await);
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn every_kind_of_series_has_its_own_plausibility_limits() {
    let stage = Stage::tomorrow().await;
    let dollar = stage.json("/api/v1/market/fx/current").await["sell"].clone();
    stage.publish(4389, TOMORROW, "1.2");
    stage.publish(433, "2026-10-01", "45");
    stage.publish_dollar(TOMORROW, "6.12", "61.3");
    for (source, pair) in [(Source::Series(Series::Cdi), None), (Source::Series(Series::Ipca), None)] {
        assert_eq!(stage.comes_in(source).await, (0, 0, 1), "{source}");
        assert_eq!(stage.withheld(source).await.get("pair"), pair, "{source}");
    }
    // A quote whose sides are that far apart cannot be parsed; one whose sides both jumped can.
    assert_eq!(stage.comes_in(Source::Fx).await, (0, 0, 0));
    stage.publish_dollar(TOMORROW, "61.2", "61.3");
    assert_eq!(stage.comes_in(Source::Fx).await, (0, 0, 1));
    assert_eq!(stage.withheld(Source::Fx).await["pair"], "USD/BRL");
    assert_eq!(stage.json("/api/v1/market/fx/current").await["sell"], dollar);

    // Values that only look odd: a month of deflation, a committee in a hurry, a currency in trouble.
    stage.publish(433, "2026-10-01", "-0.68");
    stage.publish(4389, TOMORROW, "11.40");
    stage.publish_dollar(TOMORROW, "7.40", "7.41");
    for source in [Source::Series(Series::Cdi), Source::Series(Series::Ipca), Source::Fx] {
        assert_eq!(stage.comes_in(source).await, (1, 0, 0), "{source}");
    }
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn a_published_slip_is_corrected_without_acceptance() {
    let stage = Stage::tomorrow().await;
    stage.publish(432, TODAY, "1500.00");
    stage.publish(432, TOMORROW, "1500.00");
    // As if the value had not been judged.
    stage.run_accepting(Source::Series(Series::Selic)).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.current("selic").await["value"], 1500.0);
    for date in [TODAY, TOMORROW] {
        stage.publish(432, date, "13.75");
    }
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 2, 0));
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn an_implausible_change_is_withheld_and_the_rest_published() {
    let stage = Stage::tomorrow().await;
    let before = stage.publisher.publisher_data().series[&432][&day(TODAY)].clone();
    stage.publish(432, TODAY, "150.00");
    stage.publish(432, TOMORROW, "13.75");
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (1, 0, 1));
    let reason = stage.withheld(Source::Series(Series::Selic)).await["reason"].clone();
    assert_eq!(reason, format!("its value is 150.00 where {before} was published: an implausible change"));
    let mut publisher_data = stage.publisher.publisher_data();
    publisher_data.series.get_mut(&432).unwrap().insert(day(TODAY), before);
    stage.shows(&publisher_data).await;
}

#[tokio::test]
async fn a_value_unchanged_for_a_week_is_accepted() {
    let stage = Stage::tomorrow().await;
    stage.publish(432, TOMORROW, "150.00");
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 1));
    let first_seen = stage.withheld(Source::Series(Series::Selic)).await["first_seen"].clone();
    stage.app.advance(WEEK - DAY);
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 1));
    assert_eq!(stage.withheld(Source::Series(Series::Selic)).await["first_seen"], first_seen);
    // Another value is another point, with a wait of its own.
    stage.publish(432, TOMORROW, "151.00");
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 1));
    // Each run is a second after the one before.
    stage.app.advance(WEEK - Duration::from_secs(2));
    // A new level: the days after it agree with it, and wait with it.
    stage.publish(432, "2026-11-04", "152.00");
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 2));
    assert_eq!(
        stage.comes_in(Source::Series(Series::Selic)).await,
        (2, 0, 0),
        "the first vouches for the others"
    );
    assert_eq!(stage.current("selic").await["value"], 152.0);
}

#[tokio::test]
async fn an_old_point_is_accepted_with_the_next_whole_run() {
    let stage = Stage::synchronised().await;
    stage.correct("120.34");
    stage.app.advance(WEEK);
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 1));
    stage.app.advance(WEEK - DAY);
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 1));
    stage.app.advance(DAY);
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 1, 0));
    assert!(stage.selic_long_ago().await.contains("120.34"));
}

#[tokio::test]
async fn withdrawn_points_are_no_longer_withheld() {
    let stage = Stage::tomorrow().await;
    stage.publish(432, TOMORROW, "150.00");
    stage.publish_dollar(TOMORROW, "61.2", "61.3");
    for source in [Source::Series(Series::Selic), Source::Fx] {
        assert_eq!(stage.comes_in(source).await, (0, 0, 1), "{source}");
    }
    stage.publisher.change(|publisher_data| {
        publisher_data.series.get_mut(&432).unwrap().remove(&day(TOMORROW));
        publisher_data.quotes.remove(&("USD".into(), day(TOMORROW)));
    });
    for source in [Source::Series(Series::Selic), Source::Fx] {
        assert_eq!(stage.comes_in(source).await, (0, 0, 0), "{source}");
    }
}

#[tokio::test]
async fn points_accepted_by_the_operator_are_published_at_once() {
    let stage = Stage::tomorrow().await;
    stage.publish(432, TOMORROW, "150.00");
    stage.publish_dollar(TOMORROW, "61.2", "61.3");
    for source in [Source::Series(Series::Selic), Source::Fx] {
        assert_eq!(stage.comes_in(source).await, (0, 0, 1), "{source}");
        let accepted = stage.run_accepting(source).await.unwrap();
        assert_eq!((accepted.added, accepted.withheld), (1, 0), "{source}");
    }
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn a_point_first_seen_in_the_future_waits_no_longer() {
    let stage = Stage::tomorrow().await;
    stage.publish(432, TOMORROW, "150.00");
    stage.run_ahead(40, Source::Series(Series::Selic)).await.unwrap();
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (0, 0, 1));
    assert_eq!(
        stage.withheld(Source::Series(Series::Selic)).await["first_seen"],
        stage.app.timestamp().to_string()
    );
    stage.app.advance(WEEK);
    assert_eq!(stage.comes_in(Source::Series(Series::Selic)).await, (1, 0, 0));
}

#[tokio::test]
async fn first_synchronisations_and_new_currencies_are_not_judged() {
    let stage = Stage::set().await;
    stage.publish(432, "2026-10-01", "1500.00");
    for source in [Source::Series(Series::Selic), Source::Fx] {
        assert_eq!(stage.run(source).await.unwrap().withheld, 0, "{source}");
    }
    let odd = |n: i32| if n % 2 == 0 { ("5.1", "5.2") } else { ("51.1", "51.2") };
    stage.publisher.change(|publisher_data| {
        for (n, (buy, sell)) in (0..5).map(|n| (n, odd(n))) {
            let date: Day = day(TODAY).plus_days(-n);
            publisher_data.quotes.insert(("CHF".into(), date), (buy.into(), sell.into()));
        }
    });
    let outcome = stage.run(Source::Fx).await.unwrap();
    assert_eq!((outcome.added, outcome.withheld), (5, 0));
}

#[tokio::test]
async fn a_wholly_wrong_response_is_rejected() {
    let stage = Stage::set().await;
    stage.publisher.change(|publisher_data| publisher_data.fill_rates(day("2021-01-01"), day(TODAY)));
    stage.run(Source::Series(Series::Selic)).await.unwrap();
    stage.publisher.change(|publisher_data| {
        publisher_data.series.get_mut(&432).unwrap().values_mut().for_each(|value| value.insert(0, '7'));
    });
    let refused = stage.run_whole(Source::Series(Series::Selic)).await.unwrap_err();
    assert!(refused.to_string().contains("this is not the series we know"), "{refused}");
    assert!(stage.app.elsewhere().await.withheld(Source::Series(Series::Selic)).await.unwrap().is_empty());
}
