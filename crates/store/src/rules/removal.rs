//! Removal of accounts with everything that belongs to them, and the traces that it leaves.

use jiff::Timestamp;
use lastro_model::{AccountId, KeyChange, KeyId};

use super::account::{keys_of, next_revision};
use super::feed;
use crate::sql::{account as sql, webhook};
use crate::transaction::{Lock, Query, Reading, Row, Transaction, values};
use crate::{Erased, Result};

/// Removes an account. Each of its keys leaves a revision behind, so that running servers notice, and the address of each
/// of its feeds the day on which it ended.
pub(super) fn remove(accounts: &dyn Transaction, account: AccountId, at: Timestamp) -> Result<Erased> {
    let keys: Vec<KeyId> = keys_of(accounts, account)?.into_iter().map(|key| key.id).collect();
    let webhooks = accounts.number(webhook::COUNT_WEBHOOKS_OF, values![&account])?;
    feed::end_all(accounts, account, at)?;
    accounts.execute(sql::DELETE_ACCOUNT, values![&account])?;
    for key in &keys {
        let revision = next_revision(accounts)?;
        accounts.execute(sql::INSERT_REMOVED_KEY, values![key, revision, at])?;
    }
    Ok(Erased { account, keys, webhooks, wiped: false })
}

/// Locks the accounts, and removes those that are still unused. Returns their number.
pub(super) fn remove_if_unused(
    accounts: &dyn Transaction,
    candidates: &[AccountId],
    created_before: Timestamp,
    at: Timestamp,
) -> Result<u64> {
    accounts.lock(Lock::Keys)?;
    let mut ordered = candidates.to_vec();
    ordered.sort_unstable();
    for account in &ordered {
        accounts.lock(Lock::Account(*account))?;
    }
    let mut unused = unused(accounts, created_before, candidates.len())?;
    unused.retain(|account| ordered.binary_search(account).is_ok());
    for account in &unused {
        remove(accounts, *account, at)?;
    }
    Ok(unused.len() as u64)
}

/// Accounts that were self-registered before then and never used, longest unused first.
pub(super) fn unused(
    accounts: &dyn Reading,
    created_before: Timestamp,
    limit: usize,
) -> Result<Vec<AccountId>> {
    accounts.rows(sql::UNUSED_ACCOUNTS, values![created_before, limit], |row| {
        row.parsed(0, KeyId::parse).map(AccountId)
    })
}

/// Reads a removed key.
pub(super) fn removed(row: &dyn Row) -> Result<KeyChange> {
    Ok(KeyChange::Removed { id: row.parsed(0, KeyId::parse)?, revision: row.number(1)? })
}
