//! Saved searches of filings that are read as feeds.

use jiff::Timestamp;

use crate::random_id::name_with_prefix;
use crate::{AccountId, CompanyId};

name_with_prefix!(FeedId, "feed_", "must be a feed id: feed_ and 24 hexadecimal digits");

/// A saved search. Fields that are empty match everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFeed {
    pub id: FeedId,
    pub account: AccountId,
    pub name: String,
    pub q: Option<String>,
    pub company_ids: Vec<CompanyId>,
    pub categories: Vec<String>,
    pub created_at: Timestamp,
}
