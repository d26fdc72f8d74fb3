//! A load generator with a different key for each request, which needs no script per request.
//!
//! `lastro-bench-callers SECONDS CONNECTIONS PATH ADDRESS… < keys` sends requests to each address over CONNECTIONS
//! connections, each request with the next key, and prints the numbers of admitted and rejected ones. Without keys, the
//! requests carry none. It must be cheap, because it shares a core with Redis and PostgreSQL.

#![allow(clippy::print_stdout, reason = "a program that prints, for the harness")]

mod answer;

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};

use answer::Answer;

/// Maximum length of a response.
const LONGEST_ANSWER: usize = 16 * 1024;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, connections, path, addresses @ ..] = &arguments[..] else {
        bail!("wanted: seconds, connections, a path and addresses; keys are read from the standard input");
    };
    let keys = std::io::read_to_string(std::io::stdin())?;
    let requests = Rc::new(Requests::of(path, keys.lines()));
    let until = Instant::now() + Duration::from_secs(seconds.parse()?);
    let connections: usize = connections.parse()?;
    LocalSet::new().run_until(call(addresses, connections, requests, until)).await
}

async fn call(
    addresses: &[String],
    connections: usize,
    requests: Rc<Requests>,
    until: Instant,
) -> Result<()> {
    let mut callers = JoinSet::new();
    for address in addresses.iter().flat_map(|address| std::iter::repeat_n(address, connections)) {
        let stream =
            TcpStream::connect(address).await.with_context(|| format!("{address} cannot be reached"))?;
        stream.set_nodelay(true)?;
        callers.spawn_local(ask_until(stream, Rc::clone(&requests), until));
    }
    let mut total = Told::default();
    while let Some(told) = callers.join_next().await {
        let told = told??;
        total = Told { admitted: total.admitted + told.admitted, refused: total.refused + told.refused };
    }
    println!("{} admitted, {} refused", total.admitted, total.refused);
    Ok(())
}

/// The prepared requests, one for each key.
struct Requests {
    ready: Vec<String>,
    next: Cell<usize>,
}

impl Requests {
    fn of<'a>(path: &str, keys: impl Iterator<Item = &'a str>) -> Self {
        let start = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n");
        let mut ready: Vec<String> = keys.map(|key| format!("{start}X-API-Key: {key}\r\n\r\n")).collect();
        if ready.is_empty() {
            ready.push(start + "\r\n");
        }
        Self { ready, next: Cell::new(0) }
    }

    fn next(&self) -> &[u8] {
        let at = self.next.get();
        self.next.set((at + 1) % self.ready.len());
        self.ready[at].as_bytes()
    }
}

#[derive(Default)]
struct Told {
    admitted: u64,
    refused: u64,
}

/// Runs one connection, on which each request waits for the response to the previous one.
async fn ask_until(mut stream: TcpStream, requests: Rc<Requests>, until: Instant) -> Result<Told> {
    let (mut told, mut buffer) = (Told::default(), vec![0; LONGEST_ANSWER]);
    while Instant::now() < until {
        stream.write_all(requests.next()).await?;
        match read(&mut stream, &mut buffer).await? {
            200 => told.admitted += 1,
            429 => told.refused += 1,
            other => bail!("answered with status {other} under load"),
        }
    }
    Ok(told)
}

/// Reads one whole response and returns its status.
async fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<u16> {
    let mut length = 0;
    loop {
        let more = stream.read(&mut buffer[length..]).await?;
        length += more;
        if more == 0 {
            bail!(
                "a connection was closed within an answer, or the answer is longer than {LONGEST_ANSWER} bytes"
            );
        }
        match Answer::read(&buffer[..length])? {
            Some(answer) if answer.length == length => return Ok(answer.status),
            Some(answer) if answer.length < length => bail!("more was answered than was asked for"),
            _ => {}
        }
    }
}
