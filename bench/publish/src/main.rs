//! Publishes a few more made-up filings, so that a running service rebuilds its index.
//!
//! `lastro-bench-publish sqlite:demo.db 1`, then `2` for the next few. It writes through the store, as a
//! synchronisation does, and prints the new edition.

use anyhow::Context;
use jiff::Timestamp;
use lastro_model::{CompanyId, Day, Filing, FilingId, Records, Source};
use lastro_store::{Condition, Publication, PublicationItem};
use tokio::sync::mpsc;

const FILINGS: u64 = 10;
/// Above every id of `lastro demo`.
const FIRST_ID: u64 = 900_000_000;
/// The newest day, so that the questions timed meanwhile, which end before it, do not match the new filings.
const DAY: &str = "2026-10-30";

#[tokio::main]
#[allow(clippy::print_stdout, reason = "what it prints is what it is asked for")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let database = arguments.next().context("which database?")?;
    let number: u64 = arguments.next().context("which publication?")?.parse()?;
    let store = lastro_store::open_existing(&database).await?;
    let (sender, receiver) = mpsc::channel(2);
    let day = Day::parse(DAY)?;
    let filings = (0..FILINGS).map(|place| filing(FIRST_ID + number * FILINGS + place, day)).collect();
    sender.send(PublicationItem::Rows(Records::Filings(filings))).await?;
    sender.send(PublicationItem::Commit).await?;
    let publication = Publication {
        source: Source::Filings,
        sample: true,
        replace: false,
        at: Timestamp::now(),
        condition: Condition::None,
    };
    let published = store.publish(publication, receiver).await?;
    println!("{}", published.edition.0);
    Ok(())
}

fn filing(id: u64, day: Day) -> Filing {
    Filing {
        id: FilingId::Protocol(id),
        company_id: CompanyId(90_001),
        company_name: "LASTRO BENCH S.A.".to_owned(),
        category: "Bench".to_owned(),
        kind: None,
        delivered_on: day,
        reference_day: None,
        description: format!("Published while requests were running, number {id}"),
        version: 1,
        url: format!("https://sample.invalid/{id}"),
    }
}
