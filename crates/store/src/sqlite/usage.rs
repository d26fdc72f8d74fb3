//! Usage in SQLite.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, Outcome, UsageCount};
use rusqlite::{Row, Transaction, params};

use super::{SqliteStore, column};
use crate::sql::account as sql;
use crate::{Result, UsageStore};

#[async_trait]
impl UsageStore for SqliteStore {
    async fn add_usage(&self, boot: &str, sequence: u64, at: Timestamp, counts: &[UsageCount]) -> Result<()> {
        let (boot, counts) = (boot.to_owned(), counts.to_vec());
        self.accounts
            .writer
            .change(move |transaction| {
                let flush = params![boot, column::stored_count(sequence), at.as_millisecond()];
                if transaction.execute(sql::NOTE_USAGE_FLUSH, flush)? > 0 {
                    add(transaction, &counts)?;
                }
                Ok(())
            })
            .await
    }

    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>> {
        self.accounts
            .readers
            .ask(move |connection| {
                let bounds = params![account.0.as_str(), from.number(), to.number()];
                connection
                    .prepare_cached(sql::USAGE)?
                    .query_and_then(bounds, |row| count(row, account))?
                    .collect()
            })
            .await
    }

    async fn last_used(&self, account: AccountId) -> Result<Option<Day>> {
        self.accounts
            .readers
            .ask(move |connection| {
                let mut statement = connection.prepare_cached(sql::LAST_USED)?;
                let mut rows = statement.query([account.0.as_str()])?;
                rows.next()?.map_or(Ok(None), |row| column::optional_day(row, 0))
            })
            .await
    }

    async fn forget_usage_flushes(&self, before: Timestamp) -> Result<u64> {
        let before = [before.as_millisecond()];
        self.accounts
            .writer
            .change(move |transaction| Ok(transaction.execute(sql::FORGET_USAGE_FLUSHES, before)? as u64))
            .await
    }
}

fn add(transaction: &Transaction<'_>, counts: &[UsageCount]) -> Result<()> {
    let mut add = transaction.prepare_cached(sql::ADD_USAGE)?;
    let mut mark_used = transaction.prepare_cached(sql::MARK_USED)?;
    let mut last = None;
    for count in counts {
        // The counts of an account mostly follow one another.
        if last.replace(count.account) != Some(count.account) {
            mark_used.execute([count.account.0.as_str()])?;
        }
        add.execute(params![
            count.account.0.as_str(),
            count.day.number(),
            count.endpoint,
            count.outcome.name(),
            column::stored_count(count.requests)
        ])?;
    }
    Ok(())
}

fn count(row: &Row<'_>, account: AccountId) -> Result<UsageCount> {
    Ok(UsageCount {
        account,
        day: column::day(row, 0)?,
        endpoint: column::string(row, 1)?,
        outcome: column::parsed(row, 2, Outcome::parse)?,
        requests: column::number(row, 3)?,
    })
}
