//! `lastro sync`: runs one synchronisation now and shows its progress.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use lastro_background::clock::{SystemClock, random_fraction, random_hex};
use lastro_background::replicas::StoreClock;
use lastro_background::tls;
use lastro_config::{Common, SyncArgs};
use lastro_ingest::fetch::Fetcher;
use lastro_ingest::lease::LeaseHolder;
use lastro_ingest::result::{SyncError, Synchronised};
use lastro_ingest::spool::Spool;
use lastro_ingest::sync::{Reach, Synchronizer};
use lastro_ingest::turns::Turns;
use lastro_model::{Clock, Reject, Source, Withheld};

use super::progress;
use super::signals::Signals;

/// Interval of checking whether another process has finished.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

pub async fn run(common: &Common, arguments: SyncArgs) -> anyhow::Result<()> {
    let sources = sources(&arguments)?;
    let mut stop = Signals::listen()?;
    let sync = prepare(common, &arguments).await?;
    let reach = if arguments.full { Reach::Whole } else { Reach::Recent };
    let results = tokio::select! {
        results = synchronise(&sync, &sources, reach, arguments.wait) => results,
        () = stop.requested() => {
            join_all(sources.iter().map(|source| sync.release(*source))).await;
            anyhow::bail!("interrupted; what was served before still is");
        }
    };
    table(&results);
    if arguments.verbose {
        show_rejects(&sync, &sources).await?;
        show_withheld(&sync, &sources).await?;
    }
    let failed = results.iter().filter(|(_, result, _)| result.is_err()).count();
    anyhow::ensure!(
        failed == 0,
        "{failed} of {} sources could not be synchronised; what was served before still is",
        sources.len()
    );
    Ok(())
}

async fn prepare(common: &Common, arguments: &SyncArgs) -> anyhow::Result<Synchronizer> {
    let machine: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let spool = Spool::of(arguments.spool_dir.clone(), &common.database, Arc::clone(&machine));
    let store = common.open_store().await?;
    // Leases are compared between machines.
    let clock: Arc<dyn Clock> = Arc::new(StoreClock::of(&*store, machine).await?);
    Ok(Synchronizer {
        store,
        fetcher: Fetcher::new(tls::client()?, (&arguments.timeouts).into(), random_fraction, spool)?,
        clock,
        publishers: arguments.publishers.clone().into(),
        since: arguments.since,
        lease_holder: LeaseHolder::new("lastro sync", &random_hex(6), arguments.timeouts.sync_lease),
        turns: Turns::default(),
        accept: arguments.accept.clone(),
        report: progress::for_this_terminal(),
    })
}

/// The requested sources, each once.
fn sources(arguments: &SyncArgs) -> anyhow::Result<Vec<Source>> {
    let mut sources =
        if arguments.source.is_empty() { Source::ALL.to_vec() } else { arguments.source.clone() };
    sources.sort_unstable();
    sources.dedup();
    if let Some(stray) = arguments.accept.iter().find(|source| !sources.contains(source)) {
        anyhow::bail!("--accept names {stray}, which --source leaves out");
    }
    Ok(sources)
}

/// Synchronises all sources concurrently; `Turns` limits how many query one publisher at a time.
async fn synchronise(sync: &Synchronizer, sources: &[Source], reach: Reach, wait: Duration) -> Vec<Timed> {
    join_all(sources.iter().map(|source| timed(sync, *source, reach, wait))).await
}

type Timed = (Source, Result<Synchronised, SyncError>, f64);

async fn timed(sync: &Synchronizer, source: Source, reach: Reach, wait: Duration) -> Timed {
    let started = Instant::now();
    let result = in_turn(sync, source, reach, wait).await;
    (source, result, started.elapsed().as_secs_f64())
}

/// Synchronises a source, after waiting up to `wait` for another process that synchronises it.
async fn in_turn(
    sync: &Synchronizer,
    source: Source,
    reach: Reach,
    wait: Duration,
) -> Result<Synchronised, SyncError> {
    let started = Instant::now();
    let mut is_reported = false;
    loop {
        match sync.run(source, reach).await {
            Err(SyncError::Elsewhere(holder)) if started.elapsed() < wait => {
                if !std::mem::replace(&mut is_reported, true) {
                    sync.report.wait(source, &holder);
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            result => return result,
        }
    }
}

fn table(results: &[Timed]) {
    println!(
        "{:<22}  {:>9}  {:>9}  {:>9}  {:>9}  {:<10}  {:>7}",
        "SOURCE", "ADDED", "CHANGED", "REJECTED", "WITHHELD", "NEWEST", "SECONDS"
    );
    for (source, result, seconds) in results {
        match result {
            Ok(synchronised) => {
                let newest = synchronised.newest.map_or_else(|| "-".to_owned(), |day| day.to_string());
                let Synchronised { added, changed, rejected, withheld, .. } = synchronised;
                println!(
                    "{:<22}  {added:>9}  {changed:>9}  {rejected:>9}  {withheld:>9}  {newest:<10}  {seconds:>7.1}",
                    source.name()
                );
            }
            Err(error) => println!("{:<22}  failed after {seconds:.1} s: {error}", source.name()),
        }
    }
}

async fn show_rejects(sync: &Synchronizer, sources: &[Source]) -> anyhow::Result<()> {
    for source in sources {
        for reject in sync.store.rejects(*source, 1_000).await? {
            let Reject { file, line, reason } = reject;
            let place = if line == 0 { file } else { format!("{file} line {line}") };
            println!("{source}: {place}: {reason}");
        }
    }
    Ok(())
}

async fn show_withheld(sync: &Synchronizer, sources: &[Source]) -> anyhow::Result<()> {
    for source in sources {
        for Withheld { point, first_seen, reason } in sync.store.withheld(*source).await? {
            let pair = point.pair().map_or_else(String::new, |pair| format!(" {pair}"));
            println!("{source}:{pair} {} withheld since {first_seen:.0}: {reason}", point.day());
        }
    }
    Ok(())
}
