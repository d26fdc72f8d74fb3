//! SQLite: the conformance suite, and tests of its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lastro_model::{Edition, Plan, Records, Series, Source};
use lastro_store::{MOST_REVISIONS, StoreError, open, open_existing};
use rusqlite::Connection;

use crate::conformance::{Place, suite};
use crate::specimen::*;

/// A database in its own directory, deleted at the end of the test.
pub(crate) struct TemporaryFile(tempfile::TempDir);

impl TemporaryFile {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("lastro.db")
    }

    /// The path as in error messages.
    pub(crate) fn name(&self) -> String {
        self.path().display().to_string()
    }

    pub(crate) fn directory(&self) -> &Path {
        self.0.path()
    }

    /// Every file in the directory with its bytes.
    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).map(|path| (path.clone(), read(&path))).collect()
    }

    /// The error of opening, after checking that all files are unchanged.
    pub(crate) async fn refusal(&self) -> StoreError {
        let before = self.contents();
        let refusal = open(&self.url()).await.unwrap_err();
        assert_eq!(open_existing(&self.url()).await.unwrap_err(), refusal);
        assert!(self.contents() == before, "a refused file was touched: {refusal}");
        refusal
    }
}

impl Place for TemporaryFile {
    fn url(&self) -> String {
        format!("sqlite:{}", self.path().display())
    }

    fn change(&self, script: &str) {
        change(self, script);
    }

    fn change_accounts(&self, script: &str) {
        let path = format!("{}.accounts", self.path().display());
        Connection::open(path).unwrap().execute_batch(script).unwrap();
    }
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

mod conformance {
    use super::*;
    suite!(TemporaryFile::new());
}

#[tokio::test]
async fn foreign_files_are_left_unchanged() {
    let text = b"Dear diary, today I did not lose my data. ".repeat(20);
    for bytes in [&b"short"[..], &text, b"SQLite format 3\0"] {
        let place = TemporaryFile::new();
        std::fs::write(place.path(), bytes).unwrap();
        assert_eq!(place.refusal().await, StoreError::Foreign { database: place.name() });
    }
}

#[tokio::test]
async fn foreign_databases_are_left_unchanged() {
    let unmarked = "CREATE TABLE photo (id INTEGER); INSERT INTO photo VALUES (1);";
    let other_application = "PRAGMA application_id = 1196444487; CREATE TABLE feature (id INTEGER);";
    let log_left_behind = "PRAGMA journal_mode = WAL; CREATE TABLE photo (id INTEGER);";
    for script in [unmarked, other_application, log_left_behind] {
        let place = TemporaryFile::new();
        let owner = Connection::open(place.path()).unwrap();
        owner.execute_batch(script).unwrap();
        assert_eq!(place.refusal().await, StoreError::Foreign { database: place.name() });
    }
}

#[tokio::test]
async fn our_mark_on_foreign_tables_is_not_trusted() {
    let place = TemporaryFile::new();
    let mark = i32::from_be_bytes(*b"LSTR");
    let script = format!("PRAGMA application_id = {mark}; CREATE TABLE photo (id INTEGER);");
    Connection::open(place.path()).unwrap().execute_batch(&script).unwrap();
    assert_eq!(place.refusal().await, StoreError::Foreign { database: place.name() });
}

#[tokio::test]
async fn a_newer_schema_is_left_unchanged() {
    let place = TemporaryFile::new();
    drop(place.open().await);
    change(&place, "INSERT INTO schema_migration VALUES (999, 'unknown', 0)");
    assert!(matches!(place.refusal().await, StoreError::TooNew { found: 999, .. }));
}

#[tokio::test]
async fn a_migration_with_another_checksum_is_refused() {
    let place = TemporaryFile::new();
    drop(place.open().await);
    change(&place, "UPDATE schema_migration SET sha256 = 'other' WHERE version = 1");
    assert_eq!(place.refusal().await, StoreError::Altered { version: 1 });
}

fn change(place: &TemporaryFile, script: &str) {
    Connection::open(place.path()).unwrap().execute_batch(script).unwrap();
}

/// Applies to any database, but only SQLite creates so many rows quickly.
#[tokio::test]
async fn only_the_newest_revisions_are_returned() {
    let place = TemporaryFile::new();
    let (store, selic) = (place.open().await, Source::Series(Series::Selic));
    publish(&*store, publication(selic), Records::Rates(vec![rate("2026-10-30", "1")])).await.unwrap();
    let (first, count) = (at(1_000).as_millisecond(), MOST_REVISIONS as i64 + 7);
    place.change(&format!(
        "INSERT INTO recording VALUES ('selic', {first}, 1);
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {count})
        INSERT INTO revision SELECT 'selic', n, 20000, '', '1', NULL, '2', NULL, {first} + n FROM number"
    ));
    let told = store.revisions(selic).await.unwrap();
    assert_eq!(told.rows.len(), MOST_REVISIONS);
    assert_eq!(told.since.map(jiff::Timestamp::as_millisecond), Some(first + 7));
    assert_eq!(told.rows.last().map(|row| row.at.as_millisecond()), Some(first + 8));
}

#[tokio::test]
async fn a_truncated_file_is_called_damaged() {
    let place = filled().await;
    let bytes = read(&place.path());
    for kept in [bytes.len() / 2, 4096, 100] {
        std::fs::write(place.path(), &bytes[..kept]).unwrap();
        let refusal = place.refusal().await;
        assert!(matches!(refusal, StoreError::Corrupt { .. }), "{kept} bytes kept: {refusal}");
        assert!(refusal.to_string().contains("lastro.db"), "{refusal}");
    }
}

#[tokio::test]
async fn a_garbled_file_is_called_damaged() {
    let place = filled().await;
    let mut bytes = read(&place.path());
    bytes[100..4096].fill(0xA5);
    std::fs::write(place.path(), &bytes).unwrap();
    assert!(matches!(place.refusal().await, StoreError::Corrupt { .. }));
}

/// Runs statements on the data file, as another version would.
fn run(place: &TemporaryFile, statements: &str) {
    Connection::open(place.path()).unwrap().execute_batch(statements).unwrap();
}

#[tokio::test]
async fn writing_creates_a_missing_source_state() {
    let place = TemporaryFile::new();
    let store = place.open().await;
    run(&place, "DELETE FROM source_state WHERE source IN ('cdi', 'ipca')");
    let [cdi, ipca] = [Series::Cdi, Series::Ipca].map(Source::Series);
    assert_eq!(state_of(&*store, cdi).await.edition, Edition(0));
    publish(&*store, publication(cdi), Records::Rates(vec![rate("2026-11-02", "15.00")])).await.unwrap();
    store.record_attempt(ipca, at(7), Some("nobody answered".to_owned())).await.unwrap();
    assert_eq!(state_of(&*store, cdi).await.rows, 1);
    assert_eq!(state_of(&*store, ipca).await.last_error.as_deref(), Some("nobody answered"));
}

#[tokio::test]
async fn opening_creates_the_state_of_a_new_source() {
    let place = TemporaryFile::new();
    place.open().await;
    run(&place, "DELETE FROM source_state WHERE source IN ('cdi', 'fx')");
    let store = place.open().await;
    let states = store.source_states().await.unwrap();
    assert!(states.iter().map(|state| state.source).eq(Source::ALL));
    let quotes = Records::Fx(vec![quote("2026-10-30", "USD/BRL", "5.1", "5.2")]);
    let published = publish(&*store, publication(Source::Fx), quotes).await.unwrap();
    assert_eq!(store.counters().await.unwrap().edition(Source::Fx), published.edition);
}

#[tokio::test]
async fn sources_of_later_versions_are_ignored() {
    let place = TemporaryFile::new();
    place.open().await;
    run(&place, "INSERT INTO source_state (source, edition, sample, row_count) VALUES ('later', 7, 0, 1)");
    let store = place.open().await;
    assert_eq!(store.counters().await.unwrap(), Default::default());
    assert_eq!(store.source_states().await.unwrap().len(), Source::ALL.len());
}

#[tokio::test]
async fn garbled_rows_are_called_damaged() {
    let place = filled().await;
    let mut bytes = read(&place.path());
    let length = bytes.len();
    bytes[length / 2..].fill(0xA5);
    std::fs::write(place.path(), &bytes).unwrap();
    assert!(matches!(place.refusal().await, StoreError::Corrupt { .. }));
}

#[tokio::test]
async fn unparsable_values_are_damage_and_name_their_column() {
    let place = filled().await;
    change(&place, "UPDATE filing SET delivered_on = 5000000 WHERE id = '7'");
    let store = place.open().await;
    let sentence = all(&*store, Source::Filings).await.unwrap_err().to_string();
    assert!(sentence.contains("delivered_on"), "{sentence}");
}

#[tokio::test]
async fn an_interrupted_read_is_an_error() {
    let place = filled().await;
    change(&place, "UPDATE filing SET delivered_on = -2000000000 WHERE id = '7'");
    let store = place.open().await;
    assert!(all(&*store, Source::Filings).await.is_err());
}

/// A database with some rows, closed.
async fn filled() -> TemporaryFile {
    let place = TemporaryFile::new();
    let rows = (0..2_000).map(|n| filing(n, "2026-10-30")).collect();
    publish(&*place.open().await, publication(Source::Filings), Records::Filings(rows)).await.unwrap();
    assert_eq!(place.contents().len(), 2, "a closed database is two files");
    place
}

#[tokio::test]
async fn open_existing_does_not_create_a_database() {
    let place = TemporaryFile::new();
    let missing = StoreError::Missing { database: place.name() };
    assert_eq!(open_existing(&place.url()).await.unwrap_err(), missing);
    assert!(place.contents().is_empty());
    std::fs::write(place.path(), b"").unwrap();
    assert_eq!(open_existing(&place.url()).await.unwrap_err(), missing);
    drop(place.open().await);
    open_existing(&place.url()).await.unwrap();
}

#[tokio::test]
async fn errors_name_an_unwritable_path() {
    let place = TemporaryFile::new();
    let nowhere = format!("{}/missing/lastro.db", place.url());
    let sentence = open(&nowhere).await.unwrap_err().to_string();
    assert!(sentence.contains("missing/lastro.db"), "{sentence}");
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let place = TemporaryFile::new();
    let _open = place.open().await;
    for path in place.contents().into_keys() {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_new_database_can_be_opened_concurrently() {
    for _ in 0..5 {
        let place = TemporaryFile::new();
        let opening: Vec<_> = (0..8)
            .map(|_| {
                let url = place.url();
                tokio::spawn(async move { open(&url).await })
            })
            .collect();
        for opened in opening {
            opened.await.unwrap().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writes_of_two_handles_lose_nothing() {
    let place = TemporaryFile::new();
    let writing: Vec<_> = [place.open().await, place.open().await]
        .into_iter()
        .zip([0, 100])
        .map(|(store, first)| {
            tokio::spawn(async move {
                for number in first..first + 25 {
                    store.insert_key(new_key(number)).await.unwrap();
                    // Reads before it writes, so its transaction must hold the lock from the start.
                    store.set_plan(key_id(number), Plan::Gold, None).await.unwrap();
                }
            })
        })
        .collect();
    for written in writing {
        written.await.unwrap();
    }
    let keys = place.open().await.list_keys().await.unwrap();
    assert!(keys.len() == 50 && keys.iter().all(|key| key.account.plan == Plan::Gold));
    assert_eq!(
        keys.iter().map(|key| key.revision).max(),
        Some(100),
        "two changes to each key, each with a number of its own"
    );
}

#[tokio::test]
async fn small_writes_run_before_a_publication_has_rows() {
    let place = TemporaryFile::new();
    let store = place.open().await;
    let (sender, rows) = tokio::sync::mpsc::channel(1);
    let publishing = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.publish(publication(Source::Filings), rows).await }
    });
    tokio::task::yield_now().await;
    store.insert_key(new_key(1)).await.unwrap();
    drop(sender);
    assert_eq!(publishing.await.unwrap(), Err(StoreError::Abandoned));
}

#[tokio::test]
async fn the_log_is_truncated_after_a_publication() {
    let place = TemporaryFile::new();
    let store = place.open().await;
    let rows = (0..20_000).map(|n| filing(n, "2026-10-30")).collect();
    publish(&*store, publication(Source::Filings), Records::Filings(rows)).await.unwrap();
    let log = place.path().with_extension("db-wal");
    assert_eq!(std::fs::metadata(log).unwrap().len(), 0);
    assert!(std::fs::metadata(place.path()).unwrap().len() > 1_000_000);
}

#[tokio::test]
async fn unreadable_announcements_are_set_aside() {
    let place = TemporaryFile::new();
    let store = place.open().await;
    listening(&*store).await;
    for value in ["1.0", "2.0", "3.0", "4.0", "5.0"] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(&*store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    }
    let damage = "UPDATE announcement SET rows_as_json = '[{' WHERE number = 1;
        UPDATE announcement SET event = 'nonsense' WHERE number = 2";
    Connection::open(place.path()).unwrap().execute_batch(damage).unwrap();
    assert_eq!(store.announcements(2).await.unwrap(), [], "those two are set aside");
    let numbers = store.announcements(10).await.unwrap().iter().map(|one| one.number).collect::<Vec<_>>();
    assert_eq!(numbers, [3, 4]);
    assert_eq!(store.outbox_state().await.unwrap().announcements, 4, "they are counted");
}
