//! The locks that a transaction takes before it reads, and their order.
//!
//! If several processes write at once, a rule that reads and then writes must first lock what it reads. A transaction
//! takes its locks in the order of the variants of [`Lock`], those of one kind in the order of their values, and then
//! the counters: `addressed`, `message` among the accounts, `edition`, `announcement` in the published data. Usage counts
//! are written in the order of their keys. So no two transactions ever wait for each other.
//!
//! SQLite has one writer and needs no locks, but checks their order if debug assertions are on: the test suite then
//! finds rules that could deadlock on another database.

use lastro_model::{AccountId, Source, WebhookId};

/// Variants are declared in the order in which they are taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lock {
    /// The row of `source_state`: one publication per source at a time. Other sources are not blocked, except those whose
    /// rows are shown together. All are locked before a transaction takes the number of an edition.
    Source(Source),
    /// The counter `key_revision`, locked by every transaction that changes keys: revisions become visible in order,
    /// and a change of all keys of an account misses none that is being inserted.
    Keys,
    /// The row of `account`: no other transaction counts its webhooks or marks it as used.
    Account(AccountId),
    /// The row of `webhook`, locked before its messages.
    Webhook(WebhookId),
}
