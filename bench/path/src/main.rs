//! The path of a request without the network, for counting instructions.
//!
//! `lastro-bench-path make DIRECTORY` writes a small made-up data set. `lastro-bench-path ask DIRECTORY REQUESTS` serves
//! it over a stream in memory, sends so many requests for each question, and prints the time of one. `bench/instructions`
//! runs it under valgrind, which writes a count whenever [`phase_ends`] is entered.

mod bare;
mod conversation;
mod questions;
mod set_up;

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use lastro::http::listener::serve_connection;

use crate::conversation::Conversation;
use crate::questions::{QUESTIONS, Question};

/// More than the thirty a minute of the Free plan, so that all counted requests of the rejected question are rejected.
const WARM_UP: u32 = 40;
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const STREAM_BUFFER: usize = 64 * 1024;

/// Runs client and server in turn on one thread, so that the counts do not depend on timing.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().context("make or ask?")?;
    let directory = PathBuf::from(arguments.next().context("which directory?")?);
    match task.as_str() {
        "make" => set_up::make(&directory).await,
        "ask" => ask_all(&directory, arguments.next().context("how many requests?")?.parse()?).await,
        other => bail!("there is make and ask, but no {other}"),
    }
}

async fn ask_all(directory: &Path, requests: u32) -> anyhow::Result<()> {
    let (app, key) = set_up::open(directory).await?;
    let (client, server) = tokio::io::duplex(STREAM_BUFFER);
    tokio::spawn(bare::serve_stream(server));
    let request = bare::request(&key);
    count("bare hyper, a fixed body", Conversation::new(client), &request, 200, requests).await?;
    for Question { title, path, status, keyed, coding } in QUESTIONS {
        let (client, server) = tokio::io::duplex(STREAM_BUFFER);
        let admitted = app.connections.admit(CLIENT, true).context("no place for one connection")?;
        tokio::spawn(serve_connection(Arc::clone(&app), admitted, server));
        let request = questions::request(path, keyed.then_some(&*key), *coding);
        count(title, Conversation::new(client), &request, *status, requests).await?;
    }
    Ok(())
}

/// Sends the warm-up requests, then the counted ones.
#[allow(clippy::print_stdout, reason = "the titles tell the reader of the counts which is which")]
async fn count(
    title: &str,
    mut conversation: Conversation,
    request: &[u8],
    status: u16,
    requests: u32,
) -> anyhow::Result<()> {
    for _ in 0..WARM_UP {
        conversation.expect_another_answer();
        conversation.ask(request).await?;
    }
    phase_ends("warm-up");
    let began = Instant::now();
    for _ in 0..requests {
        let answered = conversation.ask(request).await?;
        anyhow::ensure!(answered == status, "{title}: status {answered}, not {status}");
    }
    let micros = began.elapsed().as_secs_f64() * 1e6 / f64::from(requests);
    phase_ends(title);
    println!("{requests}\t{title}\t{micros:.2}");
    Ok(())
}

/// Marks the point at which valgrind writes its count since the previous call.
#[inline(never)]
fn phase_ends(phase: &str) {
    black_box(phase);
}
