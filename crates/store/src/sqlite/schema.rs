//! Applies the pending migrations in one transaction.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};

use super::file::Kind;
use crate::migration::{Applied, Migration, pending};
use crate::{Result, StoreError};

/// Uses the database's own time, which is only informative.
const RECORD: &str = "INSERT INTO schema_migration (version, sha256, applied_at)
    VALUES ($1, $2, CAST(unixepoch('subsec') * 1000 AS INTEGER))";

/// The migrations applied so far; empty if the database is new.
pub(super) fn applied(connection: &Connection, path: &Path) -> Result<Vec<Applied>> {
    match tables(connection)? {
        Tables::None => Ok(Vec::new()),
        Tables::Foreign => Err(StoreError::Foreign { database: path.display().to_string() }),
        Tables::Ours => connection
            .prepare("SELECT version, sha256 FROM schema_migration ORDER BY version")?
            .query_and_then([], |row| {
                let version = row.get(0)?;
                // The files are used on one machine, whose processes are replaced together.
                Ok(Applied { version, checksum: row.get(1)?, min_reader: version })
            })?
            .collect(),
    }
}

enum Tables {
    None,
    Ours,
    Foreign,
}

/// A single query, so that tables being created by another process are seen completely or not at all.
fn tables(connection: &Connection) -> Result<Tables> {
    let query = "SELECT COUNT(*), COUNT(*) FILTER (WHERE name = 'schema_migration')
        FROM sqlite_schema WHERE type = 'table'";
    let (all, history): (i64, i64) = connection.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(match (all, history) {
        (0, _) => Tables::None,
        (_, 0) => Tables::Foreign,
        _ => Tables::Ours,
    })
}

pub(super) fn has_table(connection: &Connection, name: &str) -> Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1)";
    Ok(connection.query_row(query, [name], |row| row.get(0))?)
}

/// Takes the write lock only if a migration is pending: opening must not wait for a publication.
pub(super) fn bring_up_to_date(connection: &mut Connection, kind: Kind, path: &Path) -> Result<()> {
    if pending(kind.migrations, &applied(connection, path)?)?.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    for migration in pending(kind.migrations, &applied(&transaction, path)?)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::file::DATA;

    #[test]
    fn migration_starts_the_filing_log_at_the_current_edition() {
        let mut connection = Connection::open_in_memory().unwrap();
        let earlier = DATA.migrations.iter().take_while(|migration| migration.version < 6);
        earlier.for_each(|migration| apply(&connection, migration).unwrap());
        let published = "UPDATE source_state SET edition = 7, row_count = 3 WHERE source = 'filings'";
        connection.execute(published, []).unwrap();
        bring_up_to_date(&mut connection, DATA, Path::new("test")).unwrap();
        let read = "SELECT edition, row_count, published_at FROM filing_edition";
        let remembered: (i64, i64, i64) =
            connection.query_row(read, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        assert_eq!(remembered, (7, 3, 0));
    }

    #[test]
    fn migration_has_the_files_of_filings_read_again() {
        let mut connection = Connection::open_in_memory().unwrap();
        let earlier = DATA.migrations.iter().take_while(|migration| migration.version < 15);
        earlier.for_each(|migration| apply(&connection, migration).unwrap());
        let files = "INSERT INTO read_file VALUES
            ('filings', 'https://cvm/ipe_cia_aberta_2025.zip', 'e', 'm', 's', 7, 0, 0),
            ('filings', 'https://cvm/ipe_cia_aberta_2002.zip', NULL, NULL, '', 0, 0, 0),
            ('companies', 'https://cvm/cad_cia_aberta.csv', 'e', 'm', 's', 7, 0, 0)";
        connection.execute(files, []).unwrap();
        bring_up_to_date(&mut connection, DATA, Path::new("test")).unwrap();
        let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(one("SELECT SUM(year) FROM unread_year"), 2025);
        assert_eq!(one("SELECT COUNT(*) FROM read_file WHERE sha256 = 's' AND etag = 'e'"), 1);
        let known = one("SELECT row_count FROM read_file WHERE url LIKE '%2025.zip'");
        assert_eq!(known, 7, "a file that lost many rows is recognised all the same");
    }
}
