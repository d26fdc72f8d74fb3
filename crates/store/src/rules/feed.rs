//! Saved feeds of accounts.

use async_trait::async_trait;
use lastro_model::{AccountId, CompanyId, FeedId, KeyId, Plan, SavedFeed};

use super::SqlStore;
use crate::engine::Database;
use crate::sql::feed as sql;
use crate::transaction::{Lock, Query, Row, Transaction, values};
use crate::{FeedStore, Result, StoreError};

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

    async fn feed_by_token(&self, token_digest: &str) -> Result<Option<(SavedFeed, Option<Plan>)>> {
        let digest = token_digest.to_owned();
        self.engine
            .read(Database::Accounts, move |accounts| {
                accounts.first(sql::FEED_BY_TOKEN, values![&digest], |row| {
                    let plan = row.parsed(5, Plan::parse)?;
                    Ok((feed(row)?, row.flag(6)?.then_some(plan)))
                })
            })
            .await
    }

    async fn delete_feed(&self, account: AccountId, id: &FeedId) -> Result<bool> {
        let id = id.clone();
        self.engine
            .change(Database::Accounts, move |accounts| {
                Ok(accounts.execute(sql::DELETE_FEED, values![&account, id.as_str()])? > 0)
            })
            .await
    }
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
