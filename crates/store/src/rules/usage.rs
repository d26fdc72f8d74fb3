//! Usage of the accounts, each batch counted once.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, Outcome, UsageCount};

use super::SqlStore;
use crate::engine::Database;
use crate::sql::account as sql;
use crate::transaction::{Query, Row, Transaction, Value, values};
use crate::{Result, UsageStore};

#[async_trait]
impl UsageStore for SqlStore {
    async fn add_usage(&self, boot: &str, sequence: u64, at: Timestamp, counts: &[UsageCount]) -> Result<()> {
        let (boot, mut counts) = (boot.to_owned(), counts.to_vec());
        // The same order in every process, so that two concurrent writers never deadlock.
        counts.sort_unstable();
        self.engine
            .change(Database::Accounts, move |accounts| {
                if accounts.execute(sql::NOTE_USAGE_FLUSH, values![&boot, sequence, at])? > 0 {
                    add(accounts, &counts)?;
                }
                Ok(())
            })
            .await
    }

    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>> {
        self.engine
            .read(Database::Accounts, move |accounts| {
                accounts.rows(sql::USAGE, values![&account, from, to], |row| count(row, account))
            })
            .await
    }

    async fn last_used(&self, account: AccountId) -> Result<Option<Day>> {
        self.engine
            .read(Database::Accounts, move |accounts| {
                accounts.one(sql::LAST_USED, values![&account], |row| row.optional_day(0))
            })
            .await
    }

    async fn forget_usage_flushes(&self, before: Timestamp) -> Result<u64> {
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::FORGET_USAGE_FLUSHES, values![before])
            })
            .await
    }
}

/// Marks the accounts first, then adds their counts, both in one order.
fn add(accounts: &dyn Transaction, counts: &[UsageCount]) -> Result<()> {
    let mut used: Vec<Value<'_>> = counts.iter().map(|count| Value::from(&count.account)).collect();
    used.dedup();
    accounts.execute_each(&sql::MARK_USED, &used)?;
    let mut rows = Vec::with_capacity(counts.len() * 5);
    for UsageCount { account, day, endpoint, outcome, requests } in counts {
        rows.extend([
            (*requests).into(),
            account.into(),
            (*day).into(),
            Value::from(endpoint),
            outcome.name().into(),
        ]);
    }
    accounts.execute_each(&sql::ADD_USAGE, &rows)?;
    Ok(())
}

fn count(row: &dyn Row, account: AccountId) -> Result<UsageCount> {
    Ok(UsageCount {
        account,
        day: row.day(0)?,
        endpoint: row.string(1)?,
        outcome: row.parsed(2, Outcome::parse)?,
        requests: row.number(3)?,
    })
}
