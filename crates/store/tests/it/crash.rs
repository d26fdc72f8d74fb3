//! Processes that are killed while they write.
//!
//! The tests start this test binary again as the process to kill. It runs one of the ignored tests below, which do
//! nothing on their own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lastro_model::{Filing, KeyChange, Records, Series, Source};
use lastro_store::{Publication, PublicationItem, Store, open};
use tokio::sync::mpsc;

use crate::conformance::Place;
use crate::postgres::TemporaryDatabase;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

const DATABASE: &str = "LASTRO_TEST_DATABASE";
const READY: &str = "the child is at work";

struct Victim(Child);

impl Victim {
    /// Starts the child and returns once it reports that it is in the middle of its work.
    fn start(test: &str, place: &impl Place) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--ignored", "--nocapture"])
            .env(DATABASE, place.url())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut victim = Self(child);
        let lines = BufReader::new(victim.0.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with(READY)), "the child ended early");
        victim
    }

    async fn kill(mut self, place: &impl Place) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        place.settle().await;
    }
}

/// Kills the child even if the test fails.
impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// The store that a child works on; `None` in a run of all ignored tests.
async fn childs_store() -> Option<std::sync::Arc<dyn Store>> {
    open(&std::env::var(DATABASE).ok()?).await.ok()
}

fn tagged(tag: &str) -> Vec<Filing> {
    let tagged = |n| Filing { description: tag.repeat(100), ..filing(n, "2026-10-30") };
    (0..500).map(tagged).collect()
}

async fn a_killed_publication_leaves_the_last_edition_intact(place: &impl Place) {
    let store = place.open().await;
    let rows = Records::Filings(tagged("old"));
    publish(&*store, publication(Source::Filings), rows).await.unwrap();
    let before = (store.source_states().await.unwrap(), filings(&*store).await);
    drop(store);

    Victim::start("crash::child_publishes_and_never_commits", place).kill(place).await;
    let store = place.open().await;
    assert_eq!((store.source_states().await.unwrap(), filings(&*store).await), before);
    let rows = Records::Filings(tagged("new"));
    publish(&*store, publication(Source::Filings), rows).await.expect("the dead process holds no lock");
}

#[tokio::test]
#[ignore = "the victim of another test"]
async fn child_publishes_and_never_commits() {
    let Some(store) = childs_store().await else { return };
    let (sender, rows) = mpsc::channel(1);
    let replacing = Publication { replace: true, ..publication(Source::Filings) };
    tokio::spawn(async move { store.publish(replacing, rows).await });
    // More than the writer's cache holds, so that much of it is already on disk.
    for batch in 0..30u64 {
        let row = |n| Filing { description: "new".repeat(5_000), ..filing(batch * 200 + n, "2026-10-30") };
        sender.send(PublicationItem::Rows(Records::Filings((0..200).map(row).collect()))).await.unwrap();
    }
    println!("{READY}");
    tokio::time::sleep(Duration::from_secs(30)).await;
}

async fn after_a_kill_all_rows_are_of_one_edition(place: &impl Place) {
    for round in 0..4 {
        let victim = Victim::start("crash::child_publishes_again_and_again", place);
        tokio::time::sleep(Duration::from_millis(7 * round)).await;
        victim.kill(place).await;

        let store = place.open().await;
        let edition = store.counters().await.unwrap().edition(Source::Filings);
        let rows = filings(&*store).await;
        assert_eq!(rows.len(), 500);
        assert_eq!(state_of(&*store, Source::Filings).await.rows, 500);
        assert!(
            rows.iter().all(|row| row.description == rows[0].description),
            "edition {edition:?} is mixed"
        );
        let remembered = store.remembered_editions(Source::Filings).await.unwrap();
        assert_eq!(remembered[0].edition, edition, "the log goes with the rows");
        assert!(remembered.windows(2).all(|pair| pair[0].changes == 500));
        let oldest = remembered.last().unwrap().edition;
        assert_eq!(
            changes(&*store, oldest).await.unwrap(),
            (edition, if oldest == edition { vec![] } else { rows })
        );
    }
}

#[tokio::test]
#[ignore = "the victim of another test"]
async fn child_publishes_again_and_again() {
    let Some(store) = childs_store().await else { return };
    for tag in 0..2_000 {
        let rows = Records::Filings(tagged(&format!("{tag} ")));
        publish(&*store, publication(Source::Filings), rows).await.unwrap();
        if tag == 0 {
            println!("{READY}");
        }
    }
}

async fn after_a_kill_every_edition_is_announced_once(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    let mut known = 0;
    for round in 0..3 {
        let victim = Victim::start("crash::child_publishes_rates", place);
        tokio::time::sleep(Duration::from_millis(9 * round)).await;
        victim.kill(place).await;
        let announced = store.announcements(100_000).await.unwrap();
        let edition = store.counters().await.unwrap().edition(Source::Series(Series::Selic));
        assert_eq!(announced.last().map(|last| last.edition), Some(edition), "the last edition is announced");
        let mut editions: Vec<_> = announced.iter().map(|announcement| announcement.edition).collect();
        editions.dedup();
        assert_eq!(editions.len(), announced.len(), "and each of them once");
        assert!(announced.len() > known);
        let recorded = store.revisions(Source::Series(Series::Selic)).await.unwrap().rows;
        let editions: Vec<_> = recorded.iter().rev().map(|revision| revision.edition).collect();
        let announced_editions: Vec<_> = announced.iter().map(|announcement| announcement.edition).collect();
        assert_eq!(editions, announced_editions, "what an edition added is recorded with it");
        known = announced.len();
    }
}

#[tokio::test]
#[ignore = "the victim of another test"]
async fn child_publishes_rates() {
    let Some(store) = childs_store().await else { return };
    let held = rates(&*store, Source::Series(Series::Selic)).await.len() as u64;
    for number in held..held + 5_000 {
        let point = rate(&day("2000-01-01").plus_days(number as i32).to_string(), "1.5");
        publish(&*store, publication(Source::Series(Series::Selic)), Records::Rates(vec![point]))
            .await
            .unwrap();
        if number == held + 2 {
            println!("{READY}");
        }
    }
}

async fn another_process_writes_at_the_same_time(place: &impl Place) {
    let store = place.open().await;
    let victim = Victim::start("crash::child_inserts_keys", place);
    for number in 0..20 {
        insert_patiently(&*store, new_key(number)).await;
    }
    victim.kill(place).await;

    let keys = store.keys_since(0, 100_000).await.unwrap();
    let revisions: Vec<_> = keys.iter().map(KeyChange::revision).collect();
    assert_eq!(revisions, (1..=keys.len() as u64).collect::<Vec<_>>(), "each change has a number of its own");
    let ours = keys.iter().filter(|key| key.id() < key_id(10_000)).count();
    assert!(ours == 20 && keys.len() > 20, "{ours} of {} keys are ours", keys.len());
}

#[tokio::test]
#[ignore = "the victim of another test"]
async fn child_inserts_keys() {
    let Some(store) = childs_store().await else { return };
    for number in 10_000..20_000 {
        insert_patiently(&*store, new_key(number)).await;
        if number == 10_000 {
            println!("{READY}");
        }
    }
}

macro_rules! tests {
    ($database:ident, $place:expr) => {
        mod $database {
            use super::*;

            #[tokio::test]
            async fn a_killed_publication_leaves_the_last_edition_intact() {
                super::a_killed_publication_leaves_the_last_edition_intact(&$place).await;
            }

            #[tokio::test]
            async fn after_a_kill_all_rows_are_of_one_edition() {
                super::after_a_kill_all_rows_are_of_one_edition(&$place).await;
            }

            #[tokio::test]
            async fn after_a_kill_every_edition_is_announced_once() {
                super::after_a_kill_every_edition_is_announced_once(&$place).await;
            }

            #[tokio::test]
            async fn another_process_writes_at_the_same_time() {
                super::another_process_writes_at_the_same_time(&$place).await;
            }
        }
    };
}

tests!(sqlite, TemporaryFile::new());
tests!(postgres, TemporaryDatabase::new());

#[tokio::test]
async fn the_killed_child_had_written_to_the_log() {
    let place = TemporaryFile::new();
    drop(place.open().await);
    Victim::start("crash::child_publishes_and_never_commits", &place).kill(&place).await;
    let left = std::fs::metadata(place.path().with_extension("db-wal")).unwrap().len();
    assert!(left > 1_000_000, "the child had not written much: {left} bytes");
}
