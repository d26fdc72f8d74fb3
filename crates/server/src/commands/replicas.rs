//! `lastro replicas`: lists the processes that serve the database, from the rows they wrote. Standard output carries
//! the result and nothing else.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use jiff::Timestamp;
use lastro_background::clock::SystemClock;
use lastro_background::replicas::StoreClock;
use lastro_background::replicas::census::is_alive;
use lastro_config::Common;
use lastro_model::{Clock, Source};
use lastro_store::{Counters, Replica};
use serde_json::{Value, json};

use super::printable;

pub async fn run(common: &Common, as_json: bool) -> anyhow::Result<()> {
    let store = common.open_existing_store().await?;
    let now = StoreClock::of(&*store, Arc::new(SystemClock::start())).await?.now().timestamp();
    let (replicas, counters) = (store.replicas().await?, store.counters().await?);
    if as_json {
        println!("{}", replicas.iter().map(|replica| described(replica, &counters, now)).collect::<Value>());
    } else {
        table(&replicas, &counters, now);
    }
    Ok(())
}

/// The sources of which a replica serves an older edition than the current one.
fn behind(replica: &Replica, counters: &Counters) -> Vec<&'static str> {
    let is_behind =
        |source: &Source| replica.editions[*source].is_some_and(|served| served < counters.edition(*source));
    Source::ALL.into_iter().filter(is_behind).map(Source::name).collect()
}

/// The version and the commit of a replica. Those of earlier versions wrote no commit.
fn build(replica: &Replica) -> (&str, Option<&str>) {
    replica
        .version
        .split_once('+')
        .map_or((&replica.version, None), |(version, commit)| (version, Some(commit)))
}

fn described(replica: &Replica, counters: &Counters, now: Timestamp) -> Value {
    let (version, commit) = build(replica);
    json!({
        "name": replica.name,
        "boot": replica.boot,
        "version": version,
        "commit": commit,
        "started_at": replica.started_at.to_string(),
        "seen_at": replica.seen_at.to_string(),
        "alive": is_alive(replica, now),
        "behind": behind(replica, counters),
    })
}

fn table(replicas: &[Replica], counters: &Counters, now: Timestamp) {
    println!(
        "{:<24}  {:<16}  {:<9}  {:<12}  {:<20}  {:<20}  {:<5}  BEHIND",
        "NAME", "BOOT", "VERSION", "COMMIT", "STARTED", "LAST SEEN", "ALIVE"
    );
    let second = |at: Timestamp| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    for replica in replicas {
        let (behind, (version, commit)) = (behind(replica, counters), build(replica));
        println!(
            "{:<24}  {:<16}  {:<9}  {:<12}  {:<20}  {:<20}  {:<5}  {}",
            printable(&replica.name),
            printable(&replica.boot),
            printable(version),
            printable(commit.unwrap_or("-")),
            second(replica.started_at),
            second(replica.seen_at),
            if is_alive(replica, now) { "yes" } else { "no" },
            if behind.is_empty() { "-".to_owned() } else { behind.join(", ") }
        );
    }
}
