//! Applies the migrations, each in one transaction.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::migration::{ALL, Applied, Migration, pending};
use crate::{Result, StoreError};

/// The time is the database's own: nobody acts on it.
const RECORD: &str = "INSERT INTO schema_migration (version, sha256, applied_at)
    VALUES ($1, $2, CAST(unixepoch('subsec') * 1000 AS INTEGER))";

/// What the database went through so far; nothing, if it is new.
pub(super) fn applied(connection: &Connection, path: &Path) -> Result<Vec<Applied>> {
    let history = table_count(connection, "name = 'schema_migration'")?;
    if history == 0 {
        let others = table_count(connection, "name <> 'schema_migration'")?;
        let foreign = || StoreError::Foreign { path: path.to_owned() };
        return if others == 0 { Ok(Vec::new()) } else { Err(foreign()) };
    }
    connection
        .prepare("SELECT version, sha256 FROM schema_migration ORDER BY version")?
        .query_and_then([], |row| Ok(Applied { version: row.get(0)?, checksum: row.get(1)? }))?
        .collect()
}

fn table_count(connection: &Connection, condition: &str) -> Result<i64> {
    let query = format!("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND {condition}");
    Ok(connection.query_row(&query, [], |row| row.get(0))?)
}

/// Takes the write lock only when there is something to do: opening must not wait for a publication.
pub(super) fn bring_up_to_date(connection: &mut Connection, path: &Path) -> Result<()> {
    while !pending(ALL, &applied(connection, path)?)?.is_empty() {
        apply_next(connection, path)?;
    }
    Ok(())
}

fn apply_next(connection: &mut Connection, path: &Path) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if let Some(migration) = pending(ALL, &applied(&transaction, path)?)?.first() {
        apply(&transaction, migration)?;
    }
    Ok(transaction.commit()?)
}

fn apply(transaction: &Connection, migration: &Migration) -> Result<()> {
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_migration (
            version INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL,
            applied_at BIGINT NOT NULL
        )",
    )?;
    transaction.execute_batch(migration.sql)?;
    transaction.execute(RECORD, params![migration.version, migration.checksum()])?;
    tracing::debug!(version = migration.version, "schema migration applied");
    Ok(())
}
