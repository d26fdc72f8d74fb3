//! Keys and accounts. Their removal is in [`removal`].

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Account, AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, NewKey, Plan, hex};

use super::{SqlStore, removal};
use crate::engine::Database;
use crate::sql::account as sql;
use crate::sql::billing::BILLING_VERSION;
use crate::transaction::{Lock, Query, Reading, Row, Transaction, Value, values};
use crate::{AccountStore, Erased, Result, Rotated, StoreError};

/// Number of keys closed in one transaction, limited because it blocks other writers.
const CLOSED_AT_ONCE: usize = 500;

#[async_trait]
impl AccountStore for SqlStore {
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Keys)?;
                insert_account(accounts, &key)?;
                insert_key(accounts, key.id, key.digest, key.account.id, key.created_at)
            })
            .await
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>> {
        self.engine.read(Database::Accounts, move |accounts| find(accounts, id)).await
    }

    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyChange>> {
        self.engine.read(Database::Accounts, move |accounts| changes(accounts, revision, limit)).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>> {
        self.engine.read(Database::Accounts, |accounts| accounts.rows(sql::ALL_KEYS, &[], key)).await
    }

    async fn keys_of(&self, account: AccountId) -> Result<Vec<KeyRecord>> {
        self.engine.read(Database::Accounts, move |accounts| keys_of(accounts, account)).await
    }

    async fn set_plan(
        &self,
        id: KeyId,
        plan: Plan,
        rate_limit: Option<Option<u32>>,
    ) -> Result<Vec<KeyRecord>> {
        self.engine.change(Database::Accounts, move |accounts| set_plan(accounts, id, plan, rate_limit)).await
    }

    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord> {
        self.engine.change(Database::Accounts, move |accounts| revoke(accounts, id, at)).await
    }

    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<Rotated> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Keys)?;
                let key = existing(accounts, old)?;
                if key.revoked || key.ends_at.is_some() {
                    return Err(StoreError::KeyEnded);
                }
                end_key(accounts, old, old_ends_at, old_ends_at <= at)?;
                let new = insert_key(accounts, new_id, digest, key.account.id, at)?;
                Ok(Rotated { old: existing(accounts, old)?, new })
            })
            .await
    }

    async fn reissue(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
    ) -> Result<KeyRecord> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Keys)?;
                let account = existing(accounts, old)?.account.id;
                let lasts = |key: &KeyRecord| !key.revoked && key.ends_at.is_none();
                if keys_of(accounts, account)?.iter().any(lasts) {
                    return Err(StoreError::KeyEnded);
                }
                insert_key(accounts, new_id, digest, account, at)
            })
            .await
    }

    async fn close_ended_keys(&self, now: Timestamp) -> Result<u64> {
        // Called often while a key has an end, and mostly finds none that has ended: no write lock is needed for that.
        if self.engine.read(Database::Accounts, move |accounts| ended(accounts, now)).await?.is_empty() {
            return Ok(0);
        }
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Keys)?;
                let ended = ended(accounts, now)?;
                for key in &ended {
                    end_key(accounts, key.id, key.ends_at.unwrap_or(now), true)?;
                }
                Ok(ended.len() as u64)
            })
            .await
    }

    async fn erase(&self, id: KeyId, at: Timestamp) -> Result<Erased> {
        let erase = move |accounts: &dyn Transaction| {
            accounts.lock(Lock::Keys)?;
            let account = existing(accounts, id)?.account.id;
            accounts.lock(Lock::Account(account))?;
            removal::remove(accounts, account, at)
        };
        let erased = self.engine.change(Database::Accounts, erase).await?;
        Ok(Erased { wiped: self.wipe().await, ..erased })
    }

    async fn erase_if_billing_is(
        &self,
        id: KeyId,
        at: Timestamp,
        billing_version: u64,
    ) -> Result<Option<Erased>> {
        let erase = move |accounts: &dyn Transaction| {
            accounts.lock(Lock::Keys)?;
            let account = existing(accounts, id)?.account.id;
            accounts.lock(Lock::Account(account))?;
            let version = accounts.first(BILLING_VERSION, values![&account], |row| row.number(0))?;
            if version.unwrap_or(0) != billing_version {
                return Ok(None);
            }
            removal::remove(accounts, account, at).map(Some)
        };
        let Some(erased) = self.engine.change(Database::Accounts, erase).await? else { return Ok(None) };
        Ok(Some(Erased { wiped: self.wipe().await, ..erased }))
    }

    async fn remove_unused_keys(
        &self,
        created_before: Timestamp,
        at: Timestamp,
        limit: usize,
    ) -> Result<u64> {
        let unused = move |accounts: &dyn Reading| removal::unused(accounts, created_before, limit);
        let unused = self.engine.read(Database::Accounts, unused).await?;
        if unused.is_empty() {
            return Ok(0);
        }
        self.engine
            .change(Database::Accounts, move |accounts| {
                removal::remove_if_unused(accounts, &unused, created_before, at)
            })
            .await
    }

    async fn forget_removed_keys(&self, before: Timestamp) -> Result<u64> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::FORGET_REMOVED_KEYS, values![before])
            })
            .await
    }
}

impl SqlStore {
    /// Removes the bytes of deleted accounts. Returns whether they are gone.
    async fn wipe(&self) -> bool {
        self.engine.backend.wipe_deleted_accounts().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the file of accounts could not be rewritten after a removal");
            false
        })
    }
}

fn insert_account(accounts: &dyn Transaction, key: &NewKey) -> Result<()> {
    let account = &key.account;
    let values = values![
        &account.id,
        &account.name,
        &account.email,
        account.plan.id(),
        account.rate_limit,
        key.self_registered.then_some(key.created_at)
    ];
    one_or_taken(accounts.execute(sql::INSERT_ACCOUNT, values)?)
}

fn insert_key(
    accounts: &dyn Transaction,
    id: KeyId,
    digest: KeyDigest,
    account: AccountId,
    created_at: Timestamp,
) -> Result<KeyRecord> {
    let revision = next_revision(accounts)?;
    let values = values![&id, hex::encode(&digest.0), &account, created_at, revision];
    one_or_taken(accounts.execute(sql::INSERT_KEY, values)?)?;
    existing(accounts, id)
}

fn one_or_taken(rows: u64) -> Result<()> {
    if rows == 1 { Ok(()) } else { Err(StoreError::KeyIdTaken) }
}

fn set_plan(
    accounts: &dyn Transaction,
    id: KeyId,
    plan: Plan,
    rate_limit: Option<Option<u32>>,
) -> Result<Vec<KeyRecord>> {
    accounts.lock(Lock::Keys)?;
    let account = existing(accounts, id)?.account;
    let rate_limit = rate_limit.unwrap_or(account.rate_limit);
    accounts.execute(sql::SET_TERMS, values![plan.id(), rate_limit, &account.id])?;
    renew_keys_of(accounts, account.id)
}

/// Changes the plan of an account whose keys are locked, and returns all its keys. An agreed limit stays.
pub(super) fn set_plan_of(
    accounts: &dyn Transaction,
    account: AccountId,
    plan: Plan,
) -> Result<Vec<KeyRecord>> {
    accounts.execute(sql::SET_PLAN, values![plan.id(), &account])?;
    renew_keys_of(accounts, account)
}

/// The plan of an account, if there is such an account.
pub(super) fn plan_of(accounts: &dyn Reading, account: AccountId) -> Result<Option<Plan>> {
    accounts.first(sql::PLAN_OF_ACCOUNT, values![&account], |row| row.parsed(0, Plan::parse))
}

/// Gives the keys of a changed account new revisions, so that running servers notice.
fn renew_keys_of(accounts: &dyn Transaction, account: AccountId) -> Result<Vec<KeyRecord>> {
    for key in keys_of(accounts, account)? {
        let revision = next_revision(accounts)?;
        accounts.execute(sql::SET_REVISION, values![revision, &key.id])?;
    }
    keys_of(accounts, account)
}

fn revoke(accounts: &dyn Transaction, id: KeyId, at: Timestamp) -> Result<KeyRecord> {
    accounts.lock(Lock::Keys)?;
    let key = existing(accounts, id)?;
    let end = key.ends_at.map_or(at, |earlier| earlier.min(at));
    if !key.revoked || key.ends_at != Some(end) {
        end_key(accounts, id, end, true)?;
    }
    existing(accounts, id)
}

fn end_key(accounts: &dyn Transaction, id: KeyId, end: Timestamp, for_good: bool) -> Result<()> {
    let revision = next_revision(accounts)?;
    accounts.execute(sql::END_KEY, values![end, for_good, revision, &id])?;
    Ok(())
}

pub(super) fn next_revision(accounts: &dyn Transaction) -> Result<u64> {
    accounts.number(sql::NEXT_KEY_REVISION, &[])
}

/// Both statements must see the same state: a change between them would be missed.
fn changes(accounts: &dyn Reading, since: u64, limit: usize) -> Result<Vec<KeyChange>> {
    let bounds: &[Value<'_>] = values![since, limit];
    let mut changes = accounts.rows(sql::KEYS_SINCE, bounds, |row| key(row).map(KeyChange::Changed))?;
    changes.extend(accounts.rows(sql::REMOVED_KEYS_SINCE, bounds, removal::removed)?);
    changes.sort_by_key(KeyChange::revision);
    changes.truncate(limit);
    Ok(changes)
}

fn ended(accounts: &dyn Reading, now: Timestamp) -> Result<Vec<KeyRecord>> {
    accounts.rows(sql::ENDED_KEYS, values![now, CLOSED_AT_ONCE], key)
}

fn existing(accounts: &dyn Reading, id: KeyId) -> Result<KeyRecord> {
    find(accounts, id)?.ok_or(StoreError::NotFound)
}

fn find(accounts: &dyn Reading, id: KeyId) -> Result<Option<KeyRecord>> {
    accounts.first(sql::KEY, values![&id], key)
}

pub(super) fn keys_of(accounts: &dyn Reading, account: AccountId) -> Result<Vec<KeyRecord>> {
    accounts.rows(sql::KEYS_OF_ACCOUNT, values![&account], key)
}

fn key(row: &dyn Row) -> Result<KeyRecord> {
    let digest =
        hex::decode(row.text(1)?).ok_or_else(|| StoreError::damaged("the digest of a key cannot be read"))?;
    Ok(KeyRecord {
        id: row.parsed(0, KeyId::parse)?,
        digest: KeyDigest(digest),
        created_at: row.time(2)?,
        ends_at: row.optional_time(3)?,
        revoked: row.flag(4)?,
        revision: row.number(5)?,
        account: Account {
            id: AccountId(row.parsed(6, KeyId::parse)?),
            name: row.string(7)?,
            email: row.string(8)?,
            plan: row.parsed(9, Plan::parse)?,
            rate_limit: row.optional_number(10)?,
        },
    })
}
