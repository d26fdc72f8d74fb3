//! Keys and the accounts behind them.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, NewKey, Plan};

use crate::Result;

/// Every change of a key gives it a new revision, unlike any other key's: a reader that remembers the greatest
/// one it saw misses nothing.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Keeps a new key and its new account. An id that exists is refused:
    /// [`KeyIdTaken`](crate::StoreError::KeyIdTaken).
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord>;

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>>;

    /// At most `limit` changes after `revision`, of each key the last, by revision.
    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyChange>>;

    /// All keys, oldest first.
    async fn list_keys(&self) -> Result<Vec<KeyRecord>>;

    /// Changes the terms of the account behind the key and returns all its keys. `rate_limit`: `None` leaves the
    /// agreed limit as it is, `Some(None)` goes back to the plan's.
    async fn set_plan(
        &self,
        id: KeyId,
        plan: Plan,
        rate_limit: Option<Option<u32>>,
    ) -> Result<Vec<KeyRecord>>;

    /// Ends the key for good, whatever clocks do later. An earlier end stands.
    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord>;

    /// Adds a key to the account of `old`, which itself ends at `old_ends_at`: for good, if that is not after `at`. A key
    /// that has an end already cannot be rotated: [`KeyEnded`](crate::StoreError::KeyEnded). Whoever got hold of a key that
    /// was rotated away cannot make itself a new one with it.
    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<Rotated>;

    /// Revokes the keys whose end has come, so that no clock that is set back revives them. Says how many.
    async fn close_ended_keys(&self, now: Timestamp) -> Result<u64>;

    /// Removes the person behind a key: the account with its name and address, all its keys and webhooks with all that was
    /// sent to them. What was used stays under the account's id. The bytes are gone from the database too, unless
    /// [`Erased::wiped`] says otherwise.
    async fn erase(&self, id: KeyId, at: Timestamp) -> Result<Erased>;

    /// Removes at most `limit` accounts of the Free plan that their holders registered, all of whose keys were made before
    /// `created_before`, and that were never used. Says how many.
    async fn remove_unused_keys(&self, created_before: Timestamp, at: Timestamp, limit: usize)
    -> Result<u64>;

    /// Forgets which keys were removed before then: every reader has heard of it by now. Says how many.
    async fn forget_removed_keys(&self, before: Timestamp) -> Result<u64>;
}

/// Both keys of a rotation, as they stand after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    pub old: KeyRecord,
    pub new: KeyRecord,
}

/// What was removed with a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    pub account: AccountId,
    pub keys: Vec<KeyId>,
    pub webhooks: u64,
    /// Whether the bytes are gone from the files already. Where others were busy with them, they go with the next
    /// removal.
    pub wiped: bool,
}
