//! Accounts that go, with all that hangs from them, and what is left to tell of it.

use jiff::Timestamp;
use lastro_model::{AccountId, KeyChange, KeyId};
use rusqlite::{Connection, Transaction, params};

use super::account::{keys_of, next_revision};
use super::column::{self, stored_count};
use crate::sql::{account as sql, webhook};
use crate::{Erased, Result};

/// Removes an account. Each of its keys leaves a number behind, so that running servers hear of it.
pub(super) fn remove(transaction: &Transaction<'_>, account: AccountId, at: Timestamp) -> Result<Erased> {
    let keys: Vec<KeyId> = keys_of(transaction, account)?.into_iter().map(|key| key.id).collect();
    let holder = [account.0.as_str()];
    let webhooks =
        transaction.query_row_and_then(webhook::COUNT_WEBHOOKS_OF, holder, |row| column::number(row, 0))?;
    transaction.prepare_cached(sql::DELETE_ACCOUNT)?.execute(holder)?;
    for key in &keys {
        let values = params![key.as_str(), next_revision(transaction)?, at.as_millisecond()];
        transaction.prepare_cached(sql::INSERT_REMOVED_KEY)?.execute(values)?;
    }
    Ok(Erased { account, keys, webhooks, wiped: false })
}

/// Accounts that their holders registered before then and nobody ever used, longest unused first.
pub(super) fn unused(
    connection: &Connection,
    created_before: Timestamp,
    limit: usize,
) -> Result<Vec<AccountId>> {
    let bounds = (created_before.as_millisecond(), stored_count(limit as u64));
    connection
        .prepare_cached(sql::UNUSED_ACCOUNTS)?
        .query_and_then(bounds, |row| column::parsed(row, 0, KeyId::parse).map(AccountId))?
        .collect()
}

/// At most so many keys that were removed after a revision, by revision.
pub(super) fn removed_since(connection: &Connection, bounds: (i64, i64)) -> Result<Vec<KeyChange>> {
    connection
        .prepare_cached(sql::REMOVED_KEYS_SINCE)?
        .query_and_then(bounds, |row| {
            let id = column::parsed(row, 0, KeyId::parse)?;
            Ok(KeyChange::Removed { id, revision: column::number(row, 1)? })
        })?
        .collect()
}
