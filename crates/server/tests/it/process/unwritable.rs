//! A database or a disk that cannot be written is reported, and never taken for a healthy one.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{FREE_PORTS, Home, Running, TIMEOUT, eventually};

/// The command under a user who is not root, whom no permission stops.
fn as_anybody(command: Command, home: &Home) -> Command {
    if !rustix::process::geteuid().is_root() {
        return command;
    }
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(command.get_program());
    other.args(command.get_args()).env_clear().current_dir(home.0.path());
    other.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    other
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    other
}

fn permit(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// An address that nobody uses now.
fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

async fn readiness(admin: &str) -> Option<(u16, String)> {
    let client = crate::app::client().timeout(TIMEOUT).build().unwrap();
    let response = client.get(format!("http://{admin}/readyz")).send().await.ok()?;
    Some((response.status().as_u16(), response.text().await.ok()?))
}

#[tokio::test]
async fn a_server_with_read_only_files_is_not_ready() {
    let home = Home::new();
    home.must(&["demo", "--companies", "20", "--filings", "300"]);
    home.new_key("free", &[]);
    permit(home.0.path(), 0o777);
    permit(&home.file("lastro.db.pepper"), 0o644);
    for file in [home.database(), home.file("lastro.db.accounts")] {
        permit(&file, 0o444);
    }
    let admin = free_address();
    let starting = home.command(&["--listen", "127.0.0.1:0", "--admin-listen", &admin]);
    let mut child = as_anybody(starting, &home).spawn().unwrap();
    let told = async || {
        let told = readiness(&admin).await;
        told.is_some_and(|(status, body)| status == 503 && body.contains("the database cannot be written: "))
    };
    assert!(eventually(told).await);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn a_directory_that_cannot_be_written_is_named() {
    let home = Home::new();
    home.must(&["demo", "--companies", "20", "--filings", "300"]);
    permit(home.0.path(), 0o555);
    for file in [home.database(), home.file("lastro.db.accounts")] {
        permit(&file, 0o444);
    }
    let finished = super::Finished::of(as_anybody(home.command(FREE_PORTS), &home));
    permit(home.0.path(), 0o755);
    assert!(!finished.succeeded());
    assert!(finished.stderr.contains("the database cannot be written"), "{}", finished.stderr);
}

/// A server that can write no file longer than this, which stands for a disk without room.
fn with_short_files(home: &Home, blocks: u32) -> Command {
    let binary = env!("CARGO_BIN_EXE_lastro");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {binary} {}", FREE_PORTS.join(" "));
    let plain = home.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env_clear().current_dir(home.0.path());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    command
}

#[test]
fn a_start_without_room_says_so() {
    let home = Home::new();
    home.must(&["demo", "--companies", "20", "--filings", "300"]);
    let finished = super::Finished::of(with_short_files(&home, 16));
    assert!(!finished.succeeded());
    let sentence = "the database cannot be written: its disk is full";
    assert!(finished.stderr.contains(sentence), "{}", finished.stderr);
}

#[tokio::test]
async fn an_index_that_does_not_fit_leaves_no_draft() {
    let home = Home::new();
    home.must(&["demo", "--companies", "20", "--filings", "20000"]);
    let server = Running::of(with_short_files(&home, 2000));
    server.says("the index of the filings cannot be saved");
    let left: Vec<_> =
        std::fs::read_dir(home.file("lastro.db.index")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["filings.lock"]);
}
