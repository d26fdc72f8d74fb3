//! The two files of a database: dividing an older single file, and losing one of the two.

use std::path::{Path, PathBuf};

use lastro_model::{AccountId, Edition, Outcome, Plan, Records, Series, Source, UsageCount};
use lastro_store::{OutboxState, Store, StoreError, open, open_existing};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::conformance::Place;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

/// The schema of versions with a single file.
const ONE_FILE: [&str; 7] = [
    include_str!("../../src/migrations/0001_records.sql"),
    include_str!("../../src/migrations/0002_accounts.sql"),
    include_str!("../../src/migrations/0003_files.sql"),
    include_str!("../../src/migrations/0004_leases.sql"),
    include_str!("../../src/migrations/0005_webhooks.sql"),
    include_str!("../../src/migrations/0006_changes.sql"),
    include_str!("../../src/migrations/0007_asked_again.sql"),
];

const HISTORY: &str = "CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL)";

/// One of everything that customers have, and a little data.
const CUSTOMERS: &str = r#"
    INSERT INTO account VALUES ('Key00001', 'Maria da Conceição', 'maria@example.com', 'gold', 5000),
        ('Key00002', 'João', 'joao@example.com', 'free', NULL);
    INSERT INTO api_key VALUES ('Key00001', printf('%064d', 1), 'Key00001', 1800000001000, 1800000009000, 3),
        ('Key00002', printf('%064d', 2), 'Key00002', 1800000002000, NULL, 2),
        ('Key00003', printf('%064d', 3), 'Key00001', 1800000003000, NULL, 4);
    INSERT INTO usage_count VALUES ('Key00001', 20756, 'GET /health', 'ok', '', 100),
        ('Key00001', 20756, 'GET /health', 'ok', 'boot a', 7), ('Key00001', 20756, 'GET /health', 'ok', 'boot b', 5),
        ('Key00001', 20757, 'GET /health', 'rate_limited', 'boot b', 2);
    INSERT INTO folded_usage VALUES ('boot z', 20756);
    INSERT INTO setting VALUES ('pepper_fingerprint', 'print of a pepper');
    INSERT INTO lease VALUES ('sync selic', 'ana', 1800000060000);
    INSERT INTO webhook VALUES ('wh_010101010101010101010101', 'Key00001', 'https://example.com/secret-path', NULL,
        'selic.updated', '[[],[]]', 1800000001000, NULL, NULL, NULL, '', 0);
    INSERT INTO webhook_secret VALUES ('wh_010101010101010101010101', printf('%032d', 1), 1800000001000, NULL);
    INSERT INTO message VALUES ('msg_010101010101010101010101', 'wh_010101010101010101010101', 1, 'selic.updated', '{}',
        1800000001000, 1, NULL, 1, 2);
    INSERT INTO attempt VALUES ('msg_010101010101010101010101', 1, 1800000001000, 200, NULL, 12);
    INSERT INTO announcement VALUES (6, 'selic', 'selic.updated', 1, 1800000001000, '[]');
    INSERT INTO rate VALUES ('selic', 20756, '15.00');
    UPDATE source_state SET edition = 1, row_count = 1, newest_day = 20756 WHERE source = 'selic';
    UPDATE counter SET value = 4 WHERE name = 'key_revision';
    UPDATE counter SET value = 1 WHERE name IN ('edition', 'message');
    UPDATE counter SET value = 6 WHERE name = 'announcement';"#;

/// Creates a single-file database as an older version left it.
fn older_database(place: &TemporaryFile) {
    let connection = Connection::open(place.path()).unwrap();
    let mark = i32::from_be_bytes(*b"LSTR");
    connection.execute_batch(&format!("PRAGMA application_id = {mark}; PRAGMA journal_mode = WAL;")).unwrap();
    connection.execute_batch(HISTORY).unwrap();
    for (version, script) in (1..).zip(ONE_FILE) {
        connection.execute_batch(script).unwrap();
        let digest: String =
            Sha256::digest(script.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let note = "INSERT INTO schema_migration VALUES ($1, $2, 0)";
        connection.execute(note, rusqlite::params![version, digest]).unwrap();
    }
    connection.execute_batch(CUSTOMERS).unwrap();
}

fn accounts_of(place: &TemporaryFile) -> PathBuf {
    beside(place, ".accounts")
}

fn beside(place: &TemporaryFile, ending: &str) -> PathBuf {
    let mut name = place.path().into_os_string();
    name.push(ending);
    name.into()
}

fn count(on: i32, outcome: Outcome, requests: u64) -> UsageCount {
    UsageCount {
        account: AccountId(key_id(1)),
        day: lastro_model::Day::from_number(on).unwrap(),
        endpoint: "GET /health".to_owned(),
        outcome,
        requests,
    }
}

/// Asserts that everything from [`CUSTOMERS`] is there.
async fn has_everything(store: &dyn Store) {
    let keys = store.list_keys().await.unwrap();
    let told: Vec<_> = keys.iter().map(|key| (key.id, key.account.id.0, key.revision)).collect();
    assert_eq!(told, [(key_id(1), key_id(1), 3), (key_id(2), key_id(2), 2), (key_id(3), key_id(1), 4)],);
    assert_eq!(keys[0].account.name, "Maria da Conceição");
    assert_eq!((keys[2].account.plan, keys[2].account.rate_limit), (Plan::Gold, Some(5000)));
    assert_eq!(keys[0].ends_at, Some(at(9)));
    let counters = store.counters().await.unwrap();
    assert_eq!((counters.key_revision, counters.edition(Source::Series(Series::Selic))), (4, Edition(1)));
    let used = store.usage(keys[0].account.id, day("2026-01-01"), day("2026-12-31")).await.unwrap();
    assert_eq!(used, [count(20756, Outcome::Ok, 112), count(20757, Outcome::RateLimited, 2)]);
    assert_eq!(store.setting("pepper_fingerprint").await.unwrap().as_deref(), Some("print of a pepper"));
    assert_eq!(store.take_lease("sync selic", "bia", at(59), at(90)).await.unwrap().holder, "ana");
    let webhook = store.webhook(&webhook_id(1)).await.unwrap().unwrap();
    assert_eq!((webhook.url.as_str(), webhook.secrets.len()), ("https://example.com/secret-path", 1));
    let delivery = store.deliveries(&webhook.id, 10, 0).await.unwrap().page.remove(0);
    assert!(delivery.delivered && delivery.attempts.len() == 1);
    let waiting: Vec<_> = store.announcements(9).await.unwrap().iter().map(|one| one.number).collect();
    assert_eq!(waiting, [6]);
    assert_eq!(rates(store, Source::Series(Series::Selic)).await, [(day("2026-10-30"), "15.00".to_owned())]);
}

/// Whether any of these texts is in the file or its log.
fn holds(path: &Path, texts: &[&str]) -> bool {
    let log = PathBuf::from(format!("{}-wal", path.display()));
    let bytes = [std::fs::read(path).unwrap(), std::fs::read(log).unwrap_or_default()].concat();
    let found = |text: &&str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    texts.iter().any(found)
}

#[tokio::test]
async fn an_older_database_is_divided_and_keeps_everything() {
    let place = TemporaryFile::new();
    older_database(&place);
    assert!(holds(&place.path(), &["maria@example.com"]));
    let store = open_existing(&place.url()).await.unwrap();
    has_everything(&*store).await;
    assert!(!holds(
        &place.path(),
        &["maria@example.com", "Maria da", "joao@", "secret-path", "print of a pepper"]
    ));
    let name = store.setting("database_id").await.unwrap().expect("a name");
    assert_eq!(name.len(), 16);
    drop(store);
    let again = place.open().await;
    has_everything(&*again).await;
    assert_eq!(again.setting("database_id").await.unwrap(), Some(name));
    assert_eq!(again.insert_key(new_key(9)).await.unwrap().revision, 5, "numbers go on");
}

#[tokio::test]
async fn an_interrupted_division_is_completed_on_open() {
    let divided = TemporaryFile::new();
    older_database(&divided);
    // The name, which every attempt writes first.
    Connection::open(divided.path())
        .unwrap()
        .execute_batch("INSERT INTO setting VALUES ('database_id', '0123abcd')")
        .unwrap();
    let undivided = std::fs::read(divided.path()).unwrap();
    drop(divided.open().await);
    let accounts = std::fs::read(accounts_of(&divided)).unwrap();

    // Killed while writing the draft, before dropping the tables, or before renaming the draft.
    for (draft, placed) in [(Some(&accounts[..5000]), None), (None, Some(&accounts)), (Some(&accounts), None)]
    {
        let place = TemporaryFile::new();
        std::fs::write(place.path(), &undivided).unwrap();
        if let Some(bytes) = draft {
            std::fs::write(beside(&place, ".accounts.draft"), bytes).unwrap();
            std::fs::write(beside(&place, ".accounts.draft-journal"), b"half a journal").unwrap();
        }
        if let Some(bytes) = placed {
            std::fs::write(accounts_of(&place), bytes).unwrap();
        }
        let store = place.open().await;
        has_everything(&*store).await;
        assert!(!holds(&place.path(), &["maria@example.com"]));
        assert_eq!(store.setting("database_id").await.unwrap().as_deref(), Some("0123abcd"));
        assert!(!beside(&place, ".accounts.draft").exists());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_older_database_can_be_opened_concurrently() {
    let place = TemporaryFile::new();
    older_database(&place);
    let opening: Vec<_> = (0..6)
        .map(|_| {
            let url = place.url();
            tokio::spawn(async move { open(&url).await })
        })
        .collect();
    for opened in opening {
        has_everything(&*opened.await.unwrap().unwrap()).await;
    }
}

/// A database with a key and some data, closed.
async fn with_a_key() -> TemporaryFile {
    let place = TemporaryFile::new();
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let rows = Records::Rates(vec![rate("2026-10-29", "15.00")]);
    publish(&*store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    place
}

#[tokio::test]
async fn opening_fails_without_the_account_file() {
    let place = with_a_key().await;
    let accounts = accounts_of(&place);
    let bytes = std::fs::read(&accounts).unwrap();
    std::fs::remove_file(&accounts).unwrap();
    let refusal = place.refusal().await;
    assert_eq!(refusal, StoreError::AccountsMissing { path: accounts.clone() });
    assert!(refusal.to_string().contains("lastro.db.accounts"), "{refusal}");
    std::fs::write(&accounts, b"").unwrap();
    assert_eq!(place.refusal().await, refusal, "an empty file is none");
    std::fs::write(&accounts, bytes).unwrap();
    assert_eq!(place.open().await.list_keys().await.unwrap().len(), 1);
}

#[tokio::test]
async fn files_of_two_databases_are_rejected_as_a_pair() {
    let (place, other) = (with_a_key().await, with_a_key().await);
    std::fs::copy(accounts_of(&other), accounts_of(&place)).unwrap();
    let refusal = StoreError::ForeignPair { data: place.path(), accounts: accounts_of(&place) };
    assert_eq!(place.refusal().await, refusal);

    let older = TemporaryFile::new();
    older_database(&older);
    std::fs::copy(accounts_of(&other), accounts_of(&older)).unwrap();
    assert!(matches!(older.refusal().await, StoreError::ForeignPair { .. }), "it has keys of its own");
}

#[tokio::test]
async fn swapped_files_are_rejected() {
    let place = with_a_key().await;
    let swapped = beside(&place, ".swapped");
    std::fs::rename(place.path(), &swapped).unwrap();
    std::fs::rename(accounts_of(&place), place.path()).unwrap();
    std::fs::rename(&swapped, accounts_of(&place)).unwrap();
    assert_eq!(place.refusal().await, StoreError::Foreign { database: place.name() });
}

#[tokio::test]
async fn damage_of_the_account_file_names_the_file() {
    let place = with_a_key().await;
    let bytes = std::fs::read(accounts_of(&place)).unwrap();
    for kept in [bytes.len() / 2, 4096, 100] {
        std::fs::write(accounts_of(&place), &bytes[..kept]).unwrap();
        let refusal = place.refusal().await;
        assert!(matches!(refusal, StoreError::Corrupt { .. }), "{kept} bytes kept: {refusal}");
        assert!(refusal.to_string().contains("lastro.db.accounts"), "{refusal}");
    }
}

#[tokio::test]
async fn a_lost_data_file_is_recreated_and_keys_survive() {
    let place = with_a_key().await;
    let name = place.open().await.setting("database_id").await.unwrap();
    std::fs::remove_file(place.path()).unwrap();
    let store = open_existing(&place.url()).await.expect("the keys are a database");
    assert_eq!(store.list_keys().await.unwrap().len(), 1);
    assert_eq!(store.setting("database_id").await.unwrap(), name);
    assert_eq!(store.counters().await.unwrap().edition(Source::Series(Series::Selic)), Edition(0));
    drop(store);
    assert_eq!(place.open().await.setting("database_id").await.unwrap(), name, "the two are a pair again");
}

#[tokio::test]
async fn restoring_a_one_file_backup_keeps_newer_keys() {
    let place = TemporaryFile::new();
    older_database(&place);
    Connection::open(place.path())
        .unwrap()
        .execute_batch("INSERT INTO setting VALUES ('database_id', '0123abcd')")
        .unwrap();
    let backup = std::fs::read(place.path()).unwrap();
    place.open().await.insert_key(new_key(9)).await.unwrap();
    std::fs::write(place.path(), backup).unwrap();
    assert!(place.open().await.key(key_id(9)).await.unwrap().is_some());
}

/// Publishes another Selic value, which is announced.
async fn publish_news(store: &dyn Store, value: &str) {
    let rows = Records::Rates(vec![rate("2026-10-29", value)]);
    publish(store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
}

#[tokio::test]
async fn announcements_are_sent_once_after_data_is_restored_or_lost() {
    let place = TemporaryFile::new();
    let store = place.open().await;
    let webhook = listening(&*store).await;
    publish_news(&*store, "1.0").await;
    publish_news(&*store, "2.0").await;
    drop(store);
    let backup = std::fs::read(place.path()).unwrap();

    let store = place.open().await;
    publish_news(&*store, "3.0").await;
    for announcement in store.announcements(9).await.unwrap() {
        let sent = message(announcement.number as u8, &webhook.id);
        assert!(store.fan_out(announcement.number, vec![sent]).await.unwrap());
    }
    drop(store);

    for restored in [Some(backup), None] {
        match restored {
            Some(bytes) => std::fs::write(place.path(), bytes).unwrap(),
            None => std::fs::remove_file(place.path()).unwrap(),
        }
        let store = place.open().await;
        assert_eq!(store.announcements(9).await.unwrap(), [], "what was told is not told again");
        publish_news(&*store, "4.0").await;
        publish_news(&*store, "5.0").await;
        let news = store.announcements(9).await.unwrap();
        assert!(!news.is_empty(), "what is new is told");
        let last = news.last().unwrap().number;
        assert!(store.fan_out(last, vec![message(100 + last as u8, &webhook.id)]).await.unwrap());
    }
}

#[tokio::test]
async fn a_restart_does_not_fan_out_an_announcement_twice() {
    let place = TemporaryFile::new();
    let store = place.open().await;
    let webhook = listening(&*store).await;
    publish_news(&*store, "1.0").await;
    publish_news(&*store, "2.0").await;
    let waiting = store.announcements(9).await.unwrap().remove(0);
    store.fan_out(waiting.number, vec![message(1, &webhook.id)]).await.unwrap();
    // The announcement is still in the data, as after a kill.
    let left: i64 = Connection::open(place.path())
        .unwrap()
        .query_row("SELECT COUNT(*) FROM announcement", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 1);
    drop(store);
    let store = place.open().await;
    assert_eq!(store.announcements(9).await.unwrap(), []);
    assert!(!store.fan_out(waiting.number, vec![message(2, &webhook.id)]).await.unwrap());
    assert_eq!(store.deliveries(&webhook.id, 9, 0).await.unwrap().total, 1);
    assert_eq!(
        store.outbox_state().await.unwrap(),
        OutboxState { pending: 1, oldest_pending: Some(at(0)), ..OutboxState::default() }
    );
}
