//! Usage in SQLite.

use async_trait::async_trait;
use lastro_model::{AccountId, Day, Outcome, UsageCount};
use rusqlite::{Row, Transaction, params};

use super::{SqliteStore, column};
use crate::{Result, UsageStore, sql};

#[async_trait]
impl UsageStore for SqliteStore {
    async fn add_usage(&self, boot: &str, counts: &[UsageCount]) -> Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        let (boot, counts) = (boot.to_owned(), counts.to_vec());
        self.writer.change(move |transaction| add(transaction, &boot, &counts)).await
    }

    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>> {
        self.readers
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
        self.readers
            .ask(move |connection| {
                let mut statement = connection.prepare_cached(sql::LAST_USED)?;
                let mut rows = statement.query([account.0.as_str()])?;
                rows.next()?.map_or(Ok(None), |row| column::optional_day(row, 0))
            })
            .await
    }
}

fn add(transaction: &Transaction<'_>, boot: &str, counts: &[UsageCount]) -> Result<()> {
    let mut statement = transaction.prepare_cached(sql::ADD_USAGE)?;
    for count in counts {
        statement.execute(params![
            count.account.0.as_str(),
            count.day.number(),
            count.endpoint,
            count.outcome.name(),
            boot,
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
