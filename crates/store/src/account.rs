//! Keys and the accounts behind them.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Account, KeyDigest, KeyId, KeyRecord, Plan};

use crate::Result;

/// Every change of a key gives it a new revision, unlike any other key's: a reader that remembers the greatest
/// one it saw misses nothing.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Keeps a new key and its new account. A key id or an account that exists is a `Conflict`.
    async fn insert_key(&self, key: NewKey) -> Result<KeyRecord>;

    async fn key(&self, id: KeyId) -> Result<Option<KeyRecord>>;

    /// At most `limit` keys that changed after `revision`, by revision.
    async fn keys_since(&self, revision: u64, limit: usize) -> Result<Vec<KeyRecord>>;

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

    /// Ends the key. An earlier end stands.
    async fn revoke(&self, id: KeyId, at: Timestamp) -> Result<KeyRecord>;

    /// Adds a key to the account of `old`, which itself ends at `old_ends_at`. A key that has an end already cannot be
    /// rotated: `Conflict`. Whoever got hold of a key that was rotated away cannot make itself a new one with it.
    async fn rotate(
        &self,
        old: KeyId,
        new_id: KeyId,
        digest: KeyDigest,
        at: Timestamp,
        old_ends_at: Timestamp,
    ) -> Result<Rotated>;
}

/// Both keys of a rotation, as they stand after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    pub old: KeyRecord,
    pub new: KeyRecord,
}

/// The first key of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    pub id: KeyId,
    pub digest: KeyDigest,
    pub account: Account,
    pub created_at: Timestamp,
}
