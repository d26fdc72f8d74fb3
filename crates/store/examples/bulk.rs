//! Measures a publication of many filings, the same publication again, and loading them.
//!
//! `cargo run --release -p lastro-store --example bulk -- 2000000 /some/disk/bulk.db`; the file must not exist yet.

#![allow(clippy::print_stdout, reason = "the figures are the point")]

use std::sync::Arc;
use std::time::Instant;

use lastro_model::{CompanyId, Day, Filing, FilingId, Records, Source};
use lastro_store::{Condition, Publication, Store, StoreError, Write};
use tokio::sync::mpsc;

const BATCH: u64 = 5_000;
const FILINGS_A_YEAR: u64 = 100_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let filings: u64 = arguments.next().ok_or("how many filings?")?.parse()?;
    let path = arguments.next().ok_or("into which file?")?;
    let store = lastro_store::open(&format!("sqlite:{path}")).await?;

    publish(&store, filings, "first publication").await?;
    publish(&store, filings, "the same again").await?;
    let started = Instant::now();
    let mut loaded = store.load(Source::Filings).await?;
    let mut rows = 0;
    while let Some(batch) = loaded.rows.recv().await {
        rows += batch?.len();
    }
    println!("loaded {rows} filings in {:.2?}", started.elapsed());
    println!("{:.0} MB on disk", std::fs::metadata(&path)?.len() as f64 / 1e6);
    Ok(())
}

async fn publish(store: &Arc<dyn Store>, filings: u64, title: &str) -> Result<(), StoreError> {
    let started = Instant::now();
    let (sender, rows) = mpsc::channel(4);
    tokio::spawn(async move {
        for first in (0..filings).step_by(BATCH as usize) {
            let batch = (first..filings.min(first + BATCH)).map(filing).collect();
            let _ = sender.send(Write::Rows(Records::Filings(batch))).await;
        }
        let _ = sender.send(Write::Commit).await;
    });
    let at = jiff::Timestamp::UNIX_EPOCH;
    let condition = Condition::None;
    let publication = Publication { source: Source::Filings, sample: true, replace: false, at, condition };
    let published = store.publish(publication, rows).await?;
    let (added, changed) = (published.added, published.changed);
    println!("{title}: {added} added, {changed} changed in {:.2?}", started.elapsed());
    Ok(())
}

/// As in the regulator's files: year after year, within a year by company and so with the days in no order. One
/// id in eight is a hash.
fn filing(number: u64) -> Filing {
    let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let id = if number.is_multiple_of(8) {
        FilingId::Hash(scattered)
    } else {
        FilingId::Protocol(1_000_000 + number)
    };
    let (year, company) = (number / FILINGS_A_YEAR, (number % FILINGS_A_YEAR) / 40);
    let day = 12_000 + year * 365 + (scattered >> 32) % 365;
    let delivered_on = i32::try_from(day).ok().and_then(Day::from_number);
    Filing {
        id,
        company_id: CompanyId(company as u32),
        company_name: format!("COMPANHIA INVENTADA NÚMERO {company} S.A."),
        category: "Comunicado ao Mercado".to_owned(),
        kind: Some("Outros Comunicados Não Considerados Fatos Relevantes".to_owned()),
        delivered_on: delivered_on.unwrap_or(Day::from(jiff::civil::date(2020, 1, 1))),
        reference_day: delivered_on,
        description: format!("Esclarecimentos sobre negociações atípicas de ações, expediente {number}"),
        version: 1,
        url: format!(
            "https://sample.invalid/ENET/frmDownloadDocumento.aspx?Tela=ext&numProtocolo={number}&descTipo=IPE"
        ),
    }
}
