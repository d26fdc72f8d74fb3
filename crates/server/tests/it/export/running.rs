//! Running exports: their number at a time, their edition, and the way each ends.

use std::time::Duration;

use lastro_model::{Filing, FilingId, Plan, Records, Source};
use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{export, lines};
use crate::app::{TestApp, soon};
use crate::csv::publish;

/// More than socket buffers hold, so that an export proceeds only while its client reads.
const BULKY_FILINGS: u64 = 250;
const BULKY_BYTES: usize = 24_000;

/// The bulk is in the links: only they are not searched, so building the index stays quick.
async fn bulky_app() -> TestApp {
    let app = TestApp::start().await;
    let companies = lastro_sample::companies(&lastro_sample::Shape::SAMPLE);
    let model = lastro_sample::filings(&lastro_sample::Shape::SAMPLE, &companies).next().unwrap();
    let url = format!("https://sample.invalid/{}", "x".repeat(BULKY_BYTES));
    let filing = |id| Filing { id: FilingId::Protocol(id), url: url.clone(), ..model.clone() };
    publish(&app, Source::Filings, Records::Filings((1..=BULKY_FILINGS).map(filing).collect())).await;
    app
}

/// A client that reads only on demand.
struct Reader {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Reader {
    /// Requests all filings and reads to the end of the header.
    async fn begin(app: &TestApp, key: &str) -> Self {
        let mut stream = TcpStream::connect(app.service.address).await.unwrap();
        let request = format!("GET /api/v1/export/filings HTTP/1.1\r\nhost: x\r\nx-api-key: {key}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reader = Self { stream, received: Vec::new() };
        while !reader.text().contains("\r\n\r\n") {
            reader.read_some().await;
        }
        assert!(reader.text().starts_with("HTTP/1.1 200 "), "{}", reader.text());
        reader
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.received).into_owned()
    }

    async fn read_some(&mut self) -> usize {
        let mut chunk = [0; 16 * 1024];
        let read = self.stream.read(&mut chunk).await.unwrap_or(0);
        self.received.extend_from_slice(&chunk[..read]);
        read
    }

    /// Reads until the body is complete or the connection ends.
    async fn read_on(&mut self) {
        while !self.is_whole() && self.read_some().await > 0 {}
    }

    /// Whether the last, empty chunk has arrived.
    fn is_whole(&self) -> bool {
        self.received.ends_with(b"\r\n0\r\n\r\n")
    }
}

async fn running(app: &TestApp) -> usize {
    let (_, metrics) = app.admin("/metrics").await;
    let line = metrics.lines().find(|line| line.starts_with("lastro_exports_running ")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Advances the clock and sweeps for clients that read nothing, as the service does every second. Repeats this
/// because the buffers of such a client go on filling for a moment.
async fn two_minutes_at_a_time_until_nothing_runs(app: &TestApp) {
    soon(async || {
        for _ in 0..120 {
            app.advance(Duration::from_secs(1));
            app.service.app.connections.sweep();
        }
        running(app).await == 0
    })
    .await;
}

#[tokio::test]
async fn two_exports_run_at_a_time_and_a_third_is_rejected() {
    let app = bulky_app().await;
    let (key, other) = (app.ample_key(Plan::Gold).await, app.ample_key(Plan::Gold).await);
    let tag =
        app.request(Method::HEAD, "/api/v1/export/filings").key(&key).send().await.header("etag").to_owned();
    let (mut first, second) = (Reader::begin(&app, &key).await, Reader::begin(&app, &key).await);
    assert_eq!(running(&app).await, 2);
    let left = app.get("/health").key(&key).send().await.number("x-ratelimit-remaining");
    let refused = app.get("/api/v1/export/selic").key(&key).send().await.expect(429);
    assert!(refused.number("retry-after") > 0);
    assert_eq!(refused.number("x-ratelimit-remaining"), left, "a refusal costs nothing");
    // Responses without a body need no export slot, and other holders have their own.
    app.request(Method::HEAD, "/api/v1/export/filings").key(&key).send().await.expect(200);
    app.get("/api/v1/export/filings").key(&key).header("if-none-match", &tag).send().await.expect(304);
    app.get("/api/v1/export/nothing").key(&key).send().await.expect(404);
    app.get("/api/v1/filings").key(&key).send().await.expect(200);
    lines(&export(&app, &other, "selic").await);
    first.read_on().await;
    assert!(first.is_whole());
    soon(async || running(&app).await == 1).await;
    lines(&export(&app, &key, "selic").await);
    drop(second);
    soon(async || running(&app).await == 0).await;
    let (_, metrics) = app.admin("/metrics").await;
    assert!(metrics.contains("lastro_exports_total{outcome=\"finished\"} 3\n"), "{metrics}");
    assert!(metrics.contains("lastro_exports_total{outcome=\"aborted\"} 1\n"), "{metrics}");
}

/// HTTP/1.0 cannot distinguish a broken export from a whole one.
#[tokio::test]
async fn exports_are_rejected_over_http_1_0() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for (request, status, word) in [
        ("GET /api/v1/export/selic", "400", "HTTP/1.1"),
        ("HEAD /api/v1/export/selic", "200", "x-total-count"),
        ("GET /api/v1/market/selic", "200", "\"data\""),
    ] {
        let mut stream = TcpStream::connect(app.service.address).await.unwrap();
        let request = format!("{request} HTTP/1.0\r\nx-api-key: {key}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.0 {status} ")), "{request}{answer}");
        let (_, after_status) = answer.split_once("\r\n").unwrap();
        assert!(after_status.contains(word), "{request}{answer}");
    }
    assert_eq!(running(&app).await, 0);
}

#[tokio::test]
async fn a_client_that_disconnects_frees_its_slot() {
    let app = bulky_app().await;
    let key = app.ample_key(Plan::Gold).await;
    for _ in 0..3 {
        let both = (Reader::begin(&app, &key).await, Reader::begin(&app, &key).await);
        app.get("/api/v1/export/selic").key(&key).send().await.expect(429);
        drop(both);
        soon(async || running(&app).await == 0).await;
    }
    lines(&export(&app, &key, "selic").await);
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let app = bulky_app().await;
    let key = app.ample_key(Plan::Gold).await;
    let mut reader = Reader::begin(&app, &key).await;
    let mut patient = Reader::begin(&app, &key).await;
    patient.read_on().await;
    assert!(patient.is_whole());
    two_minutes_at_a_time_until_nothing_runs(&app).await;
    reader.read_on().await;
    assert!(!reader.is_whole(), "a part must not look like the whole");
    let (_, metrics) = app.admin("/metrics").await;
    assert!(metrics.contains("lastro_exports_total{outcome=\"aborted\"} 1\n"), "{metrics}");
}

#[tokio::test]
async fn a_client_library_sees_a_broken_export_as_an_error() {
    let app = bulky_app().await;
    let key = app.ample_key(Plan::Gold).await;
    let client = crate::app::client().build().unwrap();
    let url = format!("http://{}/api/v1/export/filings", app.service.address);
    let answer = client.get(url).header("x-api-key", &key).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    two_minutes_at_a_time_until_nothing_runs(&app).await;
    assert!(answer.bytes().await.is_err());
}

/// Number of rows written to exports so far.
async fn written(app: &TestApp) -> u64 {
    let (_, metrics) = app.admin("/metrics").await;
    let line = metrics.lines().find(|line| line.starts_with("lastro_exported_rows_total ")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Over HTTP/2 the client's window fills, not the socket: other requests on the connection are still answered.
#[tokio::test]
async fn an_http_2_client_that_reads_nothing_is_disconnected() {
    let app = bulky_app().await;
    let key = app.ample_key(Plan::Gold).await;
    let (window, all) = (64 * 1024, 8 * 1024 * 1024);
    let client = crate::app::client()
        .http2_prior_knowledge()
        .http2_initial_stream_window_size(window)
        .http2_initial_connection_window_size(all);
    let client = client.build().unwrap();
    let ask = async |path: &str| {
        let url = format!("http://{}/api/v1/{path}", app.service.address);
        client.get(url).header("x-api-key", &key).send().await.unwrap()
    };
    let idle = ask("export/filings").await;
    assert_eq!((idle.status().as_u16(), idle.version()), (200, reqwest::Version::HTTP_2));
    assert_eq!(ask("export/filings").await.text().await.unwrap().lines().count() as u64, BULKY_FILINGS);
    soon(async || running(&app).await == 1).await;

    two_minutes_at_a_time_until_nothing_runs(&app).await;
    let ahead = written(&app).await - BULKY_FILINGS;
    assert!(ahead < BULKY_FILINGS / 5, "{ahead} rows were written for a client that takes nothing");
    assert!(idle.bytes().await.is_err(), "a part must not look like the whole");
    let (_, metrics) = app.admin("/metrics").await;
    assert!(metrics.contains("lastro_exports_total{outcome=\"aborted\"} 1\n"), "{metrics}");
    assert_eq!(ask("export/filings").await.text().await.unwrap().lines().count() as u64, BULKY_FILINGS);
}

#[tokio::test]
async fn an_export_keeps_its_edition_until_the_end() {
    let app = bulky_app().await;
    let key = app.ample_key(Plan::Gold).await;
    let mut reader = Reader::begin(&app, &key).await;
    publish(&app, Source::Filings, Records::Filings(Vec::new())).await;
    assert!(lines(&export(&app, &key, "filings").await).is_empty());
    reader.read_on().await;
    assert!(reader.is_whole());
    let rows = reader.text().matches("{\"id\":\"").count() as u64;
    assert_eq!(rows, BULKY_FILINGS);
}
