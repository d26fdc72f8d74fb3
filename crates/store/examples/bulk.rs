//! Measures a publication of many filings, the same publication again, and loading them.
//!
//! `cargo run --release -p lastro-store --example bulk -- 2000000 /some/disk/bulk.db`; the file must not exist yet.

#![allow(clippy::print_stdout, reason = "the figures are the point")]

use std::sync::Arc;
use std::time::Instant;

use lastro_model::{Filing, Records, Source};
use lastro_sample::Shape;
use lastro_store::{Condition, Publication, PublicationItem, Store, StoreError};
use tokio::sync::mpsc;

const BATCH: usize = 5_000;
const FILINGS_A_YEAR: usize = 100_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let filings: usize = arguments.next().ok_or("how many filings?")?.parse()?;
    let path = arguments.next().ok_or("into which file?")?;
    let store = lastro_store::open(&format!("sqlite:{path}")).await?;

    publish(&store, filings, "first publication").await?;
    publish(&store, filings, "the same again").await?;
    let started = Instant::now();
    let mut loaded = store.load(Source::Filings).await?;
    let mut rows = 0;
    while let Some(batch) = loaded.rows.recv().await {
        rows += batch?.rows.len();
    }
    println!("loaded {rows} filings in {:.2?}", started.elapsed());
    println!("{:.0} MB on disk", std::fs::metadata(&path)?.len() as f64 / 1e6);
    Ok(())
}

async fn publish(store: &Arc<dyn Store>, filings: usize, title: &str) -> Result<(), StoreError> {
    let started = Instant::now();
    let (sender, rows) = mpsc::channel(4);
    tokio::task::spawn_blocking(move || {
        // A failed send means that the publication failed, which is reported below.
        let send = |batch| drop(sender.blocking_send(PublicationItem::Rows(Records::Filings(batch))));
        batches(filings, send);
        drop(sender.blocking_send(PublicationItem::Commit));
    });
    let at = jiff::Timestamp::UNIX_EPOCH;
    let condition = Condition::None;
    let publication = Publication { source: Source::Filings, sample: true, replace: false, at, condition };
    let published = store.publish(publication, rows).await?;
    let (added, changed) = (published.added, published.changed);
    println!("{title}: {added} added, {changed} changed in {:.2?}", started.elapsed());
    Ok(())
}

/// Generates filings in the order of the regulator's files: by year, then by company, so with the days in no order.
fn batches(filings: usize, mut send: impl FnMut(Vec<Filing>)) {
    let shape = Shape { companies: 2_500, filings, seed: 1 };
    let companies = lastro_sample::companies(&shape);
    let mut made = lastro_sample::filings(&shape, &companies);
    while made.len() > 0 {
        let mut year: Vec<Filing> = made.by_ref().take(FILINGS_A_YEAR).collect();
        year.sort_by_key(|filing| filing.company_id);
        year.chunks(BATCH).for_each(|batch| send(batch.to_vec()));
    }
}
