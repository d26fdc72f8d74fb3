//! Redis servers for tests, with a minimal client.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lastro_background::clock::random_hex;

#[derive(Debug)]
pub(crate) struct Redis {
    pub url: String,
    pub prefix: String,
    own: Option<(Child, u16)>,
}

impl Redis {
    /// The server that `scripts/servers` started, under a prefix of its own.
    pub(crate) fn shared() -> Self {
        let url = std::env::var("LASTRO_TEST_REDIS")
            .expect("LASTRO_TEST_REDIS must name a Redis: run the tests with scripts/servers");
        Self { url, prefix: format!("test-{}", random_hex(16)), own: None }
    }

    /// A separate server that a test can kill.
    pub(crate) fn own() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("redis://127.0.0.1:{port}");
        let redis = Self { url, prefix: "test".to_owned(), own: Some((spawn(port), port)) };
        redis.wait_until_it_answers();
        redis
    }

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

    /// Makes the server look as if it had always run without losing data.
    pub(crate) fn make_old(&self) {
        assert_eq!(self.command(&format!("SET {}:{{epoch}} 1", self.prefix)).unwrap(), "+OK\r\n");
    }

    fn command(&self, line: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(self.url.trim_start_matches("redis://"))?;
        stream.write_all(format!("{line}\r\n").as_bytes())?;
        let mut answer = [0; 256];
        let read = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..read]).into_owned())
    }

    fn wait_until_it_answers(&self) {
        for _ in 0..500 {
            if self.command("PING").is_ok_and(|answer| answer == "+PONG\r\n") {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("redis-server did not start");
    }
}

fn spawn(port: u16) -> Child {
    Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("redis-server: apt-get install redis-server")
}

impl Drop for Redis {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.own {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
