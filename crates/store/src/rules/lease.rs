//! Leases on work, with a holder and an end.

use async_trait::async_trait;
use jiff::Timestamp;

use super::SqlStore;
use crate::engine::Database;
use crate::sql::account as sql;
use crate::transaction::{Query, values};
use crate::{LONGEST_LEASE, Lease, LeaseStore, Result, StoreError};

#[async_trait]
impl LeaseStore for SqlStore {
    async fn take_lease(&self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<Lease> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        let latest = now
            .saturating_add(LONGEST_LEASE)
            .map_err(|_| StoreError::Backend("the clock is out of bounds".to_owned()))?;
        let until = until.min(latest);
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.one(sql::TAKE_LEASE, values![&holder, until, &name, now, latest], |row| {
                    Ok(Lease { holder: row.string(0)?, until: row.time(1)? })
                })
            })
            .await
    }

    async fn renew_lease(&self, name: &str, holder: &str, until: Timestamp) -> Result<bool> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        self.engine
            .change(Database::Accounts, move |accounts| {
                Ok(accounts.execute(sql::RENEW_LEASE, values![until, &name, &holder])? > 0)
            })
            .await
    }

    async fn release_lease(&self, name: &str, holder: &str) -> Result<()> {
        let (name, holder) = (name.to_owned(), holder.to_owned());
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::RELEASE_LEASE, values![&name, &holder])?;
                Ok(())
            })
            .await
    }
}
