//! Saved feeds of accounts.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, CompanyId, Day, FeedId, KeyId, Now, Plan, SavedFeed};

use super::SqlStore;
use crate::engine::Database;
use crate::sql::feed as sql;
use crate::transaction::{Lock, Query, Reading, Row, Transaction, values};
use crate::{FeedLookup, FeedStore, Result, StoreError};

#[async_trait]
impl FeedStore for SqlStore {
    async fn insert_feed(&self, feed: SavedFeed, token_digest: String, most: usize) -> Result<bool> {
        let insert = move |accounts: &dyn Transaction| insert(accounts, &feed, &token_digest, most);
        self.engine.change(Database::Accounts, insert).await
    }

    async fn feeds_of(&self, account: AccountId) -> Result<Vec<SavedFeed>> {
        self.engine
            .read(Database::Accounts, move |accounts| accounts.rows(sql::FEEDS_OF, values![&account], feed))
            .await
    }

    async fn feed_by_token(&self, token_digest: &str) -> Result<FeedLookup> {
        let digest = token_digest.to_owned();
        self.engine.read(Database::Accounts, move |accounts| by_token(accounts, &digest)).await
    }

    async fn delete_feed(&self, account: AccountId, id: &FeedId, at: Timestamp) -> Result<bool> {
        let id = id.clone();
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.lock(Lock::Account(account))?;
                accounts.execute(sql::NOTE_ENDED_FEED, values![utc_day(at), &account, id.as_str()])?;
                Ok(accounts.execute(sql::DELETE_FEED, values![&account, id.as_str()])? > 0)
            })
            .await
    }

    async fn forget_ended_feeds(&self, before: Day) -> Result<u64> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::FORGET_ENDED_FEEDS, values![before])
            })
            .await
    }
}

/// Notes that all feeds of an account end with it.
pub(super) fn end_all(accounts: &dyn Transaction, account: AccountId, at: Timestamp) -> Result<()> {
    accounts.execute(sql::NOTE_ENDED_FEEDS_OF, values![utc_day(at), &account]).map(drop)
}

/// No more than a day is noted: a time could lead to the account.
fn utc_day(at: Timestamp) -> Day {
    Now { monotonic_ns: 0, unix_ms: at.as_millisecond() }.utc_day()
}

fn by_token(accounts: &dyn Reading, digest: &str) -> Result<FeedLookup> {
    let found = accounts.first(sql::FEED_BY_TOKEN, values![digest], |row| {
        let plan = row.parsed(5, Plan::parse)?;
        Ok(FeedLookup::Found(feed(row)?, row.flag(6)?.then_some(plan)))
    })?;
    if let Some(found) = found {
        return Ok(found);
    }
    let has_ended = accounts.one(sql::FEED_HAS_ENDED, values![digest], |row| row.flag(0))?;
    Ok(if has_ended { FeedLookup::Ended } else { FeedLookup::Unknown })
}

fn insert(accounts: &dyn Transaction, feed: &SavedFeed, token_digest: &str, most: usize) -> Result<bool> {
    accounts.lock(Lock::Account(feed.account))?;
    let held: u64 = accounts.number(sql::COUNT_FEEDS_OF, values![&feed.account])?;
    if held >= most as u64 {
        return Ok(false);
    }
    let values = values![
        feed.id.as_str(),
        &feed.account,
        token_digest,
        &feed.name,
        search_text(feed)?,
        feed.created_at
    ];
    accounts.execute(sql::INSERT_FEED, values)?;
    Ok(true)
}

type Search = (Option<String>, Vec<u32>, Vec<String>);

fn search_text(feed: &SavedFeed) -> Result<String> {
    let companies = feed.company_ids.iter().map(|id| id.0).collect();
    let search: Search = (feed.q.clone(), companies, feed.categories.clone());
    serde_json::to_string(&search)
        .map_err(|_| StoreError::Backend("the search of a feed could not be written down".to_owned()))
}

fn feed(row: &dyn Row) -> Result<SavedFeed> {
    let search: Search = serde_json::from_str(row.text(3)?)
        .map_err(|_| StoreError::damaged("the search of a feed cannot be read"))?;
    let (q, companies, categories) = search;
    Ok(SavedFeed {
        id: row.parsed(0, FeedId::parse)?,
        account: AccountId(row.parsed(1, KeyId::parse)?),
        name: row.string(2)?,
        q,
        company_ids: companies.into_iter().map(CompanyId).collect(),
        categories,
        created_at: row.time(4)?,
    })
}
