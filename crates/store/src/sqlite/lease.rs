//! Leases in SQLite.

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::params;

use super::{SqliteStore, column};
use crate::sql::account as sql;
use crate::{LONGEST_LEASE, Lease, LeaseStore, Result, StoreError};

#[async_trait]
impl LeaseStore for SqliteStore {
    async fn take_lease(&self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<Lease> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        let latest = now
            .saturating_add(LONGEST_LEASE)
            .map_err(|_| StoreError::Backend("the clock is out of bounds".to_owned()))?;
        let until = until.min(latest).as_millisecond();
        let (now, latest) = (now.as_millisecond(), latest.as_millisecond());
        self.accounts
            .writer
            .change(move |transaction| {
                transaction.query_row_and_then(
                    sql::TAKE_LEASE,
                    params![holder, until, name, now, latest],
                    |row| Ok(Lease { holder: column::string(row, 0)?, until: column::time(row, 1)? }),
                )
            })
            .await
    }

    async fn renew_lease(&self, name: &str, holder: &str, until: Timestamp) -> Result<bool> {
        let (name, holder, until) = (name.to_owned(), holder.to_owned(), until.as_millisecond());
        self.accounts
            .writer
            .change(move |transaction| {
                Ok(transaction.execute(sql::RENEW_LEASE, params![until, name, holder])? > 0)
            })
            .await
    }

    async fn release_lease(&self, name: &str, holder: &str) -> Result<()> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        self.accounts
            .writer
            .change(move |transaction| {
                transaction.execute(sql::RELEASE_LEASE, params![name, holder])?;
                Ok(())
            })
            .await
    }
}
