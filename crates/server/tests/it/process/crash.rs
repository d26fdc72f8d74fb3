//! `kill -9` at the worst moments: promised data is still there, and the next start works.

use std::process::Child;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lastro_model::{Records, Series, Source};
use lastro_sample as sample;
use lastro_store::{Condition, Publication, PublicationItem};

use super::{Home, Running, client, eventually};

/// Requests of clients before the server died.
#[derive(Default)]
struct Traffic {
    sent: AtomicU64,
    seen_at: Mutex<Vec<Instant>>,
    registered: Mutex<Vec<String>>,
}

async fn ask_on(url: String, key: String, traffic: Arc<Traffic>) {
    let client = client();
    loop {
        traffic.sent.fetch_add(1, Ordering::SeqCst);
        let sent = client.get(format!("{url}/api/v1/market/overview")).header("x-api-key", &key).send().await;
        let Ok(response) = sent else { return };
        if response.bytes().await.is_err() {
            return;
        }
        traffic.seen_at.lock().unwrap().push(Instant::now());
    }
}

async fn register_on(url: String, traffic: Arc<Traffic>) {
    let client = client();
    loop {
        let body = r#"{"name":"Bia","email":"bia@example.com"}"#;
        let sent = client.post(format!("{url}/api/v1/plans/register")).body(body).send().await;
        let Ok(response) = sent else { return };
        if response.status() != 201 {
            return;
        }
        let Ok(body) = response.bytes().await else { return };
        let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
        traffic.registered.lock().unwrap().push(answer["api_key"].as_str().unwrap().to_owned());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_at_most_a_second_and_no_key() {
    let home = Home::new();
    killed_server_forgets_little(&home, || ()).await;
}

/// A publication by another process that has begun to write. It is killed on drop.
struct Publishing(Child);

impl Publishing {
    fn begun(home: &Home) -> Self {
        let demo = ["demo", "--companies", "500", "--filings", "2000000"];
        let publishing = Self(home.command(&demo).spawn().unwrap());
        let log = home.file("lastro.db-wal");
        let written = || std::fs::metadata(&log).map_or(0, |about| about.len());
        let deadline = Instant::now() + super::TIMEOUT;
        while written() < 20_000_000 {
            assert!(Instant::now() < deadline, "nothing is published");
            std::thread::sleep(Duration::from_millis(20));
        }
        publishing
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        assert_eq!(self.0.try_wait().unwrap(), None, "the publication ended too early to show anything");
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_during_a_large_publication_loses_no_more() {
    let home = Home::new();
    killed_server_forgets_little(&home, || Publishing::begun(&home)).await;
}

/// `beside` starts a process that is stopped after the server.
async fn killed_server_forgets_little<T>(home: &Home, beside: impl FnOnce() -> T) {
    let server = home.serve(&["--registrations-per-hour", "25"]);
    let key = home.new_key("platinum", &["--rate-limit", "100000000"]);
    let traffic = Arc::new(Traffic::default());
    let mut tasks = vec![tokio::spawn(register_on(server.url.clone(), Arc::clone(&traffic)))];
    tasks.extend((0..4).map(|_| tokio::spawn(ask_on(server.url.clone(), key.clone(), Arc::clone(&traffic)))));
    assert!(eventually(async || !traffic.seen_at.lock().unwrap().is_empty()).await, "nobody is answered");
    let beside = beside();
    tokio::time::sleep(Duration::from_millis(1600)).await;
    let killed_at = Instant::now();
    server.kill();
    drop(beside);
    for task in tasks {
        task.await.unwrap();
    }

    let server = home.serve(&[]);
    let (status, usage) = server.get("/api/v1/plans/usage", Some(&key)).await;
    assert_eq!(status, 200);
    let kept = usage["total"].as_u64().unwrap();
    let a_second_before = killed_at - Duration::from_secs(1);
    let promised = traffic.seen_at.lock().unwrap().iter().filter(|at| **at <= a_second_before).count() as u64;
    assert!(promised > 0, "no request was answered in time");
    assert!((promised..=traffic.sent.load(Ordering::SeqCst)).contains(&kept), "{promised} <= {kept}");
    let registered = traffic.registered.lock().unwrap().clone();
    assert!(!registered.is_empty());
    for key in &registered {
        assert_eq!(server.status("/api/v1/plans/usage", key).await, 200, "a registered key is gone");
    }
}

/// Starts the command and kills it after this time, whatever it is doing.
fn killed_after(home: &Home, arguments: &[&str], milliseconds: u64) {
    let mut child = home.command(arguments).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(milliseconds));
    child.kill().unwrap();
    child.wait().unwrap();
}

async fn is_whole(server: &Running, home: &Home) {
    let rows = server.rows().await;
    assert!(rows.iter().all(|(_, rows)| *rows > 0), "{rows:?}");
    let key = home.new_key("gold", &[]);
    for (source, rows) in &rows {
        let path = match source.as_str() {
            "companies" => "/api/v1/companies",
            "filings" => "/api/v1/filings",
            _ => continue,
        };
        assert_eq!(server.get(path, Some(&key)).await.1["total"], *rows, "{source}");
    }
}

#[tokio::test]
async fn a_repeatedly_killed_first_start_completes() {
    let home = Home::new();
    for milliseconds in [5, 25, 60, 120, 200, 300] {
        killed_after(&home, super::FREE_PORTS, milliseconds);
    }
    is_whole(&home.serve(&[]), &home).await;
}

#[tokio::test]
async fn a_first_start_that_filled_one_source_is_completed() {
    let home = Home::new();
    let store = lastro_store::open(&home.url()).await.unwrap();
    let (sender, rows) = tokio::sync::mpsc::channel(2);
    let rates = Records::Rates(sample::rates(Series::Selic, 1));
    sender.send(PublicationItem::Rows(rates)).await.unwrap();
    sender.send(PublicationItem::Commit).await.unwrap();
    let at = jiff::Timestamp::UNIX_EPOCH;
    let publication = Publication {
        source: Source::Series(Series::Selic),
        sample: true,
        replace: true,
        at,
        condition: Condition::None,
    };
    store.publish(publication, rows).await.unwrap();
    drop(store);
    is_whole(&home.serve(&[]), &home).await;
}

#[tokio::test]
async fn a_killed_demo_leaves_the_old_or_the_new_edition() {
    let home = Home::new();
    home.must(&["demo", "--companies", "20", "--filings", "300"]);
    let demo = ["demo", "--companies", "500", "--filings", "20000", "--seed", "2"];
    for milliseconds in [10, 60, 150, 400] {
        killed_after(&home, &demo, milliseconds);
        let store = lastro_store::open_existing(&home.url()).await.unwrap();
        for state in store.source_states().await.unwrap() {
            match state.source {
                Source::Companies => assert!([20, 500].contains(&state.rows), "{state:?}"),
                Source::Filings => assert!([300, 20_000].contains(&state.rows), "{state:?}"),
                Source::Series(_) | Source::Fx | Source::Tickers => {}
            }
        }
    }
    is_whole(&home.serve(&[]), &home).await;
}
