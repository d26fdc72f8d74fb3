//! `lastro sync`: one synchronisation now, with progress for whoever looks.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use lastro_model::{Clock, Source};

use crate::clock::SystemClock;
use crate::config::{Common, SyncArgs};
use crate::ingest::fetch::{Fetcher, Patience};
use crate::ingest::report;
use crate::ingest::spool::Spool;
use crate::ingest::sync::{Outcome, Reach, Sync, SyncError};

pub async fn run(common: &Common, arguments: SyncArgs) -> anyhow::Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let sync = Sync {
        store: lastro_store::open(&common.database).await?,
        fetcher: Fetcher::new(Patience::default(), Spool::beside(&common.database, Arc::clone(&clock)))?,
        clock,
        publishers: arguments.publishers.into(),
        since: arguments.since,
        report: report::for_this_terminal(),
    };
    let mut sources = if arguments.source.is_empty() { Source::ALL.to_vec() } else { arguments.source };
    sources.sort_unstable();
    sources.dedup();
    let results = synchronise(&sync, &sources).await;
    table(&results);
    if arguments.verbose {
        show_rejects(&sync, &sources).await?;
    }
    let failed = results.iter().filter(|(_, result, _)| result.is_err()).count();
    anyhow::ensure!(
        failed == 0,
        "{failed} of {} sources could not be synchronised; what was served before still is",
        sources.len()
    );
    Ok(())
}

/// Different sources wait for different publishers, mostly: they are asked at the same time.
async fn synchronise(sync: &Sync, sources: &[Source]) -> Vec<Timed> {
    join_all(sources.iter().map(|source| timed(sync, *source))).await
}

type Timed = (Source, Result<Outcome, SyncError>, f64);

async fn timed(sync: &Sync, source: Source) -> Timed {
    let started = Instant::now();
    let result = sync.run(source, Reach::Whole).await;
    (source, result, started.elapsed().as_secs_f64())
}

fn table(results: &[Timed]) {
    println!(
        "{:<10}  {:>9}  {:>9}  {:>9}  {:<10}  {:>7}",
        "SOURCE", "ADDED", "CHANGED", "REJECTED", "NEWEST", "SECONDS"
    );
    for (source, result, seconds) in results {
        match result {
            Ok(outcome) => {
                let newest = outcome.newest.map_or_else(|| "-".to_owned(), |day| day.to_string());
                let Outcome { added, changed, rejected, .. } = outcome;
                println!(
                    "{:<10}  {added:>9}  {changed:>9}  {rejected:>9}  {newest:<10}  {seconds:>7.1}",
                    source.name()
                );
            }
            Err(error) => println!("{:<10}  failed after {seconds:.1} s: {error}", source.name()),
        }
    }
}

async fn show_rejects(sync: &Sync, sources: &[Source]) -> anyhow::Result<()> {
    for source in sources {
        for reject in sync.store.rejects(*source, 1_000).await? {
            println!("{source}: {} line {}: {}", reject.file, reject.line, reject.reason);
        }
    }
    Ok(())
}
