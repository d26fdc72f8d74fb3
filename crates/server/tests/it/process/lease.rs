//! Several processes on one database: only one at a time synchronises a source.

use std::time::Duration;

use super::sync::{SOURCES, today};
use super::{FREE_PORTS, Home, Running, eventually};
use crate::publisher::Publisher;

/// A server that synchronises.
fn fresh_server(home: &Home, publisher: &Publisher, more: &[&str]) -> Running {
    let mut command = home.command(FREE_PORTS);
    command.args(publisher.flags()).args(["--sync", "on", "--since", "2025"]).args(more);
    Running::of(command)
}

/// Waits until the publishers receive requests.
async fn is_asked(publisher: &Publisher) {
    assert!(eventually(async || publisher.asked("bcdata.sgs.432") > 0).await);
}

#[tokio::test]
async fn a_command_that_may_not_wait_names_the_lease_holder() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.pause(Duration::from_millis(200));
    let server = fresh_server(&home, &publisher, &[]);
    is_asked(&publisher).await;
    let finished = home.sync(&publisher, &["--source", "selic", "--wait", "1ms"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.stdout);
    let holder = format!("lastro serve (process {}", server.child.id());
    assert!(finished.stdout.contains(&holder), "{}", finished.stdout);
    assert!(finished.stdout.contains("is synchronising it now"), "{}", finished.stdout);
    assert_eq!(publisher.asked_again(), Vec::<String>::new());
    // Synchronisation by another process is not a failure of the source.
    assert!(server.source("selic").await["last_error"].is_null());
}

#[tokio::test]
async fn two_servers_make_each_request_once() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.pause(Duration::from_millis(5));
    let servers = [fresh_server(&home, &publisher, &[]), fresh_server(&home, &publisher, &[])];
    for (server, source) in servers.iter().flat_map(|server| SOURCES.map(|source| (server, source))) {
        let official = async || server.source(source).await["sample"] == false;
        assert!(eventually(official).await, "{source} is still the sample: {:?}", server.log());
    }
    assert_eq!(publisher.asked_again(), Vec::<String>::new());
}

#[tokio::test]
async fn a_stopped_server_releases_its_lease_at_once() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.pause(Duration::from_millis(200));
    let server = fresh_server(&home, &publisher, &["--sync-lease", "1h"]);
    is_asked(&publisher).await;
    server.terminate();
    assert!(server.ended().0.success());
    publisher.pause(Duration::ZERO);
    let finished = home.sync(&publisher, &["--source", "selic", "--wait", "1ms"]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
}

#[tokio::test]
async fn an_interrupted_command_releases_its_lease() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.pause(Duration::from_millis(200));
    let mut command = home.sync_command(&publisher, &["--source", "selic", "--sync-lease", "1h"]);
    let child = command.spawn().unwrap();
    is_asked(&publisher).await;
    let kill = std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(kill.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("interrupted"));
    publisher.pause(Duration::ZERO);
    assert!(home.sync(&publisher, &["--source", "selic", "--wait", "1ms"]).succeeded());
}

#[tokio::test]
async fn the_lease_of_a_killed_process_expires() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    publisher.pause(Duration::from_secs(1));
    // The server works for longer than its lease, so it must have been renewed. The lease is long enough for a loaded
    // machine to start the next process before it ends.
    let server = fresh_server(&home, &publisher, &["--sync-lease", "3s"]);
    is_asked(&publisher).await;
    tokio::time::sleep(Duration::from_millis(3300)).await;
    assert!(home.sync(&publisher, &["--source", "cdi", "--wait", "1ms"]).stdout.contains("now"));
    server.kill();
    publisher.pause(Duration::ZERO);
    let finished = home.sync(&publisher, &["--source", "cdi"]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stderr.contains("waiting for lastro serve (process"), "{}", finished.stderr);
}
