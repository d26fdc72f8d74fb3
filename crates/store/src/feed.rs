//! Saved searches that are read as feeds.

use async_trait::async_trait;
use lastro_model::{AccountId, FeedId, Plan, SavedFeed};

use crate::Result;

#[async_trait]
pub trait FeedStore: Send + Sync {
    /// Stores a feed with the digest of its token. Returns false if the account has `most` already.
    async fn insert_feed(&self, feed: SavedFeed, token_digest: String, most: usize) -> Result<bool>;

    /// Returns the feeds of an account, oldest first.
    async fn feeds_of(&self, account: AccountId) -> Result<Vec<SavedFeed>>;

    /// Returns the feed with this token, and the plan of its account if that has a key which is not revoked.
    async fn feed_by_token(&self, token_digest: &str) -> Result<Option<(SavedFeed, Option<Plan>)>>;

    /// Deletes a feed of this account. Returns whether there was one.
    async fn delete_feed(&self, account: AccountId, id: &FeedId) -> Result<bool>;
}
