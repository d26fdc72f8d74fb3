//! `lastro migrate`: from one machine to a database server, and back.

use std::io::{BufRead, BufReader};
use std::process::Command;

use lastro_model::{Day, RatePoint, Records, Series, Source};
use lastro_store::{Condition, Publication};
use serde_json::Value;

use super::webhooks::{ALLOWED, publish, register};
use super::{Finished, Home, Running, client, eventually};
use crate::receiver::Receiver;

const SELIC: &str = "/api/v1/market/selic";
const USAGE: &str = "/api/v1/plans/usage";

/// An empty PostgreSQL database, dropped at the end of the test.
pub(crate) struct Server {
    pub(crate) url: String,
    name: String,
}

impl Server {
    pub(crate) fn new() -> Self {
        let name = format!("lastro_migrate_{}_{:08x}", std::process::id(), fastrand::u32(..));
        psql(&address("postgres"), &format!("CREATE DATABASE {name} TEMPLATE template0"));
        Self { url: format!("{}?sslmode=disable", address(&name)), name }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        psql(&address("postgres"), &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

/// The address of a database on the server that `scripts/servers` starts.
fn address(database: &str) -> String {
    let server = std::env::var("LASTRO_TEST_POSTGRES")
        .expect("these tests need a PostgreSQL: run them with `scripts/servers cargo nextest run`");
    format!("{}/{database}", server.rsplit_once('/').unwrap().0)
}

fn psql(url: &str, statement: &str) -> String {
    let output = Command::new("psql").args(["-qtA", url, "-c", statement]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn migrate(home: &Home, from: &str, to: &str, more: &[&str]) -> Finished {
    home.run(&[&["migrate", "--from", from, "--to", to], more].concat())
}

fn stop(server: Running) {
    server.terminate();
    assert!(server.ended().0.success());
}

fn used(usage: &Value) -> u64 {
    usage["total"].as_u64().unwrap()
}

/// Whole data sets, the changes of values, and the webhook with its deliveries, as the API gives them.
async fn answers(server: &Running, key: &str, webhook: &str) -> Vec<(String, String)> {
    let mut paths = ["filings", "companies", "series", "fx"].map(|data| format!("export/{data}")).to_vec();
    paths.extend(["series/selic/revisions".to_owned(), "webhooks".to_owned()]);
    paths.push(format!("webhooks/{webhook}/deliveries"));
    let mut answers = Vec::new();
    for path in paths {
        let request = client().get(format!("{}/api/v1/{path}", server.url)).header("x-api-key", key);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        answers.push((path, response.text().await.unwrap()));
    }
    answers
}

fn assert_same(after: &[(String, String)], before: &[(String, String)]) {
    for ((path, after), (_, before)) in after.iter().zip(before) {
        assert!(after == before, "{path} differs: {} and {} bytes", after.len(), before.len());
    }
}

/// Publishes a value, and then another one in its place.
async fn revise(home: &Home) {
    let store = lastro_store::open_existing(&home.url()).await.unwrap();
    for (value, replace) in [("15.00", true), ("15.25", false)] {
        let rows = vec![RatePoint { day: Day::parse("2026-10-30").unwrap(), value: value.parse().unwrap() }];
        let (source, at) = (Source::Series(Series::Selic), jiff::Timestamp::now());
        let publication = Publication { source, sample: false, replace, at, condition: Condition::None };
        store.publish_together(vec![(publication, Records::Rates(rows))]).await.unwrap();
    }
}

fn id_of(key: &str) -> String {
    lastro_access::ApiKey::parse(key).unwrap().id().to_string()
}

#[tokio::test]
async fn a_service_moves_to_postgres_and_back() {
    let (home, server, receiver) = (Home::new(), Server::new(), Receiver::open());
    let running = home.serve(ALLOWED);
    let (key, other) = (home.new_key("platinum", &[]), home.new_key("free", &["--rate-limit", "77"]));
    let webhook = register(&running, &key, &receiver).await;
    revise(&home).await;
    publish(&home, 0..50, true).await;
    publish(&home, 50..51, false).await;
    let delivered = async || home.must(&["webhooks", "show", &webhook]).contains("1 of 1 deliveries");
    assert!(eventually(async || receiver.count() == 1 && delivered().await).await);
    for key in [&key, &other] {
        assert_eq!(running.status(SELIC, key).await, 200);
    }
    let before = answers(&running, &key, &webhook).await;
    let revisions = &before.iter().find(|(path, _)| path.ends_with("revisions")).unwrap().1;
    assert!(revisions.contains("15.25") && before[0].1.lines().count() == 51, "{revisions}");
    let counted = used(&running.get(USAGE, Some(&key)).await.1);
    let refused = migrate(&home, &home.url(), &server.url, &[]);
    assert!(
        !refused.succeeded() && refused.stderr.contains("the source is in service"),
        "{}",
        refused.stderr
    );
    stop(running);

    let moved = migrate(&home, &home.url(), &server.url, &[]);
    assert!(moved.succeeded(), "{}", moved.stderr);
    let keys = moved.stdout.lines().find(|line| line.starts_with("api_key ")).unwrap();
    assert_eq!(keys.split_whitespace().nth(1), Some("2"), "{}", moved.stdout);
    assert!(
        moved.stderr.contains("rows of filing") && moved.stderr.contains("lastro.db.pepper"),
        "{}",
        moved.stderr
    );

    let there = ["--database", &server.url, "--pepper-file", "lastro.db.pepper"];
    let running = home.serve(&[ALLOWED, &there].concat());
    assert_same(&answers(&running, &key, &webhook).await, &before);
    let since = used(&running.get(USAGE, Some(&key)).await.1);
    assert_eq!(since, counted + 1 + before.len() as u64, "the counts go on");
    home.must(&[&["keys", "set-plan", &id_of(&other), "gold"], &there[..]].concat());
    running.becomes("/api/v1/filings", &other, 200).await;
    stop(running);

    let back = format!("sqlite:{}", home.file("back.db").display());
    let missing = migrate(&home, &server.url, &back, &[]);
    assert!(missing.stderr.contains("--pepper-file") && !home.file("back.db").exists(), "{}", missing.stderr);
    let moved = migrate(&home, &server.url, &back, &there[2..]);
    assert!(moved.succeeded(), "{}", moved.stderr);
    let running = home.serve(&["--database", &back, "--pepper-file", "lastro.db.pepper"]);
    assert_same(&answers(&running, &key, &webhook).await, &before);
    assert_eq!(running.status("/api/v1/filings", &other).await, 200);
}

#[test]
fn a_wrong_pepper_stops_before_anything_is_written() {
    let (home, server) = (Home::new(), Server::new());
    home.new_key("gold", &[]);
    std::fs::write(home.file("wrong"), "0f".repeat(32)).unwrap();
    for (file, sentence) in [("wrong", "another pepper"), ("absent", "absent is missing")] {
        let refused = migrate(&home, &home.url(), &server.url, &["--pepper-file", file]);
        assert!(!refused.succeeded() && refused.stderr.contains(sentence), "{}", refused.stderr);
    }
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(psql(&server.url, tables).trim(), "0");
    assert!(!home.file("absent").exists());
}

#[test]
fn a_killed_migration_is_continued() {
    let (home, server) = (Home::new(), Server::new());
    home.new_key("gold", &[]);
    home.must(&["demo", "--companies", "200", "--filings", "30000"]);
    let mut child = home.command(&["migrate", "--from", &home.url(), "--to", &server.url]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("rows of company")), "it ended early");
    child.kill().unwrap();
    child.wait().unwrap();

    let there = ["--database", &server.url, "--pepper-file", "lastro.db.pepper"];
    let refusal = home.refusal(&there);
    assert!(refusal.contains("has not finished; run the same `lastro migrate` again"), "{refusal}");
    let held = migrate(&home, &home.url(), &server.url, &[]);
    assert!(held.stderr.contains("try again in 20 seconds"), "{}", held.stderr);
    psql(&server.url, "DELETE FROM lease");
    let moved = migrate(&home, &home.url(), &server.url, &[]);
    assert!(moved.succeeded(), "{}", moved.stderr);
    assert_eq!(psql(&server.url, "SELECT COUNT(*) FROM filing").trim(), "30000");
    home.must(&[&["keys", "list"], &there[..]].concat());
}

#[test]
fn addresses_may_be_in_files_and_are_not_printed() {
    let home = Home::new();
    std::fs::write(home.file("to"), "postgres://lastro:hunter2@127.0.0.1:1/lastro\n").unwrap();
    home.new_key("gold", &[]);
    let refused = home.run(&["migrate", "--from", &home.url(), "--to-file", "to"]);
    assert!(
        refused.stderr.contains("cannot be reached") && !refused.stderr.contains("hunter2"),
        "{}",
        refused.stderr
    );
    for arguments in [
        &["migrate", "--from", "sqlite:a.db"][..],
        &["migrate", "--from", "sqlite:a.db", "--to", "sqlite:b.db", "--to-file", "to"],
    ] {
        assert_eq!(home.run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
