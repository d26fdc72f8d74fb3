//! Applies all pending migrations in one transaction.
//!
//! Several replicas may start at once on an empty database. An advisory lock lets one of them work while the others
//! wait and check again. If a proxy prevents the lock, the losers find the tables created and check again, too.

use tokio_postgres::Client;

use super::failure::Failure;
use super::session::Kind;
use crate::engine::Presence;
use crate::migration::{Applied, Migration, POSTGRES, check_current, pending};
use crate::{Result, StoreError};

/// The oldest version that is tested.
const OLDEST_SERVER: i32 = 140_000;

/// An arbitrary number that no other program is likely to lock: "lastro" in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(119165804638831)";

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '300s';
    SET LOCAL statement_timeout = 0";

/// The table that records the applied migrations and identifies a database as ours.
const HISTORY: &str = "CREATE TABLE IF NOT EXISTS lastro_migration (
    version INTEGER PRIMARY KEY,
    sha256 TEXT COLLATE \"C\" NOT NULL,
    min_reader INTEGER NOT NULL,
    applied_at BIGINT NOT NULL
)";

/// Counts tables and everything that shares their namespace, such as views, sequences and types, except objects of
/// extensions.
const RELATIONS: &str =
    "SELECT COUNT(*), COUNT(*) FILTER (WHERE relname = 'lastro_migration' AND relkind = 'r')
    FROM pg_catalog.pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')
        AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend WHERE objid = pg_class.oid AND deptype = 'e')";

const APPLIED: &str = "SELECT version, sha256, min_reader FROM lastro_migration ORDER BY version";

/// Maximum number of tries if other processes are faster.
const TRIES: usize = 5;

/// Checks before it writes: another program's database, or one that this version does not support, is left as it is.
pub(super) async fn bring_up_to_date(client: &Client, database: &str, presence: Presence) -> Result<()> {
    let checked = tokio::time::timeout(Kind::Read.answered_within(), check_server(client)).await;
    checked.map_err(|_| Failure::silence().error)??;
    let mut tries = 0;
    loop {
        let applied = applied(client, database).await?;
        if applied.is_empty() && presence != Presence::Optional {
            return Err(StoreError::Missing { database: format!("{database}, which is empty") });
        }
        if presence == Presence::Untouched {
            return check_current(POSTGRES, &applied, database);
        }
        if pending(POSTGRES, &applied)?.is_empty() {
            return Ok(());
        }
        tries += 1;
        match apply_all(client, database).await {
            Err(Interrupted::Overtaken) if tries < TRIES => {}
            Err(Interrupted::Overtaken) => return Err(StoreError::Busy),
            Err(Interrupted::Failed(error)) => return Err(error),
            Ok(()) => {}
        }
    }
}

async fn check_server(client: &Client) -> Result<()> {
    let row = client
        .query_typed_one(
            "SELECT current_setting('server_version_num')::INTEGER, current_setting('server_encoding'),
                current_schema() IS NOT NULL",
            &[],
        )
        .await?;
    let (version, encoding, has_schema): (i32, String, bool) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let unsupported = |sentence: String| Err(StoreError::Unsupported(sentence));
    if version < OLDEST_SERVER {
        let found = version / 10_000;
        return unsupported(format!("the database is PostgreSQL {found}; this version needs 14 or newer"));
    }
    if encoding != "UTF8" {
        return unsupported("the database must be made with ENCODING 'UTF8'".to_owned());
    }
    if !has_schema {
        return unsupported("the user of the database has no schema there (see its search_path)".to_owned());
    }
    Ok(())
}

/// The migrations applied so far; empty if the database is empty.
async fn applied(client: &Client, database: &str) -> Result<Vec<Applied>> {
    let row = client.query_typed_one(RELATIONS, &[]).await?;
    let (all, history): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    match (all, history) {
        (0, _) => Ok(Vec::new()),
        (_, 0) => Err(StoreError::Foreign { database: database.to_owned() }),
        _ => client.query_typed(APPLIED, &[]).await?.iter().map(read_applied).collect(),
    }
}

fn read_applied(row: &tokio_postgres::Row) -> Result<Applied> {
    let number = |column| {
        u32::try_from(row.try_get::<_, i32>(column)?)
            .map_err(|_| StoreError::damaged("its history of migrations cannot be read"))
    };
    Ok(Applied { version: number(0)?, checksum: row.try_get(1)?, min_reader: number(2)? })
}

enum Interrupted {
    /// Another process was creating the same tables.
    Overtaken,
    Failed(StoreError),
}

impl From<StoreError> for Interrupted {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl From<tokio_postgres::Error> for Interrupted {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.code().map(tokio_postgres::error::SqlState::code) {
            Some("23505" | "42P07" | "42710" | "40001" | "40P01") => Self::Overtaken,
            _ => Self::Failed(Failure::from(error).error),
        }
    }
}

async fn apply_all(client: &Client, database: &str) -> Result<(), Interrupted> {
    let outcome = apply_locked(client, database).await;
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = client.batch_execute(end).await;
    outcome?;
    Ok(ended?)
}

/// Checks again what is pending once the lock is held.
async fn apply_locked(client: &Client, database: &str) -> Result<(), Interrupted> {
    client.batch_execute(BEGIN).await?;
    client.batch_execute(LOCK).await?;
    let applied = applied(client, database).await?;
    for migration in pending(POSTGRES, &applied)? {
        apply(client, migration).await?;
    }
    Ok(())
}

/// Uses the database's own time, which is only informative.
async fn apply(client: &Client, migration: &Migration) -> Result<(), Interrupted> {
    client.batch_execute(HISTORY).await?;
    client.batch_execute(migration.sql).await?;
    // No part of the statement comes from outside.
    let record = format!(
        "INSERT INTO lastro_migration (version, sha256, min_reader, applied_at)
            VALUES ({}, '{}', {}, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))",
        migration.version,
        migration.checksum(),
        migration.min_reader
    );
    client.batch_execute(&record).await?;
    tracing::debug!(version = migration.version, "schema migration applied");
    Ok(())
}
