//! Keys and accounts in SQLite.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Account, AccountId, KeyDigest, KeyId, KeyRecord, Plan};
use rusqlite::{Connection, Params, Row, Transaction, params};

use super::{SqliteStore, column};
use crate::{AccountStore, NewKey, Result, Rotated, StoreError, hex, sql};

#[async_trait]
impl AccountStore for SqliteStore {
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord> {
        self.writer
            .change(move |transaction| {
                insert_account(transaction, &key.account)?;
                insert_key(transaction, key.id, key.digest, key.account.id, key.created_at)
            })
            .await
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>> {
        self.readers.ask(move |connection| find(connection, id)).await
    }

    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyRecord>> {
        let bounds = (column::stored_count(revision), column::stored_count(limit as u64));
        self.readers.ask(move |connection| keys(connection, sql::KEYS_SINCE, bounds)).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>> {
        self.readers.ask(|connection| keys(connection, sql::ALL_KEYS, [])).await
    }

    async fn set_plan(
        &self,
        id: KeyId,
        plan: Plan,
        rate_limit: Option<Option<u32>>,
    ) -> Result<Vec<KeyRecord>> {
        self.writer.change(move |transaction| set_plan(transaction, id, plan, rate_limit)).await
    }

    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord> {
        self.writer
            .change(move |transaction| {
                let key = existing(transaction, id)?;
                end_by(transaction, &key, at)?;
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
        self.writer
            .change(move |transaction| {
                let key = existing(transaction, old)?;
                if key.ends_at.is_some() {
                    return Err(StoreError::Conflict);
                }
                end_by(transaction, &key, old_ends_at)?;
                let new = insert_key(transaction, new_id, digest, key.account.id, at)?;
                Ok(Rotated { old: existing(transaction, old)?, new })
            })
            .await
    }
}

fn insert_account(transaction: &Transaction<'_>, account: &Account) -> Result<()> {
    let values =
        params![account.id.0.as_str(), account.name, account.email, account.plan.id(), account.rate_limit];
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
    for key in keys(transaction, sql::KEYS_OF_ACCOUNT, [holder.as_str()])? {
        let revision = next_revision(transaction)?;
        transaction.execute(sql::SET_REVISION, params![revision, key.id.as_str()])?;
    }
    keys(transaction, sql::KEYS_OF_ACCOUNT, [holder.as_str()])
}

/// Moves the end of a key forward to `end`, never back.
fn end_by(transaction: &Transaction<'_>, key: &KeyRecord, end: Timestamp) -> Result<()> {
    if key.ends_at.is_some_and(|earlier| earlier <= end) {
        return Ok(());
    }
    let revision = next_revision(transaction)?;
    transaction.execute(sql::END_KEY, params![end.as_millisecond(), revision, key.id.as_str()])?;
    Ok(())
}

fn next_revision(transaction: &Transaction<'_>) -> Result<i64> {
    transaction.query_row_and_then(sql::NEXT_KEY_REVISION, [], |row| column::number(row, 0))
}

fn existing(connection: &Connection, id: KeyId) -> Result<KeyRecord> {
    find(connection, id)?.ok_or(StoreError::NotFound)
}

fn find(connection: &Connection, id: KeyId) -> Result<Option<KeyRecord>> {
    Ok(keys(connection, sql::KEY, [id.as_str()])?.pop())
}

fn keys(connection: &Connection, query: &str, parameters: impl Params) -> Result<Vec<KeyRecord>> {
    connection.prepare_cached(query)?.query_and_then(parameters, key)?.collect()
}

fn key(row: &Row<'_>) -> Result<KeyRecord> {
    let digest = hex::decode(column::text(row, 1)?)
        .ok_or_else(|| StoreError::damaged("the digest of a key cannot be read"))?;
    Ok(KeyRecord {
        id: column::parsed(row, 0, KeyId::parse)?,
        digest: KeyDigest(digest),
        created_at: column::time(row, 2)?,
        ends_at: column::optional_time(row, 3)?,
        revision: column::number(row, 4)?,
        account: Account {
            id: AccountId(column::parsed(row, 5, KeyId::parse)?),
            name: column::string(row, 6)?,
            email: column::string(row, 7)?,
            plan: column::parsed(row, 8, Plan::parse)?,
            rate_limit: column::optional_number(row, 9)?,
        },
    })
}
