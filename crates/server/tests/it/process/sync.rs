//! `lastro sync` beside a running server: its output, its exit status, and the effects of `kill -9`.

use std::process::Stdio;
use std::time::Duration;

use lastro_background::clock::SystemClock;
use lastro_model::{Clock, Day, Source, brasilia_day};
use serde_json::Value;

use super::{Finished, Home, Running, eventually};
use crate::publisher::{Publisher, REGISTRY, Trouble};

pub(super) const SOURCES: [&str; 6] = ["selic", "cdi", "ipca", "fx", "companies", "filings"];

pub(super) fn today() -> Day {
    brasilia_day(SystemClock::start().now().unix_ms)
}

impl Home {
    /// Runs `lastro sync` from these publishers to its end.
    pub(super) fn sync(&self, publisher: &Publisher, more: &[&str]) -> Finished {
        Finished::of(self.sync_command(publisher, more))
    }

    pub(super) fn sync_command(&self, publisher: &Publisher, more: &[&str]) -> std::process::Command {
        let mut command = self.command(&["sync"]);
        command.args(publisher.flags()).args(more);
        command
    }
}

impl Running {
    /// The state of a source in `/health`; null while the quota of the client is used up.
    pub(super) async fn source(&self, name: &str) -> Value {
        let (_, health) = self.get("/health", None).await;
        let mut sources = health["sources"].as_array().into_iter().flatten();
        sources.find(|source| source["source"] == name).cloned().unwrap_or_default()
    }
}

#[tokio::test]
async fn a_running_server_shows_data_synchronised_elsewhere() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    let server = home.serve(&[]);
    let key = home.new_key("gold", &["--rate-limit", "100000"]);
    let finished = home.sync(&publisher, &[]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
    for source in SOURCES {
        let official = async || server.source(source).await["sample"] == false;
        assert!(eventually(official).await, "{source} is still the sample");
        let row = finished.stdout.lines().find(|line| line.starts_with(source)).unwrap();
        assert_eq!(row.split_whitespace().count(), 7, "{row}");
    }
    // Outside a terminal, there is a line for each step, and no bars.
    assert!(finished.stderr.lines().filter(|line| line.contains("read Selic from")).count() > 20);
    assert!(!finished.stderr.contains('\u{1b}') && !finished.stdout.contains('\u{1b}'));

    publisher.change(|publisher_data| {
        let (_, newest) = publisher_data.series.get_mut(&432).unwrap().iter_mut().next_back().unwrap();
        newest.push_str("77");
    });
    assert!(home.sync(&publisher, &["--source", "selic"]).succeeded());
    let current = async || server.get("/api/v1/market/selic/current", Some(&key)).await.1.to_string();
    assert!(eventually(async || current().await.contains("77")).await);
}

#[tokio::test]
async fn the_exit_status_shows_whether_every_source_succeeded() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    assert!(home.sync(&publisher, &["--since", "2025"]).succeeded());
    let server = home.serve(&[]);
    let key = home.new_key("gold", &["--rate-limit", "100000"]);
    let selic = server.get("/api/v1/market/selic", Some(&key)).await;
    publisher.trouble("bcdata.sgs.432", Trouble::Later(503, 3600));
    publisher.change(|publisher_data| publisher_data.by_hand(REGISTRY, b"CD_CVM;SIT\r\n1;ATIVO\r\n".into()));
    let finished = home.sync(&publisher, &["--since", "2025"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.stdout);
    for source in SOURCES {
        let row = finished.stdout.lines().find(|line| line.starts_with(source)).unwrap();
        assert_eq!(row.contains("failed"), ["selic", "companies"].contains(&source), "{row}");
    }
    let failed = format!("2 of {} sources could not be synchronised", Source::ALL.len());
    assert!(finished.stderr.contains(&failed), "{}", finished.stderr);
    let told = async || server.source("selic").await["last_error"].to_string().contains("status 503");
    assert!(eventually(told).await);
    assert_eq!(server.get("/api/v1/market/selic", Some(&key)).await, selic);
    assert_eq!(home.sync(&publisher, &["--source", "cdi,fx"]).status.code(), Some(0));
}

#[test]
fn rows_that_cannot_be_read_are_listed_on_demand() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.change(|publisher_data| publisher_data.broken_lines = vec!["a;b".into()]);
    let finished = home.sync(&publisher, &["--source", "companies,filings", "--since", "2025", "--verbose"]);
    assert!(finished.succeeded(), "{}", finished.stderr);
    let year = today().year();
    for line in [
        "companies: registry of companies line ".to_owned(),
        format!("filings: ipe_cia_aberta_{year}.csv line 62: 2 fields where the header has 13"),
    ] {
        assert!(finished.stdout.contains(&line), "{line}: {}", finished.stdout);
    }
    let quiet = home.sync(&publisher, &["--source", "companies"]);
    assert!(!quiet.stdout.contains(" line "), "{}", quiet.stdout);
}

/// Runs `lastro sync` until the publishers have received this many requests, then kills it.
fn killed_at(home: &Home, publisher: &Publisher, requests: usize, more: &[&str]) {
    // A short lease, so that the next run need not wait for long.
    let mut command = home.sync_command(publisher, &[&["--sync-lease", "100ms"], more].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let goal = publisher.asked("") + requests;
    while publisher.asked("") < goal && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn a_killed_synchronisation_is_resumed_cheaply() {
    let publisher = Publisher::on(today());
    assert!(Home::new().sync(&publisher, &[]).succeeded());
    let uninterrupted = publisher.asked("");
    publisher.forget();

    let home = Home::new();
    let server = home.serve(&[]);
    let before = server.get("/api/v1/market/overview", None).await;
    publisher.pause(Duration::from_millis(4));
    let kills = [3, 20, 30, 40, 30];
    for requests in kills {
        killed_at(&home, &publisher, requests, &[]);
        let (_, health) = server.get("/health", None).await;
        for source in health["sources"].as_array().unwrap() {
            assert!(source["last_error"].is_null() && source["rows"].as_u64() > Some(0), "{source}");
        }
        if health["sample"] == true && server.source("selic").await["sample"] == true {
            assert_eq!(server.get("/api/v1/market/overview", None).await.1["selic"], before.1["selic"]);
        }
    }
    publisher.pause(Duration::ZERO);
    let finished = home.sync(&publisher, &[]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
    // Each kill loses the requests in flight, and the few responses that are not final.
    let most = uninterrupted + kills.len() * 40;
    assert!(publisher.asked("") <= most, "{} requests, {uninterrupted} uninterrupted", publisher.asked(""));
    let finals: Vec<String> =
        publisher.asked_again().into_iter().filter(|line| line.contains("dataFinal=31/12/20")).collect();
    assert!(finals.len() <= kills.len() * 6, "asked again: {finals:?}");
    for source in SOURCES {
        assert!(eventually(async || server.source(source).await["sample"] == false).await, "{source}");
    }
    assert!(!home.file("lastro.db.spool").exists());
}

#[tokio::test]
async fn a_killed_synchronisation_keeps_responses_in_the_spool() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.pause(Duration::from_millis(4));
    killed_at(&home, &publisher, 30, &["--spool-dir", "caches/spool"]);
    let kept = std::fs::read_dir(home.file("caches/spool")).unwrap().count();
    assert!(kept > 0 && !home.file("lastro.db.spool").exists());
    publisher.pause(Duration::ZERO);
    let finished = home.sync(&publisher, &["--spool-dir", "caches/spool"]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(std::fs::read_dir(home.file("caches/spool")).unwrap().count(), 0, "given up in the end");
}

#[tokio::test]
async fn an_unwritable_spool_does_not_stop_synchronisation() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    // Nothing can be created below a file, not even by root.
    std::fs::write(home.file("file"), "").unwrap();
    let finished = home.sync(&publisher, &["--spool-dir", "file/spool"]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
}

#[tokio::test]
async fn serve_synchronises_from_its_first_start() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    let mut command = home.command(super::FREE_PORTS);
    command.args(publisher.flags()).args(["--sync", "on", "--since", "2025"]);
    let server = Running::of(command);
    for source in SOURCES {
        let official = async || server.source(source).await["sample"] == false;
        assert!(eventually(official).await, "{source} is still the sample: {:?}", server.log());
    }
    let synchronised = async || server.log().iter().filter(|line| line.contains("synchronised")).count();
    assert!(eventually(async || synchronised().await == Source::ALL.len()).await, "{:?}", server.log());
    assert_eq!(publisher.asked_again(), Vec::<String>::new());
    server.terminate();
    let (status, log) = server.ended();
    assert!(status.success(), "{log:?}");
}

#[tokio::test]
async fn sync_reads_publisher_urls_from_the_settings_file() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    let [_, sgs, ..] = &publisher.flags()[..] else { panic!("no flags") };
    std::fs::write(home.file("lastro.toml"), format!("sgs-url = \"{sgs}\"\n")).unwrap();
    let finished = home.run(&["sync", "--source", "ipca", "--config", "lastro.toml"]);
    assert!(finished.succeeded(), "{}", finished.stderr);
    assert_eq!(publisher.asked("bcdata.sgs.433"), 1);
}
