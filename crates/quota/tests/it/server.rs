//! Redis servers for tests.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use redis::Connection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A Redis, and a prefix that no other test uses.
#[derive(Debug)]
pub(crate) struct Redis {
    pub url: String,
    pub prefix: String,
    own: Option<(Child, u16)>,
}

impl Redis {
    /// The server that `scripts/servers` started. A test must leave it as it is.
    pub(crate) fn shared() -> Self {
        let url = std::env::var("LASTRO_TEST_REDIS")
            .expect("LASTRO_TEST_REDIS must name a Redis: run the tests with scripts/servers");
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { url, prefix: format!("test-{}-{number}", std::process::id()), own: None }
    }

    /// A separate server that a test may kill or reconfigure.
    pub(crate) fn own() -> Self {
        let port = free_port();
        Self::started(spawn(port), port)
    }

    /// A separate server that saves its data in this directory.
    pub(crate) fn saving_to(directory: &Path) -> Self {
        let port = free_port();
        let mut command = command(port);
        command.args(["--save", "3600 1", "--dir"]).arg(directory);
        Self::started(command.spawn().unwrap(), port)
    }

    /// A separate server with TLS at another port, which is returned too.
    pub(crate) fn with_tls(certificate: &Path, key: &Path) -> (Self, u16) {
        let (port, tls_port) = (free_port(), free_port());
        let mut command = command(port);
        command.args(["--tls-port", &tls_port.to_string(), "--tls-auth-clients", "no"]);
        command.arg("--tls-cert-file").arg(certificate).arg("--tls-key-file").arg(key);
        (Self::started(command.spawn().unwrap(), port), tls_port)
    }

    fn started(child: Child, port: u16) -> Self {
        let url = format!("redis://127.0.0.1:{port}");
        let redis = Self { url, prefix: "lastro".to_owned(), own: Some((child, port)) };
        redis.wait_until_it_answers();
        redis
    }

    /// The same server through a proxy that delays every reply.
    pub(crate) async fn far_away(&self, delay: Duration) -> Self {
        let wire = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", wire.local_addr().unwrap());
        let there = self.url.strip_prefix("redis://").unwrap().to_owned();
        tokio::spawn(async move {
            while let Ok((near, _)) = wire.accept().await {
                let far = TcpStream::connect(&there).await.unwrap();
                let ((mut questions, near), (answers, mut far)) = (near.into_split(), far.into_split());
                tokio::spawn(async move { tokio::io::copy(&mut questions, &mut far).await });
                tokio::spawn(delayed(answers, near, delay));
            }
        });
        Self { url, prefix: self.prefix.clone(), own: None }
    }

    pub(crate) fn connect(&self) -> Connection {
        redis::Client::open(self.url.as_str()).unwrap().get_connection().unwrap()
    }

    /// Makes the server look as if it had always run without losing data.
    pub(crate) fn make_old(&self) {
        let key = format!("{}:{{epoch}}", self.prefix);
        redis::cmd("SET").arg(key).arg(1).exec(&mut self.connect()).unwrap();
    }

    pub(crate) fn command(&self, words: &[&str]) {
        let mut command = redis::cmd(words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(*word);
        });
        command.exec(&mut self.connect()).unwrap();
    }

    /// Kills the server without a shutdown, like a loss of power.
    pub(crate) fn kill(&mut self) {
        let (child, _) = self.own.as_mut().expect("a server of its own");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Restarts the server without data.
    pub(crate) fn start_again(&mut self) {
        let (child, port) = self.own.as_mut().expect("a server of its own");
        *child = spawn(*port);
        self.wait_until_it_answers();
    }

    fn wait_until_it_answers(&self) {
        for _ in 0..500 {
            let client = redis::Client::open(self.url.as_str()).unwrap();
            if client.get_connection().is_ok_and(|mut c| redis::cmd("PING").exec(&mut c).is_ok()) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("redis-server did not start");
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn spawn(port: u16) -> Child {
    command(port).spawn().expect("redis-server: apt-get install redis-server")
}

fn command(port: u16) -> Command {
    let mut command = Command::new("redis-server");
    command
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .args(["--enable-debug-command", "yes"])
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

impl Drop for Redis {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.own {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Forwards each piece of data after a delay; many may be delayed at once.
async fn delayed(mut answers: OwnedReadHalf, mut near: OwnedWriteHalf, delay: Duration) {
    let (sender, mut pieces) = tokio::sync::mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    tokio::spawn(async move {
        while let Some((due, piece)) = pieces.recv().await {
            tokio::time::sleep_until(due.into()).await;
            if near.write_all(&piece).await.is_err() {
                return;
            }
        }
    });
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = answers.read(&mut buffer).await {
        let _ = sender.send((Instant::now() + delay, buffer[..length].to_vec()));
    }
}
