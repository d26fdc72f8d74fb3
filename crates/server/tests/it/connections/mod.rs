//! Connections that hold resources: silent, slow, greedy, or many. Each is closed in time, without affecting others.

mod admission;
mod backpressure;
mod floods;
mod handshakes;
mod pending;
mod silent;
mod unread;

use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use h2::client::{Builder, Connection, ResponseFuture, SendRequest};
use lastro::setup::Setup;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use crate::app::{TestApp, connections, soon};

/// Nearly five megabytes: more than socket buffers hold.
const LARGE: &str = "/docs/assets/scalar.js";

/// Default settings, except for the number of connections.
fn usual(setup: &mut Setup) {
    setup.settings.connections = connections(1000, 1000);
}

/// Sweeps only when the test does.
fn rarely_swept(setup: &mut Setup) {
    usual(setup);
    setup.settings.connections.sweep_interval = Duration::from_secs(3600);
}

/// Lets time pass, with a sweep of all connections every second.
fn pass(app: &TestApp, seconds: u64) {
    for _ in 0..seconds {
        app.advance_seconds(1);
        app.service.app.connections.sweep();
    }
}

/// Lets time pass at once, as for a process that was suspended.
fn leap(app: &TestApp, seconds: u64) {
    app.advance_seconds(seconds);
    app.service.app.connections.sweep();
    app.service.app.connections.sweep();
}

fn open(app: &TestApp) -> usize {
    app.service.app.connections.len()
}

fn unsent(app: &TestApp) -> usize {
    app.service.app.connections.unsent()
}

async fn opened(app: &TestApp, number: usize) {
    soon(async || open(app) == number).await;
}

/// Number of connections that the service closed for this reason.
async fn closed_as(app: &TestApp, reason: &str) -> u64 {
    metric(app, &format!("lastro_connections_closed_total{{reason=\"{reason}\"}} ")).await
}

async fn metric(app: &TestApp, name: &str) -> u64 {
    let (_, metrics) = app.admin("/metrics").await;
    metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap()
}

/// A client that sends raw bytes and reads only on demand.
struct Raw(TcpStream);

impl Raw {
    async fn connect(app: &TestApp) -> Self {
        Self(TcpStream::connect(app.service.address).await.unwrap())
    }

    /// Connects from another address of this machine.
    async fn connect_from(app: &TestApp, address: &str) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
        Self(socket.connect(app.service.address).await.unwrap())
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    async fn ask(&mut self, path: &str) {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await;
    }

    /// The status of the next response, or `None` if the connection ends.
    async fn status(&mut self) -> Option<u16> {
        let mut head = [0; 12];
        self.0.read_exact(&mut head).await.ok()?;
        std::str::from_utf8(&head[9..]).unwrap().parse().ok()
    }

    /// Sends a request and returns whether it succeeded.
    async fn is_served(&mut self) -> bool {
        let _ = self.0.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").await;
        self.status().await == Some(200)
    }

    /// Reads until the server closes the connection, and returns the number of bytes.
    async fn rest(&mut self) -> usize {
        let (mut sum, mut buffer) = (0, vec![0; 64 * 1024]);
        let reading = async {
            while let Ok(read @ 1..) = self.0.read(&mut buffer).await {
                sum += read;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), reading).await.expect("the connection to end");
        sum
    }
}

/// Reads the next part of a body and reopens the window by its length.
async fn take(body: &mut RecvStream) -> Option<usize> {
    let length = body.data().await?.expect("the connection to live").len();
    body.flow_control().release_capacity(length).unwrap();
    Some(length)
}

/// An HTTP/2 client that controls its windows.
struct Multiplexed {
    sender: SendRequest<Bytes>,
    connection: JoinHandle<()>,
}

type Spoken = Connection<TcpStream, Bytes>;

impl Multiplexed {
    /// Connects with this initial window for each stream.
    async fn connect(app: &TestApp, window: u32) -> Self {
        Self::connect_from(app, "127.0.0.1", window).await
    }

    /// Connects from another address of this machine.
    async fn connect_from(app: &TestApp, address: &str, window: u32) -> Self {
        let stream = Raw::connect_from(app, address).await.0;
        let mut builder = Builder::new();
        builder.initial_window_size(window).initial_connection_window_size(16 << 20);
        let (sender, connection): (_, Spoken) = builder.handshake(stream).await.unwrap();
        let connection = tokio::spawn(async move {
            let _ = connection.await;
        });
        Self { sender: sender.ready().await.unwrap(), connection }
    }

    fn ask(&mut self, path: &str) -> ResponseFuture {
        self.ask_with(path, &[])
    }

    fn ask_with(&mut self, path: &str, headers: &[(&str, &str)]) -> ResponseFuture {
        let mut request = http::Request::get(format!("http://x{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.sender.send_request(request.body(()).unwrap(), true).unwrap().0
    }

    /// The body of a response with status 200.
    async fn body(&mut self, path: &str) -> RecvStream {
        let answer = self.ask(path).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.into_body()
    }

    /// Waits for the server to close the connection.
    async fn ended(self) {
        tokio::time::timeout(Duration::from_secs(5), self.connection)
            .await
            .expect("the connection to end")
            .unwrap();
    }
}
