//! Usage in SQLite.

use async_trait::async_trait;
use lastro_model::{AccountId, Day, Outcome, UsageCount};
use rusqlite::{Row, Transaction, params};

use super::{SqliteStore, column};
use crate::{Result, StoreError, UsageStore, sql};

/// The name that stands for all boots of a folded day.
const FOLDED: &str = "";

#[async_trait]
impl UsageStore for SqliteStore {
    async fn add_usage(&self, boot: &str, counts: &[UsageCount]) -> Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        if boot == FOLDED {
            return Err(StoreError::Unsupported("usage is counted under the name of a boot".to_owned()));
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

    async fn fold_usage(&self, before: Day) -> Result<u64> {
        self.writer.change(move |transaction| fold(transaction, before)).await
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
    let closed = closed_days(transaction, boot, counts)?;
    let mut statement = transaction.prepare_cached(sql::ADD_USAGE)?;
    for count in counts.iter().filter(|count| !closed.contains(&count.day)) {
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

/// The days of these counts that are folded for this boot.
fn closed_days(transaction: &Transaction<'_>, boot: &str, counts: &[UsageCount]) -> Result<Vec<Day>> {
    let Some(first) = counts.iter().map(|count| count.day).min() else { return Ok(Vec::new()) };
    transaction
        .prepare_cached(sql::FOLDED_DAYS)?
        .query_and_then(params![boot, first.number()], |row| column::day(row, 0))?
        .collect()
}

fn fold(transaction: &Transaction<'_>, before: Day) -> Result<u64> {
    let before = [before.number()];
    transaction.execute(sql::CLOSE_DAYS, before)?;
    transaction.execute(sql::SUM_UP_DAYS, before)?;
    Ok(transaction.execute(sql::DELETE_SUMMED_UP, before)? as u64)
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
