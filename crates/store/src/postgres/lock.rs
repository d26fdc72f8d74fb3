//! The rows that stand for the locks of the rules.
//!
//! They are taken against writers, not against references: a message may be written to a webhook that is being settled.

use crate::transaction::{Lock, Value};

/// A statement that takes the row and gives it, and the one that gives nothing where somebody else has it.
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

/// The statement, and the row it is about.
pub(super) fn statement(lock: &Lock) -> (LockStatement, [Value<'_>; 1]) {
    match lock {
        Lock::Source(source) => (SOURCE, [source.name().into()]),
        Lock::Keys => (KEYS, ["key_revision".into()]),
        Lock::Account(account) => (ACCOUNT, [account.into()]),
        Lock::Webhook(webhook) => (WEBHOOK, [webhook.into()]),
    }
}
