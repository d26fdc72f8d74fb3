//! The real binary as an operator uses it: started, stopped, killed, queried, misused.
//!
//! This module has the setup: a directory for each test, the binary in it, and its output. The other tests of this
//! folder run the service inside their own process, which cannot be killed.

mod bad_days;
mod billing;
mod billing_kills;
mod check;
mod crash;
mod demo;
mod descriptors;
mod health;
mod keys;
mod lease;
mod manual;
pub(crate) mod migrate;
mod replicas;
mod settings;
mod shared;
mod signals;
mod start;
mod stop;
mod sync;
mod unwritable;
mod volume;
mod webhooks;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything here may take on the slowest machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A directory with a database, and the binary that works there.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn database(&self) -> PathBuf {
        self.file("lastro.db")
    }

    fn url(&self) -> String {
        format!("sqlite:{}", self.database().display())
    }

    /// The binary with this home's database, without the surrounding environment.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lastro"));
        command.args(arguments).env_clear().env("LASTRO_DATABASE", self.url()).current_dir(self.0.path());
        // No test leaves this machine; those that synchronise name a stand-in explicitly.
        command.env("LASTRO_SYNC", "off");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    fn run(&self, arguments: &[&str]) -> Finished {
        Finished::of(self.command(arguments))
    }

    /// Runs a command that must succeed and returns its output.
    fn must(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments);
        assert!(finished.succeeded(), "lastro {arguments:?}: {}", finished.stderr);
        finished.stdout
    }

    /// A server on free ports that accepts requests.
    fn serve(&self, more: &[&str]) -> Running {
        Running::of(self.command(&[FREE_PORTS, more].concat()))
    }

    /// Starts a server that must fail to start, and returns its error output.
    fn refusal(&self, more: &[&str]) -> String {
        let finished = self.run(&[FREE_PORTS, more].concat());
        assert!(!finished.succeeded(), "it started");
        finished.stderr
    }

    fn new_key(&self, plan: &str, more: &[&str]) -> String {
        let create = ["keys", "create", "--plan", plan, "--name", "Ana", "--email", "ana@example.com"];
        self.must(&[&create, more].concat()).trim_end().to_owned()
    }
}

const FREE_PORTS: &[&str] = &["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];

/// A command that has ended.
struct Finished {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl Finished {
    fn of(mut command: Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status, stdout: text(stdout), stderr: text(stderr) }
    }

    fn succeeded(&self) -> bool {
        self.status.success()
    }
}

/// A running server. It is killed on drop.
struct Running {
    child: Child,
    url: String,
    said: Arc<Mutex<Vec<String>>>,
    listening: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts the server and waits until it logs its address.
    fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let said = Arc::new(Mutex::new(Vec::new()));
        let (sender, address) = mpsc::channel();
        let stderr = child.stderr.take().unwrap();
        let listening = std::thread::spawn({
            let said = Arc::clone(&said);
            move || listen(stderr, &said, &sender)
        });
        let mut running = Self { child, url: String::new(), said, listening: Some(listening) };
        running.url =
            address.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("no address in {:?}", running.log()));
        running
    }

    fn log(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }

    /// The address of the operator's listener.
    fn admin(&self) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let log = self.log();
            let told = log.iter().find_map(|line| line.split_once("for the operator: http://"));
            if let Some((_, rest)) = told {
                return rest.split('/').next().unwrap().to_owned();
            }
            assert!(Instant::now() < deadline, "no address of the operator in {log:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn terminate(&self) {
        self.signal("TERM");
    }

    fn signal(&self, name: &str) {
        let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status();
        assert!(status.unwrap().success());
    }

    /// Waits until the log has this text.
    fn says(&self, text: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while !self.log().concat().contains(text) {
            assert!(Instant::now() < deadline, "no {text:?} in {:?}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server with `kill -9` and waits for its end.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the server ends by itself; returns the status and the log.
    fn ended(mut self) -> (ExitStatus, Vec<String>) {
        let deadline = Instant::now() + TIMEOUT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        self.listening.take().unwrap().join().unwrap();
        (status, self.log())
    }

    async fn get(&self, path: &str, key: Option<&str>) -> (u16, Value) {
        let mut request = client().get(format!("{}{path}", self.url));
        if let Some(key) = key {
            request = request.header("x-api-key", key);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
    }

    async fn status(&self, path: &str, key: &str) -> u16 {
        self.get(path, Some(key)).await.0
    }

    /// Repeats the request until it has the expected status.
    async fn becomes(&self, path: &str, key: &str, wanted: u16) {
        let asked = async || self.status(path, key).await == wanted;
        assert!(eventually(asked).await, "{path} never answered {wanted}");
    }

    /// Number of rows of each source, from `/health`.
    async fn rows(&self) -> Vec<(String, u64)> {
        let (_, health) = self.get("/health", None).await;
        let row = |source: &Value| {
            (source["source"].as_str().unwrap().to_owned(), source["rows"].as_u64().unwrap())
        };
        health["sources"].as_array().unwrap().iter().map(row).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Collects the log, and sends the address when it is logged.
fn listen(stderr: ChildStderr, said: &Mutex<Vec<String>>, address: &mpsc::Sender<String>) {
    for line in BufReader::new(stderr).lines() {
        let line = line.unwrap();
        if let Some((_, told)) = line.split_once("answers on ") {
            let _ = address.send(told.split('"').next().unwrap().to_owned());
        }
        said.lock().unwrap().push(line);
    }
}

fn client() -> reqwest::Client {
    crate::app::client().timeout(TIMEOUT).build().unwrap()
}

/// Polls until the condition holds or the time is up.
async fn eventually(mut holds: impl AsyncFnMut() -> bool) -> bool {
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        if holds().await {
            return true;
        }
        // Rarely enough that the quota of a client without a key lasts.
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    false
}

/// Every file of a directory with its bytes.
fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    all.sort();
    all
}
