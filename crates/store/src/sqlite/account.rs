//! Keys and accounts in SQLite. How they are removed is in [`removal`].

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Account, AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, NewKey, Plan};
use rusqlite::{Connection, Params, Row, Transaction, params};

use super::column::{self, stored_count};
use super::{SqliteStore, removal};
use crate::sql::account as sql;
use crate::{AccountStore, Erased, Result, Rotated, StoreError, hex};

/// Keys closed in one transaction: others wait meanwhile.
const CLOSED_AT_ONCE: i64 = 500;

#[async_trait]
impl AccountStore for SqliteStore {
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord> {
        self.accounts
            .writer
            .change(move |transaction| {
                insert_account(transaction, &key)?;
                insert_key(transaction, key.id, key.digest, key.account.id, key.created_at)
            })
            .await
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>> {
        self.accounts.readers.ask(move |connection| find(connection, id)).await
    }

    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyChange>> {
        self.accounts.readers.ask(move |connection| changes(connection, revision, limit)).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>> {
        self.accounts.readers.ask(|connection| keys(connection, sql::ALL_KEYS, [])).await
    }

    async fn set_plan(
        &self,
        id: KeyId,
        plan: Plan,
        rate_limit: Option<Option<u32>>,
    ) -> Result<Vec<KeyRecord>> {
        self.accounts.writer.change(move |transaction| set_plan(transaction, id, plan, rate_limit)).await
    }

    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord> {
        self.accounts
            .writer
            .change(move |transaction| {
                let key = existing(transaction, id)?;
                let end = key.ends_at.map_or(at, |earlier| earlier.min(at));
                if !key.revoked || key.ends_at != Some(end) {
                    end_key(transaction, id, end, true)?;
                }
                existing(transaction, id)
            })
            .await
    }

    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<Rotated> {
        self.accounts
            .writer
            .change(move |transaction| {
                let key = existing(transaction, old)?;
                if key.revoked || key.ends_at.is_some() {
                    return Err(StoreError::Conflict);
                }
                end_key(transaction, old, old_ends_at, old_ends_at <= at)?;
                let new = insert_key(transaction, new_id, digest, key.account.id, at)?;
                Ok(Rotated { old: existing(transaction, old)?, new })
            })
            .await
    }

    async fn close_ended_keys(&self, now: Timestamp) -> Result<u64> {
        let bounds = (now.as_millisecond(), CLOSED_AT_ONCE);
        // Asked all the time, and mostly for nothing: only a reader's time is taken then.
        let ended = move |connection: &Connection| keys(connection, sql::ENDED_KEYS, bounds);
        if self.accounts.readers.ask(ended).await?.is_empty() {
            return Ok(0);
        }
        self.accounts
            .writer
            .change(move |transaction| {
                let ended = keys(transaction, sql::ENDED_KEYS, bounds)?;
                for key in &ended {
                    end_key(transaction, key.id, key.ends_at.unwrap_or(now), true)?;
                }
                Ok(ended.len() as u64)
            })
            .await
    }

    async fn erase(&self, id: KeyId, at: Timestamp) -> Result<Erased> {
        let erase = move |transaction: &Transaction<'_>| {
            let account = existing(transaction, id)?.account.id;
            removal::remove(transaction, account, at)
        };
        let erased = self.accounts.writer.change(erase).await?;
        let wiped = match self.accounts.writer.rewrite().await {
            Ok(wiped) => wiped,
            Err(error) => {
                tracing::warn!(%error, "the file of accounts could not be rewritten after a removal");
                false
            }
        };
        Ok(Erased { wiped, ..erased })
    }

    async fn remove_unused_keys(
        &self,
        created_before: Timestamp,
        at: Timestamp,
        limit: usize,
    ) -> Result<u64> {
        let unused = move |connection: &Connection| removal::unused(connection, created_before, limit);
        if self.accounts.readers.ask(unused).await?.is_empty() {
            return Ok(0);
        }
        self.accounts
            .writer
            .change(move |transaction| {
                let unused = removal::unused(transaction, created_before, limit)?;
                for account in &unused {
                    removal::remove(transaction, *account, at)?;
                }
                Ok(unused.len() as u64)
            })
            .await
    }

    async fn forget_removed_keys(&self, before: Timestamp) -> Result<u64> {
        let before = [before.as_millisecond()];
        self.accounts
            .writer
            .change(move |transaction| Ok(transaction.execute(sql::FORGET_REMOVED_KEYS, before)? as u64))
            .await
    }
}

fn insert_account(transaction: &Transaction<'_>, key: &NewKey) -> Result<()> {
    let account = &key.account;
    let values = params![
        account.id.0.as_str(),
        account.name,
        account.email,
        account.plan.id(),
        account.rate_limit,
        key.self_registered.then(|| key.created_at.as_millisecond())
    ];
    one_or_conflict(transaction.prepare_cached(sql::INSERT_ACCOUNT)?.execute(values)?)
}

fn insert_key(
    transaction: &Transaction<'_>,
    id: KeyId,
    digest: KeyDigest,
    account: AccountId,
    created_at: Timestamp,
) -> Result<KeyRecord> {
    let values = params![
        id.as_str(),
        hex::encode(&digest.0),
        account.0.as_str(),
        created_at.as_millisecond(),
        next_revision(transaction)?
    ];
    one_or_conflict(transaction.prepare_cached(sql::INSERT_KEY)?.execute(values)?)?;
    existing(transaction, id)
}

fn one_or_conflict(rows: usize) -> Result<()> {
    if rows == 1 { Ok(()) } else { Err(StoreError::Conflict) }
}

fn set_plan(
    transaction: &Transaction<'_>,
    id: KeyId,
    plan: Plan,
    rate_limit: Option<Option<u32>>,
) -> Result<Vec<KeyRecord>> {
    let account = existing(transaction, id)?.account;
    let rate_limit = rate_limit.unwrap_or(account.rate_limit);
    let holder = account.id.0;
    transaction.execute(sql::SET_TERMS, params![plan.id(), rate_limit, holder.as_str()])?;
    for key in keys_of(transaction, account.id)? {
        let revision = next_revision(transaction)?;
        transaction.execute(sql::SET_REVISION, params![revision, key.id.as_str()])?;
    }
    keys_of(transaction, account.id)
}

fn end_key(transaction: &Transaction<'_>, id: KeyId, end: Timestamp, for_good: bool) -> Result<()> {
    let revision = next_revision(transaction)?;
    let values = params![end.as_millisecond(), i64::from(for_good), revision, id.as_str()];
    transaction.prepare_cached(sql::END_KEY)?.execute(values)?;
    Ok(())
}

pub(super) fn next_revision(transaction: &Transaction<'_>) -> Result<i64> {
    transaction.query_row_and_then(sql::NEXT_KEY_REVISION, [], |row| column::number(row, 0))
}

/// The greatest revision of any key.
pub(super) fn last_revision(connection: &Connection) -> Result<u64> {
    connection.query_row_and_then(sql::KEY_REVISION, [], |row| column::number(row, 0))
}

/// Both kinds of change are read from one state of the database, or one between the two readings would be missed.
fn changes(connection: &Connection, since: u64, limit: usize) -> Result<Vec<KeyChange>> {
    let reading = connection.unchecked_transaction()?;
    let bounds = (stored_count(since), stored_count(limit as u64));
    let changed = keys(&reading, sql::KEYS_SINCE, bounds)?.into_iter().map(KeyChange::Changed);
    let mut changes: Vec<KeyChange> = changed.chain(removal::removed_since(&reading, bounds)?).collect();
    changes.sort_by_key(KeyChange::revision);
    changes.truncate(limit);
    Ok(changes)
}

fn existing(connection: &Connection, id: KeyId) -> Result<KeyRecord> {
    find(connection, id)?.ok_or(StoreError::NotFound)
}

fn find(connection: &Connection, id: KeyId) -> Result<Option<KeyRecord>> {
    Ok(keys(connection, sql::KEY, [id.as_str()])?.pop())
}

pub(super) fn keys_of(connection: &Connection, account: AccountId) -> Result<Vec<KeyRecord>> {
    keys(connection, sql::KEYS_OF_ACCOUNT, [account.0.as_str()])
}

fn keys(connection: &Connection, query: &str, parameters: impl Params) -> Result<Vec<KeyRecord>> {
    connection.prepare_cached(query)?.query_and_then(parameters, key)?.collect()
}

fn key(row: &Row<'_>) -> Result<KeyRecord> {
    let digest = hex::decode(column::text(row, 1)?)
        .ok_or_else(|| StoreError::damaged("the digest of a key cannot be read"))?;
    let revoked: i64 = column::number(row, 4)?;
    Ok(KeyRecord {
        id: column::parsed(row, 0, KeyId::parse)?,
        digest: KeyDigest(digest),
        created_at: column::time(row, 2)?,
        ends_at: column::optional_time(row, 3)?,
        revoked: revoked != 0,
        revision: column::number(row, 5)?,
        account: Account {
            id: AccountId(column::parsed(row, 6, KeyId::parse)?),
            name: column::string(row, 7)?,
            email: column::string(row, 8)?,
            plan: column::parsed(row, 9, Plan::parse)?,
            rate_limit: column::optional_number(row, 10)?,
        },
    })
}
