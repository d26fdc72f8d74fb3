//! PostgreSQL: the conformance suite and its own tests, each on a new database.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lastro_model::{AccountId, NewKey, Outcome, Records, Source, UsageCount};
use lastro_store::{DATABASE_ID, PublicationItem, StoreError, open, open_existing};
use tokio::sync::mpsc;
use tokio_postgres::NoTls;

use crate::conformance::{Place, suite};
use crate::specimen::*;

/// The address of the server that `scripts/servers` starts.
pub(crate) fn server() -> String {
    std::env::var("LASTRO_TEST_POSTGRES").expect(
        "these tests need a PostgreSQL: run them with `scripts/servers cargo nextest run`, \
         or name one in LASTRO_TEST_POSTGRES",
    )
}

/// The address of a database on that server, or on a pooler in front of it (`postgres://lastro@127.0.0.1:6432`).
pub(crate) fn url_of(database: &str) -> String {
    let server = server();
    let (direct, _) = server.rsplit_once('/').expect("an address with a database");
    let host = std::env::var("LASTRO_TEST_POSTGRES_POOLER").unwrap_or_else(|_| direct.to_owned());
    format!("{host}/{database}?sslmode=disable")
}

/// Runs statements on a thread of its own, independent of the caller's runtime. Returns the last row's first value.
pub(crate) fn run(url: &str, sql: &str) -> Option<String> {
    try_run(url, sql).unwrap()
}

fn try_run(url: &str, sql: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let (url, sql) = (url.to_owned(), sql.to_owned());
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
            let task = tokio::spawn(connection);
            let answer = client.simple_query(&sql).await;
            drop(client);
            let _ = task.await;
            Ok(answer?.iter().rev().find_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            }))
        })
    };
    std::thread::spawn(run).join().unwrap()
}

/// A database that is dropped at the end of the test.
pub(crate) struct TemporaryDatabase(String);

impl TemporaryDatabase {
    /// A database with all tables, all empty.
    pub(crate) fn new() -> Self {
        Self::copied_from(&template())
    }

    /// A database without tables.
    pub(crate) fn bare() -> Self {
        Self::copied_from("template0")
    }

    fn copied_from(template: &str) -> Self {
        let name = format!("lastro_{}_{:08x}", std::process::id(), fastrand::u32(..));
        run(&server(), &format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"));
        Self(name)
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    /// Makes the server close the connections of every store. Returns their number.
    pub(crate) fn close_connections(&self) -> u64 {
        let close = format!(
            "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = '{}' AND application_name = 'lastro'",
            self.0
        );
        run(&server(), &close).unwrap().parse().unwrap()
    }
}

impl Drop for TemporaryDatabase {
    fn drop(&mut self) {
        let _ = try_run(&server(), &format!("DROP DATABASE {} WITH (FORCE)", self.0));
    }
}

impl Place for TemporaryDatabase {
    fn url(&self) -> String {
        url_of(&self.0)
    }

    fn change(&self, script: &str) {
        run(&self.url(), script);
    }

    /// Waits for the server, which finishes a statement even if its client is gone.
    async fn settle(&self) {
        let busy = format!(
            "SELECT 1 FROM pg_stat_activity WHERE datname = '{}' AND state <> 'idle' AND backend_type = 'client backend'",
            self.0
        );
        while run(&server(), &busy).is_some() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A database migrated once per server. The first test creates it under another name; others wait or reuse it.
fn template() -> String {
    const TEMPLATE: &str = "lastro_template";
    let exists = format!("SELECT 1 FROM pg_database WHERE datname = '{TEMPLATE}'");
    while run(&server(), &exists).is_none() {
        let draft = TemporaryDatabase::bare();
        let url = draft.url();
        let migrate = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async { drop(open(&url).await.unwrap()) });
        };
        std::thread::spawn(migrate).join().unwrap();
        // The server closes connections a moment after their client. If another process was faster, its copy is used.
        let close = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
            draft.name()
        );
        run(&server(), &close);
        let _ = try_run(&server(), &format!("ALTER DATABASE {} RENAME TO {TEMPLATE}", draft.name()));
    }
    TEMPLATE.to_owned()
}

mod conformance {
    use super::*;
    suite!(TemporaryDatabase::new());
}

#[tokio::test]
async fn publications_of_other_sources_are_not_blocked() {
    crate::conformance::races::publications_of_other_sources_are_not_blocked(&TemporaryDatabase::new()).await;
}

#[tokio::test]
async fn a_publication_under_way_delays_only_its_own_replacement() {
    let place = TemporaryDatabase::new();
    crate::conformance::races::a_publication_under_way_delays_only_its_own_replacement(&place).await;
}

/// The address with a password, which the server's trust authentication ignores.
fn with_password(url: &str) -> String {
    url.replace("postgres://lastro@", "postgres://lastro:hunter2@")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_database_can_be_opened_concurrently() {
    for _ in 0..2 {
        let place = TemporaryDatabase::bare();
        let opening: Vec<_> = (0..6)
            .map(|_| {
                let url = place.url();
                tokio::spawn(async move { open(&url).await })
            })
            .collect();
        let mut names = BTreeSet::new();
        for opened in opening {
            let store = opened.await.unwrap().unwrap();
            names.insert(store.setting(DATABASE_ID).await.unwrap().unwrap());
        }
        assert_eq!(names.len(), 1, "the database has one name");
        let once_each = "SELECT COUNT(*) = MAX(version) FROM lastro_migration";
        assert_eq!(run(&place.url(), once_each).as_deref(), Some("t"));
    }
}

#[tokio::test]
async fn open_existing_does_not_create_a_database() {
    let place = TemporaryDatabase::bare();
    let missing = open_existing(&place.url()).await.unwrap_err();
    assert!(
        matches!(&missing, StoreError::Missing { database } if database.starts_with(place.name())),
        "{missing}"
    );
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(run(&place.url(), tables).as_deref(), Some("0"));
    drop(place.open().await);
    open_existing(&place.url()).await.unwrap();
}

#[tokio::test]
async fn a_foreign_database_is_left_unchanged() {
    let place = TemporaryDatabase::bare();
    run(&place.url(), "CREATE TABLE photo (id INTEGER); INSERT INTO photo VALUES (1)");
    for refusal in [open(&place.url()).await.unwrap_err(), open_existing(&place.url()).await.unwrap_err()] {
        assert!(matches!(refusal, StoreError::Foreign { .. }), "{refusal}");
    }
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(run(&place.url(), tables).as_deref(), Some("1"));
}

#[tokio::test]
async fn foreign_views_sequences_and_types_are_detected() {
    for made in [
        "CREATE VIEW filing AS SELECT 1 AS id",
        "CREATE VIEW lastro_migration AS SELECT 1 AS version",
        "CREATE MATERIALIZED VIEW photo AS SELECT 1 AS id",
        "CREATE SEQUENCE account",
        "CREATE TYPE setting AS (id INTEGER)",
    ] {
        let place = TemporaryDatabase::bare();
        run(&place.url(), made);
        let refusal = open(&place.url()).await.unwrap_err();
        assert!(matches!(refusal, StoreError::Foreign { .. }), "{made}: {refusal}");
    }
}

#[tokio::test]
async fn a_newer_schema_is_rejected_unless_it_is_compatible() {
    let place = TemporaryDatabase::new();
    run(&place.url(), "INSERT INTO lastro_migration VALUES (999, 'later', 1, 0)");
    open(&place.url()).await.unwrap().insert_key(new_key(1)).await.unwrap();
    run(&place.url(), "UPDATE lastro_migration SET min_reader = 999 WHERE version = 999");
    assert!(matches!(open(&place.url()).await.unwrap_err(), StoreError::TooNew { found: 999, .. }));
}

#[tokio::test]
async fn a_migration_with_another_checksum_is_refused() {
    let place = TemporaryDatabase::new();
    run(&place.url(), "UPDATE lastro_migration SET sha256 = 'other'");
    assert_eq!(open(&place.url()).await.unwrap_err(), StoreError::Altered { version: 1 });
}

#[tokio::test]
async fn all_text_columns_use_the_c_collation() {
    let place = TemporaryDatabase::new();
    let others = "SELECT COUNT(*) FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'";
    assert_eq!(run(&place.url(), others).as_deref(), Some("0"));
}

#[tokio::test]
async fn a_database_without_utf8_is_refused() {
    let name = format!("lastro_ascii_{:08x}", fastrand::u32(..));
    let create = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
    run(&server(), &create);
    let place = TemporaryDatabase(name);
    let refusal = open(&place.url()).await.unwrap_err();
    assert!(refusal.to_string().contains("UTF8"), "{refusal}");
}

#[tokio::test]
async fn no_error_reveals_the_password() {
    let place = TemporaryDatabase::new();
    let nowhere = "postgres://lastro:hunter2@127.0.0.1:1/lastro";
    let refused = open(nowhere).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unreachable { .. }), "{refused}");
    // Invalid names cause no DNS query.
    let unknown = open("postgres://lastro:hunter2@no..such..host/lastro").await.unwrap_err();
    assert!(unknown.to_string().contains("its name is not known"), "{unknown}");
    let url = with_password(&place.url());
    let no_database = open(&url.replace(place.name(), "there_is_none")).await.unwrap_err();
    let no_user = open(&url.replace("lastro:", "nobody:")).await.unwrap_err();
    let store = open(&url).await.unwrap();
    run(&place.url(), "ALTER TABLE setting RENAME TO setting_");
    let no_table = store.setting("any").await.unwrap_err();
    for error in [refused, unknown, no_database, no_user, no_table] {
        for told in [format!("{error}"), format!("{error:?}"), format!("{store:?}")] {
            assert!(!told.contains("hunter2") && !told.contains("SELECT"), "{told}");
        }
    }
}

#[tokio::test]
async fn closed_connections_are_replaced() {
    let place = TemporaryDatabase::new();
    let store = place.open().await;
    for number in 1..4 {
        store.insert_key(new_key(number)).await.unwrap();
        assert!(place.close_connections() > 0);
        assert_eq!(store.list_keys().await.unwrap().len() as u32, number);
        assert!(place.close_connections() > 0);
    }
    store.insert_key(new_key(9)).await.unwrap();
}

#[tokio::test]
async fn a_publication_with_a_lost_connection_changes_nothing() {
    let place = TemporaryDatabase::new();
    let store = place.open().await;
    let (sender, rows) = mpsc::channel(1);
    let publishing = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.publish(publication(Source::Filings), rows).await }
    });
    for id in 0..3 {
        sender.send(PublicationItem::Rows(Records::Filings(vec![filing(id, "2026-10-30")]))).await.unwrap();
    }
    assert!(place.close_connections() > 0);
    for write in
        [PublicationItem::Rows(Records::Filings(vec![filing(9, "2026-10-30")])), PublicationItem::Commit]
    {
        let _ = sender.send(write).await;
    }
    let lost = publishing.await.unwrap().unwrap_err();
    assert!(matches!(lost, StoreError::Unreachable { .. }), "{lost}");
    assert_eq!(filings(&*store).await, []);
}

#[tokio::test]
async fn a_load_with_a_lost_connection_is_an_error() {
    let place = TemporaryDatabase::new();
    let store = place.open().await;
    let rows = (0..60_000).map(|n| filing(n, "2026-10-30")).collect();
    publish(&*store, publication(Source::Filings), Records::Filings(rows)).await.unwrap();
    let mut loaded = store.load(Source::Filings).await.unwrap();
    loaded.rows.recv().await.unwrap().unwrap();
    assert!(place.close_connections() > 0);
    let mut outcome = Ok(());
    while let Some(batch) = loaded.rows.recv().await {
        outcome = batch.map(drop);
    }
    assert!(matches!(outcome, Err(StoreError::Unreachable { .. })), "{outcome:?}");
}

#[tokio::test]
async fn a_lock_that_is_held_too_long_is_busy() {
    let place = TemporaryDatabase::new();
    let store = place.open().await;
    let holding = "BEGIN; SELECT 1 FROM counter WHERE name = 'key_revision' FOR UPDATE";
    let (client, connection) = tokio_postgres::connect(&place.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(holding).await.unwrap();
    assert_eq!(store.insert_key(new_key(1)).await.unwrap_err(), StoreError::Busy);
    client.batch_execute("ROLLBACK").await.unwrap();
    store.insert_key(new_key(1)).await.unwrap();
}

/// Another client locks two accounts in the opposite order of the store: PostgreSQL aborts one of the two, here the
/// store.
#[tokio::test]
async fn a_change_is_retried_after_a_deadlock() {
    let place = TemporaryDatabase::new();
    let store = place.open().await;
    for number in 1..=2 {
        store.insert_key(NewKey { self_registered: true, ..new_key(number) }).await.unwrap();
    }
    let (client, connection) = tokio_postgres::connect(&place.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let take = |number| format!("UPDATE account SET name = 'taken' WHERE id = '{}'", key_id(number).as_str());
    client.batch_execute("BEGIN; SET LOCAL deadlock_timeout = '60s'").await.unwrap();
    client.batch_execute(&take(2)).await.unwrap();
    let count = |number| UsageCount {
        account: AccountId(key_id(number)),
        day: day("2026-10-30"),
        endpoint: "GET /health".to_owned(),
        outcome: Outcome::Ok,
        requests: 1,
    };
    let adding = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.add_usage("boot", 1, at(0), &[count(1), count(2)]).await }
    });
    let waiting = format!(
        "SELECT 1 FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'",
        place.name()
    );
    while run(&server(), &waiting).is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.batch_execute(&take(1)).await.expect("the other one gives up");
    assert!(!adding.is_finished(), "it has lost, and waits for its turn");
    client.batch_execute("COMMIT").await.unwrap();
    adding.await.unwrap().unwrap();
    for number in 1..=2 {
        let day = day("2026-10-30");
        let used = store.usage(AccountId(key_id(number)), day, day).await.unwrap();
        assert_eq!(used.iter().map(|count| count.requests).sum::<u64>(), 1, "counted once");
    }
}

/// A user who may only read stands for everything that makes a server refuse to write.
#[tokio::test]
async fn a_server_that_refuses_writes_is_reported_as_such() {
    let database = TemporaryDatabase::new();
    let (role, url) = (format!("reader_{}", database.name()), database.url());
    let allowed = format!("CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}");
    run(&url, &allowed);
    let (scheme, rest) = url.split_once("://").unwrap();
    let reader = format!("{scheme}://{role}@{}", rest.split_once('@').map_or(rest, |(_, host)| host));
    let options = lastro_store::Options::default();
    let store = open_existing(&reader).await.unwrap();
    assert!(store.counters().await.is_ok(), "it can be read");
    let refused =
        [store.add_usage("boot", 1, at(0), &[]).await, lastro_store::rehearse_write(&reader, &options).await];
    for refusal in refused {
        assert!(matches!(refusal, Err(StoreError::Unwritable { .. })), "{refusal:?}");
    }
    lastro_store::rehearse_write(&url, &options).await.unwrap();
    assert_eq!(store.replicas().await.unwrap(), [], "a rehearsal leaves nothing");
    drop(store);
    run(&url, &format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}
