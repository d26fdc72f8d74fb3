//! Saved searches that are read as feeds.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, FeedId, Plan, SavedFeed};

use crate::Result;

/// The feed at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedLookup {
    /// With the plan of its account if that has a key which is not revoked.
    Found(SavedFeed, Option<Plan>),
    /// It was deleted, or its account was.
    Ended,
    /// There never was one, or it ended long ago.
    Unknown,
}

#[async_trait]
pub trait FeedStore: Send + Sync {
    /// Stores a feed with the digest of its token. Returns false if the account has `most` already.
    async fn insert_feed(&self, feed: SavedFeed, token_digest: String, most: usize) -> Result<bool>;

    /// Returns the feeds of an account, oldest first.
    async fn feeds_of(&self, account: AccountId) -> Result<Vec<SavedFeed>>;

    /// Returns the feed with this token.
    async fn feed_by_token(&self, token_digest: &str) -> Result<FeedLookup>;

    /// Deletes a feed of this account, and notes that it ended. Returns whether there was one.
    async fn delete_feed(&self, account: AccountId, id: &FeedId, at: Timestamp) -> Result<bool>;

    /// Forgets that feeds ended before that day. Returns their number.
    async fn forget_ended_feeds(&self, before: Day) -> Result<u64>;
}
