//! Few file descriptors and many connections: the service reports how many it can serve, and serves them.

use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::net::TcpStream;

use super::{Finished, Home, Running, eventually};

/// The binary in a shell with a limit on open files.
fn limited(home: &Home, limit: &str, arguments: &[&str]) -> Command {
    let inner = home.command(&[super::FREE_PORTS, arguments].concat());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]);
    command.arg(inner.get_program()).args(inner.get_args()).env_clear().current_dir(home.0.path());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn address(url: &str) -> SocketAddr {
    url.trim_start_matches("http://").parse().unwrap()
}

/// The operator's address from the log.
async fn operator(server: &Running) -> String {
    assert!(eventually(async || server.log().concat().contains("for the operator: ")).await);
    let log = server.log().concat();
    let (_, rest) = log.split_once("for the operator: ").unwrap();
    rest.split_once("/livez").unwrap().0.to_owned()
}

async fn silent(url: &str, number: usize) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..number {
        streams.push(TcpStream::connect(address(url)).await.unwrap());
    }
    streams
}

async fn answers(local: &str, url: &str) -> bool {
    let local: IpAddr = local.parse().unwrap();
    let client = crate::app::client().timeout(Duration::from_secs(2)).local_address(local).build().unwrap();
    client.get(url).send().await.is_ok_and(|answer| answer.status() == 200)
}

#[tokio::test]
async fn more_sockets_than_descriptors_block_no_client() {
    let home = Home::new();
    let server = Running::of(limited(&home, "-n 256", &[]));
    let said = server.log().join("\n");
    assert!(said.contains("at most 64 connections instead of 10000"), "{said}");
    let operator = operator(&server).await;
    let _clients = silent(&server.url, 300).await;
    let _watchers = silent(&operator, 300).await;
    for local in ["127.0.0.2", "127.0.0.1"] {
        let health = format!("{}/health", server.url);
        assert!(eventually(async || answers(local, &health).await).await, "a client of {local}");
    }
    assert!(answers("127.0.0.1", &format!("{operator}/livez")).await);
    // The system decides whether a failure occurs at all; it is not logged once for each.
    let failures = server.log().iter().filter(|line| line.contains("could not accept")).count();
    assert!(failures <= 1, "{:?}", server.log());
}

#[test]
fn a_too_low_descriptor_limit_is_an_error() {
    let home = Home::new();
    let finished = Finished::of(limited(&home, "-n 40", &[]));
    assert!(!finished.succeeded());
    assert!(finished.stderr.contains("may open only 40 files"), "{}", finished.stderr);
}

#[tokio::test]
async fn a_soft_limit_is_raised_as_far_as_the_system_allows() {
    let home = Home::new();
    // Lowers only the soft limit.
    let server = Running::of(limited(&home, "-S -n 100", &["--max-connections", "300"]));
    assert!(!server.log().join("\n").contains("connections at once"), "{:?}", server.log());
}
