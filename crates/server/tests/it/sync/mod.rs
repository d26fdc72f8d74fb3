//! Synchronisation, from the stand-in publishers to the responses of a running server.
//!
//! This module has the setup: a running server, publishers whose trouble the tests control, and a synchronisation on
//! the same database as another process would run it. The publishers' data defines the expected responses.

mod again;
mod clock;
mod corrections;
mod first;
mod future_filings;
mod interrupted;
mod real;
mod replaced;
mod schedule;
mod tickers;
mod trouble;
mod withheld;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use lastro_ingest::fetch::{Fetcher, RetryPolicy};
use lastro_ingest::lease::LeaseHolder;
use lastro_ingest::report::Lines;
use lastro_ingest::result::{SyncError, Synchronised};
use lastro_ingest::spool::Spool;
use lastro_ingest::sync::{Reach, Synchronizer};
use lastro_ingest::turns::Turns;
use lastro_model::{Clock, Day, Filing, Plan, Series, Source};
use lastro_store::RecordStore;
use serde_json::Value;

use crate::app::{TestApp, database};
use crate::publisher::{Publisher, PublisherData};

/// The day of [`crate::app::START_UNIX_MS`].
const TODAY: &str = "2026-11-02";
const SINCE: i16 = 2024;
/// Interval at which these servers poll the store. It is short because tests wait for it after every step.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// One source for each request format, and the most popular ones: a test need not wait for seventy series.
const WATCHED: [Source; 7] = [
    Source::Series(Series::Selic),
    Source::Series(Series::Cdi),
    Source::Series(Series::Ipca),
    Source::Fx,
    Source::Companies,
    Source::Filings,
    Source::Tickers,
];

/// All data of [`Publisher::on`] that a Gold key can read.
pub(crate) const EVERYTHING: [&str; 10] = [
    "/api/v1/market/selic?limit=10000",
    "/api/v1/market/cdi?limit=10000",
    "/api/v1/market/ipca?limit=10000",
    "/api/v1/market/fx?limit=10000",
    "/api/v1/market/fx?pair=EUR/BRL&limit=10000",
    "/api/v1/market/overview",
    "/api/v1/companies?limit=1000",
    "/api/v1/filings?limit=1000",
    "/api/v1/search?q=energia",
    "/api/v1/filings/search?q=emissao",
];

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

/// Long enough for a busy machine; too short for a drip.
fn short() -> RetryPolicy {
    RetryPolicy {
        timeout: Duration::from_millis(1500),
        attempts: 3,
        first_pause: Duration::from_millis(1),
        spacing: Duration::ZERO,
    }
}

/// The lease holder of a separate process.
fn lease_holder() -> LeaseHolder {
    LeaseHolder::new("test", &lastro_background::clock::random_hex(6), Duration::from_secs(60))
}

struct Stage {
    app: TestApp,
    publisher: Publisher,
    retries: RetryPolicy,
    key: String,
}

type Results = BTreeMap<Source, Result<Synchronised, SyncError>>;

impl Stage {
    /// A server with the sample, and publishers that have received no request.
    async fn set() -> Self {
        Self::with(Publisher::on(day(TODAY))).await
    }

    async fn with(publisher: Publisher) -> Self {
        let app = TestApp::start_with(|setup| setup.settings.poll_interval = POLL_INTERVAL).await;
        let key = app.ample_key(Plan::Gold).await;
        Self { app, publisher, retries: short(), key }
    }

    /// The same after a first synchronisation of the watched sources.
    async fn synchronised() -> Self {
        let stage = Self::set().await;
        for (source, result) in stage.run_watched().await {
            assert!(result.is_ok(), "{source}: {result:?}");
        }
        stage.caught_up().await;
        stage
    }

    /// A synchronisation as another process would run it, a second after the one before: the server notices an attempt by
    /// its time.
    async fn sync(&self) -> Synchronizer {
        self.app.advance_seconds(1);
        let clock = Arc::clone(&self.app.clock) as Arc<dyn Clock>;
        let spool = Spool::beside(&database(&self.app.directory), Arc::clone(&clock));
        Synchronizer {
            store: self.app.elsewhere().await,
            clock,
            fetcher: Fetcher::new(
                lastro_background::tls::client().unwrap(),
                self.retries.clone(),
                || 0.5,
                spool,
            )
            .unwrap(),
            publishers: self.publisher.addresses(),
            since: SINCE,
            lease_holder: lease_holder(),
            turns: Turns::default(),
            accept: Vec::new(),
            report: Box::new(Lines { every_step: true }),
        }
    }

    async fn run_all(&self) -> Results {
        self.run_these(&Source::ALL).await
    }

    async fn run_watched(&self) -> Results {
        self.run_these(&WATCHED).await
    }

    async fn run_these(&self, sources: &[Source]) -> Results {
        let sync = self.sync().await;
        let run = async |source| (source, sync.run(source, Reach::Recent).await);
        // Boxed, because so many concurrent futures would be too large for the stack.
        let all = sources.iter().map(|source| Box::pin(run(*source)));
        join_all(all).await.into_iter().collect()
    }

    async fn run(&self, source: Source) -> Result<Synchronised, SyncError> {
        self.sync().await.run(source, Reach::Recent).await
    }

    /// Waits until the server shows the state of the store.
    async fn caught_up(&self) {
        let states = self.app.faults.source_states().await.unwrap();
        // An unoptimised binary takes seconds to build a large index.
        for _ in 0..3_000 {
            if **self.app.service.app.served.freshness.load() == states {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the server does not show {states:?}");
    }

    async fn text(&self, path: &str) -> String {
        self.app.get(path).key(&self.key).send().await.expect(200).text()
    }

    async fn json(&self, path: &str) -> Value {
        self.app.get(path).key(&self.key).send().await.expect(200).json()
    }

    /// The state of a source in `/health`.
    async fn health(&self, source: Source) -> Value {
        told_of(&self.json("/health").await, source)
    }

    /// The responses to [`EVERYTHING`].
    async fn everything(&self) -> Vec<String> {
        let mut answers = Vec::new();
        for path in EVERYTHING {
            answers.push(self.text(path).await);
        }
        answers
    }

    /// Checks that every served value equals the publishers' data, to the last character.
    async fn shows(&self, publisher_data: &PublisherData) {
        for (name, code) in [("selic", 432), ("cdi", 4389), ("ipca", 433)] {
            let path = format!("/api/v1/market/{name}?");
            self.shows_points(&path, &rate_texts(&publisher_data.series[&code])).await;
        }
        let mut pairs: BTreeMap<&str, Vec<(Day, String)>> = BTreeMap::new();
        for ((currency, day), (buy, sell)) in &publisher_data.quotes {
            let text = format!(r#"{{"date":"{day}","pair":"{currency}/BRL","buy":{buy},"sell":{sell}}}"#);
            pairs.entry(currency).or_default().push((*day, text));
        }
        for (currency, points) in pairs {
            self.shows_points(&format!("/api/v1/market/fx?pair={currency}/BRL&"), &points).await;
        }
        let mut companies = publisher_data.companies.clone();
        companies.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        let shown = |company| crate::companies::shown_with(company, &publisher_data.securities);
        self.shows_list("/api/v1/companies?", companies.iter().map(shown).collect()).await;
        let mut filings: Vec<&Filing> = publisher_data.filings.values().flatten().collect();
        filings.sort_by_key(|filing| std::cmp::Reverse((filing.delivered_on, filing.id)));
        self.shows_list("/api/v1/filings?", filings.into_iter().map(crate::filings::shown).collect()).await;
    }

    /// `points` are ordered by day; they are requested by decade.
    async fn shows_points(&self, path: &str, points: &[(Day, String)]) {
        for decade in points.chunk_by(|a, b| a.0.year() / 10 == b.0.year() / 10) {
            let (from, to) = (decade[0].0, decade[decade.len() - 1].0);
            let texts: Vec<&str> = decade.iter().rev().map(|(_, text)| text.as_str()).collect();
            let served = self.text(&format!("{path}from={from}&to={to}&limit=10000")).await;
            let expected = format!(r#"{{"data":[{}],"total":{}}}"#, texts.join(","), texts.len());
            assert!(served == expected, "{path}: {served:.300}");
        }
        // No points before the first or after the last.
        let (first, last) = (points[0].0.plus_days(-1), points[points.len() - 1].0.plus_days(1));
        for nothing in [format!("to={first}"), format!("from={last}")] {
            assert_eq!(
                self.text(&format!("{path}{nothing}")).await,
                r#"{"data":[],"total":0}"#,
                "{path}{nothing}"
            );
        }
    }

    async fn shows_list(&self, path: &str, rows: Vec<Value>) {
        for (number, page) in rows.chunks(1000).enumerate() {
            let served = self.json(&format!("{path}limit=1000&offset={}", number * 1000)).await;
            assert_eq!(served["total"], rows.len(), "{path}");
            for (served, held) in served["data"].as_array().unwrap().iter().zip(page) {
                let mut served = served.clone();
                assert!(served["first_seen_at"].take().is_string(), "{path}");
                assert_eq!(&served, held, "{path}");
            }
            assert_eq!(served["data"].as_array().unwrap().len(), page.len());
        }
    }
}

fn rate_texts(values: &BTreeMap<Day, String>) -> Vec<(Day, String)> {
    values.iter().map(|(day, value)| (*day, format!(r#"{{"date":"{day}","value":{value}}}"#))).collect()
}

/// The state of a source in this response of `/health`.
fn told_of(health: &Value, source: Source) -> Value {
    let sources = health["sources"].as_array().unwrap();
    sources.iter().find(|told| told["source"] == source.name()).unwrap().clone()
}
