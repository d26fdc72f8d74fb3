//! What a transaction takes for itself before it looks, and in which order.
//!
//! Where several processes write at once, a rule that reads and then writes must first keep others away from what it
//! read. A transaction takes its locks from the top of [`Lock`] to the bottom, of one kind in their order, and after all
//! of them the counters: `addressed`, `message` on the side of the accounts, `edition`, `announcement` on the side of the
//! data. What is counted of use is written in the order of its key. So no two transactions ever wait for each other.
//!
//! SQLite has one writer and needs no lock, but checks the order where debug assertions are on: the suite finds a rule
//! that would be a deadlock elsewhere.

use lastro_model::{AccountId, Source, WebhookId};

/// Declared in the order in which they are taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lock {
    /// The row of `source_state`: one publication of a source at a time. Those of other sources go on.
    Source(Source),
    /// The counter `key_revision`, in every transaction that changes keys: revisions then become visible in their order,
    /// and a change of all keys of an account misses none that is just being made.
    Keys,
    /// The row of `account`: nobody else counts what it has, or uses it for the first time.
    Account(AccountId),
    /// The row of `webhook`, before its messages.
    Webhook(WebhookId),
}
