//! The schema's history, compiled in. How it is applied is each database's own business.
//!
//! There are two: that of the published data, and that of the accounts, which began when they got a file of their own.

use lastro_model::hex;
use sha2::{Digest, Sha256};

use crate::{Result, StoreError};

pub(crate) struct Migration {
    pub(crate) version: u32,
    pub(crate) sql: &'static str,
}

/// In order. A migration that was released is never changed: a database remembers its checksum.
pub(crate) const DATA: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/0001_records.sql") },
    Migration { version: 2, sql: include_str!("migrations/0002_accounts.sql") },
    Migration { version: 3, sql: include_str!("migrations/0003_files.sql") },
    Migration { version: 4, sql: include_str!("migrations/0004_leases.sql") },
    Migration { version: 5, sql: include_str!("migrations/0005_webhooks.sql") },
    Migration { version: 6, sql: include_str!("migrations/0006_changes.sql") },
    Migration { version: 7, sql: include_str!("migrations/0007_asked_again.sql") },
    Migration { version: 8, sql: include_str!("migrations/0008_withheld.sql") },
    Migration { version: 9, sql: include_str!("migrations/0009_publication_times.sql") },
    Migration { version: 10, sql: include_str!("migrations/0010_any_source.sql") },
];

/// The same for what must be quick.
pub(crate) const ACCOUNTS: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/accounts/0001_accounts.sql") },
    Migration { version: 2, sql: include_str!("migrations/accounts/0002_replicas.sql") },
];

impl Migration {
    pub(crate) fn checksum(&self) -> String {
        hex::encode(&Sha256::digest(self.sql.as_bytes()))
    }
}

/// A migration that a database says it went through.
pub(crate) struct Applied {
    pub(crate) version: u32,
    pub(crate) checksum: String,
}

/// The migrations that a database still needs, or why this program must not touch it.
pub(crate) fn pending<'a>(all: &'a [Migration], applied: &[Applied]) -> Result<&'a [Migration]> {
    let known = all.last().map_or(0, |migration| migration.version);
    let found = applied.iter().map(|migration| migration.version).max().unwrap_or(0);
    if found > known {
        return Err(StoreError::TooNew { found, known });
    }
    for (done, ours) in applied.iter().zip(all) {
        if done.version != ours.version || done.checksum != ours.checksum() {
            return Err(StoreError::Altered { version: ours.version });
        }
    }
    Ok(all.get(applied.len()..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(migrations: &[Migration]) -> Vec<Applied> {
        migrations.iter().map(|m| Applied { version: m.version, checksum: m.checksum() }).collect()
    }

    #[test]
    fn versions_count_from_one_without_a_gap() {
        for all in [DATA, ACCOUNTS] {
            assert!(all.iter().map(|migration| migration.version).eq(1..=all.len() as u32));
        }
    }

    #[test]
    fn only_what_is_missing_is_pending() {
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
    fn a_newer_schema_is_refused() {
        let mut history = applied(DATA);
        let known = DATA.last().unwrap().version;
        history.push(Applied { version: known + 1, checksum: String::new() });
        let refused = pending(DATA, &history).err();
        assert_eq!(refused, Some(StoreError::TooNew { found: known + 1, known }));
    }
}
