//! The counters that show what has changed, and what there is to do.

use lastro_model::{BySource, Edition, Source};

use crate::sql::counters as sql;
use crate::transaction::{Query, Reading, Row};
use crate::{Counters, LastAttempt, Result, StoreError};

/// The counters of the published data.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DataCounters {
    editions: BySource<Edition>,
    attempts: BySource<Option<LastAttempt>>,
    newest_announcement: u64,
}

/// The counters of the accounts.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccountCounters {
    key_revision: u64,
    addressed: u64,
    has_pending_messages: bool,
    has_ending_keys: bool,
}

/// All counters, by a single statement.
pub(super) fn of_both(both: &dyn Reading) -> Result<Counters> {
    let (mut data, mut accounts) = (DataCounters::default(), None);
    both.rows(sql::COUNTERS, &[], |row| {
        accounts = Some(account_counters(row, sql::DATA_COLUMNS)?);
        data.take_in(row)
    })?;
    let accounts = accounts.ok_or_else(|| StoreError::damaged("it knows no source"))?;
    Ok(together(data, accounts))
}

pub(super) fn of_data(data: &dyn Reading) -> Result<DataCounters> {
    let mut counters = DataCounters::default();
    data.rows(sql::DATA_COUNTERS, &[], |row| counters.take_in(row))?;
    Ok(counters)
}

pub(super) fn of_accounts(accounts: &dyn Reading) -> Result<AccountCounters> {
    accounts.one(sql::ACCOUNT_COUNTERS, &[], |row| account_counters(row, 0))
}

pub(super) fn together(data: DataCounters, accounts: AccountCounters) -> Counters {
    let DataCounters { editions, attempts, newest_announcement } = data;
    let AccountCounters { key_revision, addressed, has_pending_messages, has_ending_keys } = accounts;
    Counters {
        editions,
        attempts,
        key_revision,
        has_announcements: newest_announcement > addressed,
        has_pending_messages,
        has_ending_keys,
    }
}

impl DataCounters {
    /// Skips a source of a later version, which may run beside this one.
    fn take_in(&mut self, row: &dyn Row) -> Result<()> {
        self.newest_announcement = row.number(4)?;
        if let Ok(source) = Source::parse(row.text(0)?) {
            let failed = row.flag(3)?;
            self.editions[source] = Edition(row.number(1)?);
            self.attempts[source] = row.optional_time(2)?.map(|at| LastAttempt { at, failed });
        }
        Ok(())
    }
}

fn account_counters(row: &dyn Row, first: usize) -> Result<AccountCounters> {
    Ok(AccountCounters {
        key_revision: row.number(first)?,
        addressed: row.number(first + 1)?,
        has_pending_messages: row.flag(first + 2)?,
        has_ending_keys: row.flag(first + 3)?,
    })
}
