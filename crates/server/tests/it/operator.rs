//! The operator's listener: liveness, readiness, and metrics.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use lastro_config::AdminListen;
use lastro_model::Plan;

use crate::app::{START_UNIX_MS, TestApp};

/// Every sample of a scrape by its name with labels. Panics if the text is not in the Prometheus format.
fn parse(text: &str) -> BTreeMap<String, f64> {
    let (mut typed, mut samples) = (BTreeSet::new(), BTreeMap::new());
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.split(' ');
            let (what, name) = (words.next().unwrap(), words.next().unwrap());
            assert!(["HELP", "TYPE"].contains(&what), "{line}");
            if what == "TYPE" {
                assert!(["counter", "gauge", "histogram"].contains(&words.next().unwrap()), "{line}");
                assert!(typed.insert(name.to_owned()), "{name} is declared twice");
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        let name = series.split('{').next().unwrap();
        let family = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .filter(|f| typed.contains(*f));
        assert!(typed.contains(family.unwrap_or(name)), "{name} has no type");
        assert!(!series.contains('{') || series.ends_with("\"}"), "{line}");
        assert!(samples.insert(series.to_owned(), value.parse().unwrap()).is_none(), "{series} occurs twice");
    }
    samples
}

#[tokio::test]
async fn metrics_are_prometheus_text_and_count_every_answer() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for (path, times) in [("/health", 3), ("/api/v1/companies/90001", 2), ("/nothing/at/all", 4)] {
        for _ in 0..times {
            app.get(path).key(&key).send().await;
        }
    }
    let (status, text) = app.admin("/metrics").await;
    assert_eq!(status, 200);
    let samples = parse(&text);
    let requests = |route: &str, status: u16| {
        samples[&format!("lastro_requests_total{{route=\"{route}\",status=\"{status}\"}}")]
    };
    assert_eq!(requests("GET /health", 200), 3.0);
    assert_eq!(requests("GET /api/v1/companies/{id}", 403), 2.0);
    assert_eq!(requests("unknown", 404), 4.0);
    let latency = |part: &str| samples[&format!("lastro_request_duration_seconds_{part}")];
    assert_eq!(latency("count{route=\"GET /health\"}"), 3.0);
    assert_eq!(latency("bucket{route=\"GET /health\",le=\"+Inf\"}"), 3.0);
    let by_class = |class: &str, status: &str| {
        samples
            [&format!("lastro_http_request_duration_seconds_count{{class=\"{class}\",status=\"{status}\"}}")]
    };
    let counts =
        [("read", "2xx", 3.0), ("read", "4xx", 2.0), ("unknown", "4xx", 4.0), ("search", "2xx", 0.0)];
    for (class, status, count) in counts {
        assert_eq!(by_class(class, status), count, "{class} {status}");
    }
    for name in [
        "lastro_limiter_entries",
        "lastro_usage_unflushed",
        "lastro_keys",
        "lastro_panics_total",
        "lastro_ready",
        "process_max_fds",
    ] {
        assert!(samples.contains_key(name), "{name}");
    }
    for name in ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"] {
        assert!(samples[name] > 0.0, "{name}");
    }
    assert_eq!(samples["process_start_time_seconds"], START_UNIX_MS as f64 / 1000.0);
    let build = format!("lastro_build_info{{version=\"{}\",commit=\"{}\"}}", lastro::VERSION, lastro::COMMIT);
    assert_eq!(samples[&build], 1.0);
    assert!(samples["lastro_store_call_duration_seconds_count{kind=\"read\",outcome=\"ok\"}"] > 0.0);
    assert!(samples["lastro_rebuild_duration_seconds_count{part=\"series\"}"] > 0.0);
    for source in ["selic", "cdi", "ipca", "fx", "companies", "filings"] {
        assert!(samples[&format!("lastro_edition{{source=\"{source}\"}}")] >= 1.0);
        assert_eq!(samples[&format!("lastro_source_sample{{source=\"{source}\"}}")], 1.0);
    }
    assert_eq!(samples["lastro_source_age_seconds{source=\"selic\"}"], 3.0 * 24.0 * 3600.0);
    assert_eq!(samples["lastro_source_stale{source=\"selic\"}"], 0.0);
}

/// The names of all metrics. Those that this service has no value for are among them.
async fn names() -> BTreeSet<String> {
    let (_, text) = TestApp::start().await.admin("/metrics").await;
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// The words of a text that look like a metric.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("lastro_") || word.starts_with("process_"))
}

#[tokio::test]
async fn the_documentation_lists_every_metric() {
    let document = include_str!("../../../../docs/operations.md");
    let first = |line: &'static str| line.strip_prefix("| `").and_then(|row| row.split(" | ").next());
    let listed: BTreeSet<String> =
        document.lines().filter_map(first).flat_map(words).map(str::to_owned).collect();
    assert_eq!(listed, names().await);
}

#[tokio::test]
async fn alerts_and_dashboard_use_only_metrics_that_exist() {
    let names = names().await;
    for text in [
        include_str!("../../../../deploy/prometheus/alerts.yaml"),
        include_str!("../../../../deploy/grafana/lastro.json"),
    ] {
        for word in words(text) {
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| word.strip_suffix(suffix));
            assert!(names.contains(word) || family.is_some_and(|name| names.contains(name)), "{word}");
        }
    }
}

#[tokio::test]
async fn metrics_and_health_agree_on_stale_sources() {
    let app = TestApp::start().await;
    app.advance_seconds(86_400);
    let (_, text) = app.admin("/metrics").await;
    for (source, stale) in [("selic", 1), ("cdi", 0), ("companies", 0)] {
        assert!(text.contains(&format!("lastro_source_stale{{source=\"{source}\"}} {stale}\n")), "{source}");
    }
    assert!(text.contains("lastro_source_age_seconds{source=\"selic\"} 345600\n"));
}

#[tokio::test]
async fn no_person_and_no_secret_is_in_the_metrics() {
    let app = TestApp::start().await;
    let body = r#"{"name":"Quitéria","email":"quiteria@example.com"}"#;
    let key = app.post("/api/v1/plans/register", body).send().await.expect(201).json()["api_key"]
        .as_str()
        .unwrap()
        .to_owned();
    app.get(&format!("/{key}")).key(&key).send().await.expect(404);
    app.get(&format!("/api/v1/companies/{key}?q=quiteria@example.com")).key(&key).send().await.expect(403);
    let (_, text) = app.admin("/metrics").await;
    for secret in [&key[..], &key[16..], "quiteria", "Quitéria", "127.0.0.1"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_draining_service_is_alive_but_not_ready() {
    let app = TestApp::start().await;
    assert_eq!(app.admin("/livez").await.0, 200);
    assert_eq!(app.admin("/readyz").await.0, 200);
    app.service.app.operations.draining.store(true, Ordering::Release);
    assert_eq!(app.admin("/readyz").await.0, 503);
    assert_eq!(app.admin("/livez").await.0, 200);
    assert_eq!(app.admin("/elsewhere").await.0, 404);
    app.get("/health").send().await.expect(200);
}

#[tokio::test]
async fn the_operators_listener_can_be_off() {
    let app = TestApp::start_with(|setup| setup.settings.admin_listen = AdminListen(None)).await;
    assert!(app.service.admin_address.is_none());
    app.get("/health").send().await.expect(200);
}

#[tokio::test]
async fn silent_connections_do_not_block_the_operator() {
    let app = TestApp::start().await;
    let address = app.service.admin_address.unwrap();
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(tokio::net::TcpStream::connect(address).await.unwrap());
    }
    assert_eq!(app.admin("/livez").await.0, 200);
    let mut oldest = silent.remove(0);
    let ended = tokio::io::AsyncReadExt::read(&mut oldest, &mut [0]).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "the oldest makes place");
}
