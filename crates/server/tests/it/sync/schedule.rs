//! The schedule inside `serve`: a first start loads data while it answers requests, and recovers after trouble.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use lastro::setup::Setup;
use lastro_config::{PublisherSettings, Serve, Switch, SyncTimeouts};
use lastro_ingest::fetch::RetryPolicy;
use lastro_ingest::sync::Publishers;
use lastro_model::{Plan, Series, Source};
use lastro_store::Store;
use lastro_store::faulty::{FaultyStore, Operation};

use super::{POLL_INTERVAL, SINCE, Stage, TODAY, day, short};
use crate::app::TestApp;
use crate::publisher::{Publisher, Trouble, at_the_source, on_the_way};

/// A server that synchronises on schedule.
pub(super) async fn scheduled(publisher: Publisher) -> Stage {
    scheduled_with(publisher, |_| {}).await
}

async fn scheduled_with(publisher: Publisher, change: impl FnOnce(&mut Setup)) -> Stage {
    let app = TestApp::start_with(|setup| {
        let Publishers { sgs: sgs_url, ptax: ptax_url, cvm: cvm_url } = publisher.addresses();
        let RetryPolicy { timeout, attempts, first_pause, spacing } = short();
        setup.settings = Serve {
            sync: Switch::On,
            publishers: PublisherSettings { sgs_url, ptax_url, cvm_url },
            since: SINCE,
            timeouts: SyncTimeouts {
                sync_timeout: timeout,
                sync_attempts: attempts,
                sync_pause: first_pause,
                sync_lease: Duration::from_secs(60),
                spacing,
            },
            poll_interval: POLL_INTERVAL,
            sync_poll_interval: POLL_INTERVAL,
            ..setup.settings.clone()
        };
        change(setup);
    })
    .await;
    let key = app.ample_key(Plan::Gold).await;
    Stage { app, publisher, retries: short(), key }
}

impl Stage {
    /// How often the sources have reached each outcome.
    async fn outcomes(&self) -> Outcomes {
        let (_, metrics) = self.app.admin("/metrics").await;
        let lines = metrics.lines().filter_map(|line| line.strip_prefix("lastro_synchronisations_total"));
        lines
            .map(|line| line.rsplit_once(' ').unwrap())
            .map(|(name, times)| (name.to_owned(), times.parse().unwrap()))
            .collect()
    }

    /// Waits until every source has reached this outcome this many times.
    pub(super) async fn all_come_to(&self, outcome: &str, times: u32) {
        self.come_to(&Source::ALL.map(|source| (source, outcome, times))).await;
    }

    async fn come_to(&self, awaited: &[(Source, &str, u32)]) {
        for _ in 0..400 {
            let outcomes = self.outcomes().await;
            if awaited.iter().all(|(source, outcome, times)| count(&outcomes, *source, outcome) == *times) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let outcomes = self.outcomes().await;
        for (source, outcome, times) in awaited {
            let counted = count(&outcomes, *source, outcome);
            assert_eq!(counted, *times, "{source} comes to {outcome}: {}", self.health(*source).await);
        }
    }

    pub(super) async fn comes_to(&self, source: Source, outcome: &str, times: u32) {
        self.come_to(&[(source, outcome, times)]).await;
    }

    /// Advances the clock until each of these sources has reached its outcome once more, and the server shows it.
    async fn pass(&self, time: Duration, sources: &[Source], outcome: impl Fn(Source) -> &'static str) {
        let outcomes = self.outcomes().await;
        let once_more = |source: &Source| {
            let outcome = outcome(*source);
            (*source, outcome, count(&outcomes, *source, outcome) + 1)
        };
        let awaited: Vec<_> = sources.iter().map(once_more).collect();
        self.app.advance(time);
        self.come_to(&awaited).await;
        self.caught_up().await;
    }
}

/// Numbers by the labels of the metric.
type Outcomes = HashMap<String, u32>;

fn count(outcomes: &Outcomes, source: Source, outcome: &str) -> u32 {
    outcomes[&format!("{{source=\"{source}\",outcome=\"{outcome}\"}}")]
}

#[tokio::test]
async fn a_first_start_synchronises_while_it_answers() {
    let publisher = Publisher::on(day(TODAY));
    publisher.pause(Duration::from_millis(5));
    let stage = scheduled(publisher).await;
    let mut samples = Source::ALL.len();
    while samples > 0 {
        stage.app.get("/api/v1/market/overview").key(&stage.key).send().await.expect(200);
        let health = stage.json("/health").await;
        let left = health["sources"].as_array().unwrap().iter().filter(|s| s["sample"] == true).count();
        assert!(left <= samples, "a sample came back");
        samples = left;
    }
    stage.all_come_to("ok", 1).await;
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
    assert_eq!(stage.publisher.asked_again(), Vec::<String>::new(), "nothing is asked twice");
    assert!(stage.publisher.most_at_once("sgs") <= 3);
}

#[tokio::test]
async fn failures_are_counted_by_kind_and_retried() {
    let publisher = Publisher::on(day(TODAY));
    publisher.trouble("bcdata.sgs.432/", Trouble::Later(503, 3600));
    publisher.trouble("cad_cia_aberta", Trouble::Page);
    publisher.trouble("ipe_cia_aberta", Trouble::Instead(b"bogus".into()));
    publisher.change(|publisher_data| {
        publisher_data.fill_rates(day("2021-01-01"), day(TODAY));
        publisher_data.series.get_mut(&4389).unwrap().retain(|day, _| day.year() != 2023);
    });
    let stage = scheduled(publisher).await;
    let failing = [
        (Source::Series(Series::Selic), "unreachable"),
        (Source::Series(Series::Cdi), "refused"),
        (Source::Companies, "not_data"),
        (Source::Filings, "partly"),
    ];
    let outcome =
        |source| failing.iter().find(|(failing, _)| *failing == source).map_or("ok", |(_, told)| *told);
    stage.come_to(&Source::ALL.map(|source| (source, outcome(source), 1))).await;
    stage.publisher.mend();
    stage.publisher.change(|publisher_data| publisher_data.fill_rates(day("2021-01-01"), day(TODAY)));
    stage.publisher.forget();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(stage.publisher.asked(""), 0, "nobody is asked before five minutes are over");
    stage.app.advance(Duration::from_secs(6 * 60));
    for (source, _) in failing {
        stage.comes_to(source, "ok", 1).await;
    }
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
}

#[tokio::test]
async fn a_bad_day_changes_no_response_and_is_counted_by_kind() {
    let stage = scheduled(Publisher::on(day(TODAY))).await;
    stage.all_come_to("ok", 1).await;
    stage.caught_up().await;
    let (held, before) = (stage.publisher.publisher_data(), stage.everything().await);
    // Only some of them: all are tried without a schedule, and a round of seventy series takes time.
    let rounds = on_the_way(day(TODAY)).into_iter().step_by(4);
    for round in rounds.chain(at_the_source(&held, day(TODAY)).into_iter().take(2)) {
        round.iter().for_each(|bad_day| bad_day.strike(&stage.publisher, day(TODAY)));
        // At any hour and weekday, every source is due after two days.
        stage
            .pass(Duration::from_secs(48 * 3600), &Source::ALL, |source| {
                round.iter().find(|bad_day| bad_day.source == source).map_or("ok", |bad_day| bad_day.kind)
            })
            .await;
        let struck: Vec<Source> = round.iter().map(|bad_day| bad_day.source).collect();
        for source in &struck {
            assert!(stage.health(*source).await["last_error"].is_string(), "{source}: {}", round[0].name);
        }
        assert!(stage.everything().await == before, "{}: an answer changed", round[0].name);
        stage.publisher.restore(&held);
        stage.pass(Duration::from_secs(7 * 60), &struck, |_| "ok").await;
    }
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_a_publisher() {
    let publisher = Publisher::on(day(TODAY));
    publisher.pause(Duration::from_secs(20));
    let stage = scheduled(publisher).await;
    tokio::time::timeout(Duration::from_secs(5), stage.app.service.stop()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_panic_in_a_source_is_the_error_of_that_source() {
    let mut broken = None;
    let stage = scheduled_with(Publisher::on(day(TODAY)), |setup| {
        let store = Arc::new(FaultyStore::new(Arc::clone(&setup.store)));
        store.panic_on(Operation::ReadFiles);
        setup.store = Arc::clone(&store) as Arc<dyn Store>;
        broken = Some(store);
    })
    .await;
    stage.all_come_to("internal", 1).await;
    stage.caught_up().await;
    let error = stage.health(Source::Filings).await["last_error"].as_str().unwrap().to_owned();
    assert!(error.contains("fault of this program"), "{error}");
    let (_, metrics) = stage.app.admin("/metrics").await;
    for line in [
        &format!("lastro_panics_total {}\n", Source::ALL.len()),
        "lastro_job_restarts_total{job=\"sync:filings\"} 0\n",
    ] {
        assert!(metrics.contains(line), "{line} is missing:\n{metrics}");
    }
    broken.unwrap().stop_panics();
    stage.pass(Duration::from_secs(3600), &Source::ALL, |_| "ok").await;
    assert!(stage.health(Source::Filings).await["last_error"].is_null());
}

#[tokio::test]
async fn the_loop_of_a_panicking_source_is_restarted() {
    let stage = scheduled(Publisher::on(day(TODAY))).await;
    stage.all_come_to("ok", 1).await;
    stage.app.faults.panic_on(Operation::TakeLease);
    stage.app.advance(Duration::from_secs(30 * 3600));
    let restarted = async || {
        let (_, metrics) = stage.app.admin("/metrics").await;
        !metrics.contains("lastro_job_restarts_total{job=\"sync:companies\"} 0\n")
    };
    while !restarted().await {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    stage.app.faults.stop_panics();
    stage.comes_to(Source::Companies, "ok", 2).await;
}

/// The publisher of the series is down: three series find out, and the rest wait until one has retried.
#[tokio::test]
async fn an_unreachable_publisher_is_tried_by_few_series() {
    let publisher = Publisher::on(day(TODAY));
    publisher.trouble("sgs:", Trouble::Later(503, 3600));
    let stage = scheduled(publisher).await;
    let outcome = |source| if matches!(source, Source::Series(_)) { "unreachable" } else { "ok" };
    stage.come_to(&Source::ALL.map(|source| (source, outcome(source), 1))).await;
    // When the third has failed, two others may be running.
    let asked = stage.publisher.codes_in_order();
    assert!((3..=5).contains(&asked.len()), "{asked:?}");
    stage.caught_up().await;
    for series in Series::ALL {
        let health = stage.health(series.into()).await;
        assert!(health["last_error"].as_str().unwrap().contains("status 503"), "{health}");
    }
    stage.publisher.forget();
    stage.pass(Duration::from_secs(4 * 60), &[], |_| "ok").await;
    tokio::time::sleep(POLL_INTERVAL * 4).await;
    assert_eq!(stage.publisher.asked("sgs:"), 0, "it is left alone");
    stage.publisher.mend();
    stage.app.advance(Duration::from_secs(3 * 60));
    stage.all_come_to("ok", 1).await;
    stage.caught_up().await;
    stage.shows(&stage.publisher.publisher_data()).await;
}
