//! Measures the cost of the log of changes: publications of 1,000 changed filings, with the log and without it.
//!
//! `cargo run --release -p lastro-store --example log_cost -- 200000 /some/disk`; the directory must exist. Made-up data is
//! logged as one replacement, so its publications are the same without the log.

#![allow(clippy::print_stdout, reason = "the figures are the point")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use lastro_model::{Filing, Records, Source};
use lastro_sample::Shape;
use lastro_store::{Condition, Publication, PublicationItem, Store, StoreError};
use tokio::sync::mpsc;

const CHANGED: usize = 1_000;
const ROUNDS: usize = 31;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let filings: usize = arguments.next().ok_or("how many filings?")?.parse()?;
    let directory = arguments.next().ok_or("into which directory?")?;
    let mut stores = Vec::new();
    for sample in [true, false] {
        let store = lastro_store::open(&format!("sqlite:{directory}/log_cost_{sample}.db")).await?;
        publish(&store, sample, 0, all(filings)).await?;
        stores.push((sample, store, Vec::new()));
    }
    let changed: Vec<Filing> = all(filings).into_iter().step_by((filings / CHANGED).max(1)).collect();
    for round in 1..=ROUNDS {
        for (sample, store, taken) in &mut stores {
            let edit = |filing: &Filing| Filing {
                description: format!("{} ({round})", filing.description),
                ..filing.clone()
            };
            let rows = changed.iter().take(CHANGED).map(edit).collect();
            taken.push(publish(store, *sample, round as i64, rows).await?);
        }
    }
    let median = |taken: &mut Vec<Duration>| {
        taken.sort_unstable();
        taken[ROUNDS / 2]
    };
    let [without, with] = [0, 1].map(|index| median(&mut stores[index].2));
    println!("{CHANGED} changed of {filings} filings: {without:.2?} without the log, {with:.2?} with it");
    println!("ratio {:.2}", with.as_secs_f64() / without.as_secs_f64());
    Ok(())
}

fn all(filings: usize) -> Vec<Filing> {
    let shape = Shape { companies: 2_500, filings, seed: 1 };
    let companies = lastro_sample::companies(&shape);
    lastro_sample::filings(&shape, &companies).collect()
}

async fn publish(
    store: &Arc<dyn Store>,
    sample: bool,
    second: i64,
    rows: Vec<Filing>,
) -> Result<Duration, StoreError> {
    let (sender, receiver) = mpsc::channel(4);
    tokio::spawn(async move {
        // A failed send means that the publication failed, which is reported below.
        let _ = sender.send(PublicationItem::Rows(Records::Filings(rows))).await;
        let _ = sender.send(PublicationItem::Commit).await;
    });
    let at = jiff::Timestamp::from_second(1_800_000_000 + second).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let condition = Condition::None;
    let publication = Publication { source: Source::Filings, sample, replace: false, at, condition };
    let started = Instant::now();
    store.publish(publication, receiver).await?;
    Ok(started.elapsed())
}
