//! The schema's migrations, compiled in. Each database applies them in its own way.
//!
//! There are three lists. SQLite has one for the published data and one for the accounts, which began when they got
//! their own file. PostgreSQL holds both in one database and has one list.

use lastro_model::hex;
use sha2::{Digest, Sha256};

use crate::{Result, StoreError};

pub(crate) struct Migration {
    pub(crate) version: u32,
    pub(crate) sql: &'static str,
    /// The oldest schema version whose programs may keep reading and writing afterwards. Replicas are replaced one by
    /// one, so for one release a migration only adds, and names the previous version here.
    pub(crate) min_reader: u32,
}

/// A migration that no earlier program can work with.
const fn breaking(version: u32, sql: &'static str) -> Migration {
    Migration { version, sql, min_reader: version }
}

/// Migrations of the published data, in order. A released migration never changes: databases remember its checksum.
pub(crate) const DATA: &[Migration] = &[
    breaking(1, include_str!("migrations/0001_records.sql")),
    breaking(2, include_str!("migrations/0002_accounts.sql")),
    breaking(3, include_str!("migrations/0003_files.sql")),
    breaking(4, include_str!("migrations/0004_leases.sql")),
    breaking(5, include_str!("migrations/0005_webhooks.sql")),
    breaking(6, include_str!("migrations/0006_changes.sql")),
    breaking(7, include_str!("migrations/0007_asked_again.sql")),
    breaking(8, include_str!("migrations/0008_withheld.sql")),
    breaking(9, include_str!("migrations/0009_publication_times.sql")),
    breaking(10, include_str!("migrations/0010_any_source.sql")),
    breaking(11, include_str!("migrations/0011_revisions.sql")),
    // Adds a table, which older versions ignore.
    Migration { version: 12, sql: include_str!("migrations/0012_tickers.sql"), min_reader: 10 },
    // An older version would leave stale checksums on the rows that it changes.
    breaking(13, include_str!("migrations/0013_checksums.sql")),
    // Adds a table, which older versions ignore.
    Migration { version: 14, sql: include_str!("migrations/0014_former_names.sql"), min_reader: 13 },
    // Adds columns and tables; editions of older versions are missing from the log, which is noticed.
    Migration { version: 15, sql: include_str!("migrations/0015_changes.sql"), min_reader: 13 },
    // Adds a column with a default, for rows that older versions write.
    Migration { version: 16, sql: include_str!("migrations/0016_held_back.sql"), min_reader: 13 },
];

/// Migrations of the database of accounts.
pub(crate) const ACCOUNTS: &[Migration] = &[
    breaking(1, include_str!("migrations/accounts/0001_accounts.sql")),
    // Adds a table, which older versions ignore.
    Migration { version: 2, sql: include_str!("migrations/accounts/0002_replicas.sql"), min_reader: 1 },
    // Adds columns with defaults, for rows that older versions write.
    Migration {
        version: 3,
        sql: include_str!("migrations/accounts/0003_series_webhooks.sql"),
        min_reader: 1,
    },
    Migration { version: 4, sql: include_str!("migrations/accounts/0004_feeds.sql"), min_reader: 1 },
    // Adds tables, which older versions ignore.
    Migration { version: 5, sql: include_str!("migrations/accounts/0005_billing.sql"), min_reader: 1 },
    // Adds a table. The address of a feed that an older version ends is unknown, as it was before.
    Migration { version: 6, sql: include_str!("migrations/accounts/0006_ended_feeds.sql"), min_reader: 1 },
];

/// Migrations of PostgreSQL, which holds both sides.
pub(crate) const POSTGRES: &[Migration] = &[
    breaking(1, include_str!("postgres/migrations/0001_everything.sql")),
    // Older versions publish without writing to these tables; the next publication detects that.
    Migration { version: 2, sql: include_str!("postgres/migrations/0002_revisions.sql"), min_reader: 1 },
    Migration {
        version: 3,
        sql: include_str!("postgres/migrations/0003_series_webhooks.sql"),
        min_reader: 1,
    },
    Migration { version: 4, sql: include_str!("postgres/migrations/0004_tickers.sql"), min_reader: 1 },
    Migration { version: 5, sql: include_str!("postgres/migrations/0005_former_names.sql"), min_reader: 1 },
    // Editions of older versions are missing from the log of changes; the next server that notices adds them.
    Migration { version: 6, sql: include_str!("postgres/migrations/0006_changes.sql"), min_reader: 1 },
    Migration { version: 7, sql: include_str!("postgres/migrations/0007_feeds.sql"), min_reader: 1 },
    Migration { version: 8, sql: include_str!("postgres/migrations/0008_billing.sql"), min_reader: 1 },
    Migration { version: 9, sql: include_str!("postgres/migrations/0009_held_back.sql"), min_reader: 1 },
    Migration { version: 10, sql: include_str!("postgres/migrations/0010_ended_feeds.sql"), min_reader: 1 },
];

impl Migration {
    pub(crate) fn checksum(&self) -> String {
        hex::encode(&Sha256::digest(self.sql.as_bytes()))
    }
}

/// A migration recorded in a database as applied.
pub(crate) struct Applied {
    pub(crate) version: u32,
    pub(crate) checksum: String,
    /// The value recorded by the program that applied it.
    pub(crate) min_reader: u32,
}

/// The migrations that a database still needs, or the reason why this program must not touch it.
pub(crate) fn pending<'a>(all: &'a [Migration], applied: &[Applied]) -> Result<&'a [Migration]> {
    let known = all.last().map_or(0, |migration| migration.version);
    let found = applied.iter().map(|migration| migration.version).max().unwrap_or(0);
    if applied.iter().any(|migration| migration.min_reader > known) {
        return Err(StoreError::TooNew { found, known });
    }
    for (done, ours) in applied.iter().zip(all) {
        if done.version != ours.version || done.checksum != ours.checksum() {
            return Err(StoreError::Altered { version: ours.version });
        }
    }
    Ok(all.get(applied.len()..).unwrap_or_default())
}

/// Fails unless a database has exactly the schema of this program. For a database that must not be changed.
pub(crate) fn check_current(all: &[Migration], applied: &[Applied], database: &str) -> Result<()> {
    if !pending(all, applied)?.is_empty() {
        return Err(StoreError::Outdated { database: database.to_owned() });
    }
    match (applied.last(), all.last()) {
        (Some(found), Some(known)) if found.version > known.version => {
            Err(StoreError::TooNew { found: found.version, known: known.version })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(migrations: &[Migration]) -> Vec<Applied> {
        migrations
            .iter()
            .map(|m| Applied { version: m.version, checksum: m.checksum(), min_reader: m.min_reader })
            .collect()
    }

    #[test]
    fn versions_count_from_one_without_a_gap() {
        for all in [DATA, ACCOUNTS, POSTGRES] {
            assert!(all.iter().map(|migration| migration.version).eq(1..=all.len() as u32));
        }
    }

    #[test]
    fn only_missing_migrations_are_pending() {
        assert_eq!(pending(DATA, &[]).unwrap().len(), DATA.len());
        assert_eq!(pending(DATA, &applied(&DATA[..1])).unwrap()[0].version, 2);
        assert!(pending(DATA, &applied(DATA)).unwrap().is_empty());
    }

    #[test]
    fn a_changed_migration_is_refused() {
        let mut history = applied(DATA);
        history[1].checksum = "00".repeat(32);
        assert!(matches!(pending(DATA, &history), Err(StoreError::Altered { version: 2 })));
    }

    #[test]
    fn only_the_same_schema_is_current() {
        assert_eq!(check_current(DATA, &applied(DATA), "here"), Ok(()));
        let older = check_current(DATA, &applied(&DATA[..3]), "here");
        assert_eq!(older, Err(StoreError::Outdated { database: "here".to_owned() }));
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let mut history = applied(DATA);
        let known = DATA.last().unwrap().version;
        let later = |min_reader| Applied { version: known + 1, checksum: String::new(), min_reader };
        history.push(later(known + 1));
        let refused = pending(DATA, &history).err();
        assert_eq!(refused, Some(StoreError::TooNew { found: known + 1, known }));
        history.pop();
        history.push(later(known));
        assert!(pending(DATA, &history).unwrap().is_empty(), "one that says that this program may stay");
        let refused = check_current(DATA, &history, "here");
        assert_eq!(
            refused,
            Err(StoreError::TooNew { found: known + 1, known }),
            "it may have unknown columns"
        );
    }
}
