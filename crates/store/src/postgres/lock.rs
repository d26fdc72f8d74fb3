//! The rows that represent the locks of the rules.
//!
//! They lock out writers, not references: a message may be inserted for a webhook that is being settled.

use crate::transaction::{Lock, Value};

/// The statement that waits for the row, and the one that returns nothing if another transaction holds it.
pub(super) struct LockStatement {
    pub(super) wait: &'static str,
    pub(super) skip: &'static str,
}

macro_rules! locking {
    ($select:literal) => {
        LockStatement {
            wait: concat!($select, " FOR NO KEY UPDATE"),
            skip: concat!($select, " FOR NO KEY UPDATE SKIP LOCKED"),
        }
    };
}

const SOURCE: LockStatement = locking!("SELECT 1 FROM source_state WHERE source = $1");
const KEYS: LockStatement = locking!("SELECT 1 FROM counter WHERE name = $1");
const ACCOUNT: LockStatement = locking!("SELECT 1 FROM account WHERE id = $1");
const WEBHOOK: LockStatement = locking!("SELECT 1 FROM webhook WHERE id = $1");

/// The statement for a lock, and the key of its row.
pub(super) fn statement(lock: &Lock) -> (LockStatement, [Value<'_>; 1]) {
    match lock {
        Lock::Source(source) => (SOURCE, [source.name().into()]),
        Lock::Keys => (KEYS, ["key_revision".into()]),
        Lock::Account(account) => (ACCOUNT, [account.into()]),
        Lock::Webhook(webhook) => (WEBHOOK, [webhook.into()]),
    }
}
