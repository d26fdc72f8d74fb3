//! Keys and the accounts behind them.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, KeyChange, KeyDigest, KeyId, KeyRecord, NewKey, Plan};

use crate::Result;

/// Every change of a key gives it a new revision that no other key has. A reader that remembers the greatest revision
/// it has seen misses no change.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Stores a new key and its new account. Rejects an id that exists: [`KeyIdTaken`](crate::StoreError::KeyIdTaken).
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord>;

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>>;

    /// Returns at most `limit` changes after `revision`, only the last one of each key, ordered by revision.
    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyChange>>;

    /// Returns all keys, oldest first.
    async fn list_keys(&self) -> Result<Vec<KeyRecord>>;

    /// Returns all keys of an account, also those that have ended.
    async fn keys_of(&self, account: AccountId) -> Result<Vec<KeyRecord>>;

    /// Changes the terms of the key's account and returns all its keys. `rate_limit`: `None` leaves the agreed limit
    /// as it is, `Some(None)` goes back to the plan's limit.
    async fn set_plan(
        &self,
        id: KeyId,
        plan: Plan,
        rate_limit: Option<Option<u32>>,
    ) -> Result<Vec<KeyRecord>>;

    /// Ends the key for good, even if a clock is set back later. An earlier end is kept.
    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord>;

    /// Adds a key to the account of `old`. `old` ends at `old_ends_at`, for good if that is not after `at`. A key that
    /// already has an end cannot be rotated ([`KeyEnded`](crate::StoreError::KeyEnded)), so a leaked key that was
    /// rotated away cannot be used to make a new one.
    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<Rotated>;

    /// Adds a key to the account of `old`, whose keys all have an end, and leaves those as they are: for the operator,
    /// whose word replaces the proof that a working key is. [`KeyEnded`](crate::StoreError::KeyEnded) if a key of the
    /// account has no end: that one is to be rotated.
    async fn reissue(&self, old: KeyId, new_id: KeyId, digest: KeyDigest, at: Timestamp)
    -> Result<KeyRecord>;

    /// Revokes the keys whose end has passed, so that setting a clock back does not revive them. Returns their number.
    async fn close_ended_keys(&self, now: Timestamp) -> Result<u64>;

    /// Removes the person behind a key: the account with its name and address, all its keys, and its webhooks with
    /// everything sent to them. Usage counts stay under the account's id. The bytes are removed from the database too,
    /// unless [`Erased::wiped`] is false.
    async fn erase(&self, id: KeyId, at: Timestamp) -> Result<Erased>;

    /// The same, only while the state of the account's payments has this version, 0 being that there is none. Returns
    /// `None` without any effect otherwise.
    async fn erase_if_billing_is(
        &self,
        id: KeyId,
        at: Timestamp,
        billing_version: u64,
    ) -> Result<Option<Erased>>;

    /// Removes at most `limit` self-registered, never used accounts of the Free plan whose keys were all made before
    /// `created_before`. Returns their number.
    async fn remove_unused_keys(&self, created_before: Timestamp, at: Timestamp, limit: usize)
    -> Result<u64>;

    /// Forgets the keys removed before then: every reader has seen the removal by now. Returns their number.
    async fn forget_removed_keys(&self, before: Timestamp) -> Result<u64>;
}

/// Both keys of a rotation, in their state after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    pub old: KeyRecord,
    pub new: KeyRecord,
}

/// The result of erasing a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    pub account: AccountId,
    pub keys: Vec<KeyId>,
    pub webhooks: u64,
    /// Whether the bytes are already gone from the files. If the files were in use, the next removal clears them.
    pub wiped: bool,
}
