//! The rules of the store, written once for every database.
//!
//! A rule is a plain function over a [`Reading`](crate::transaction::Reading) or a
//! [`Transaction`](crate::transaction::Transaction): it groups statements and gives them meaning. It uses no
//! connection, file or driver. [`SqlStore`] implements the store's traits by running the rules on an [`Engine`].

mod account;
mod announce;
mod billing;
mod change;
mod change_writer;
mod claim;
mod counters;
mod delivery;
mod edition;
mod feed;
mod filing_log;
mod lease;
pub(crate) mod load;
mod logged;
mod outbox;
mod publish;
mod read_file;
mod record;
mod recording;
mod removal;
mod replica;
mod row_json;
mod setting;
mod shown_companies;
mod source_state;
mod table;
mod tally;
mod usage;
mod webhook;
mod withdrawal;
mod withheld;

pub(crate) use announce::addressed;
pub(crate) use setting::find as find_setting;

use crate::calls::{Calls, MeasuredStore, PoolState};
use crate::engine::{Database, Engine, Remembered, Runner};
use crate::setting::UNFINISHED;
use crate::{Result, SettingStore, StoreError};

/// A store on an SQL database.
#[derive(Debug)]
pub(crate) struct SqlStore {
    pub(crate) engine: Runner,
    data_counters: Remembered<counters::DataCounters>,
    account_counters: Remembered<counters::AccountCounters>,
}

impl SqlStore {
    /// Creates the store, and a state for every source, including those that are new in this version.
    pub(crate) async fn over(engine: Box<dyn Engine>) -> Result<Self> {
        let store = Self::finished(engine).await?;
        // Only a read if nothing is missing: opening must not wait for a publication.
        if !store.engine.read(Database::Data, source_state::missing).await?.is_empty() {
            match store.engine.change(Database::Data, source_state::seed).await {
                // The first write to a source creates its state, too.
                Err(StoreError::Busy) => {
                    tracing::debug!("new sources have no state yet; the first publication creates it");
                }
                seeded => seeded?,
            }
        }
        Ok(store)
    }

    /// Creates the store without writing anything. A database that a transfer has not filled yet is an error.
    pub(crate) async fn finished(engine: Box<dyn Engine>) -> Result<Self> {
        let store = Self::new(engine);
        match store.setting(UNFINISHED).await? {
            Some(_) => Err(StoreError::Unfinished),
            None => Ok(store),
        }
    }

    /// Creates the store of a database in any state.
    pub(crate) fn new(engine: Box<dyn Engine>) -> Self {
        Self {
            engine: Runner::new(engine),
            data_counters: Remembered::default(),
            account_counters: Remembered::default(),
        }
    }
}

impl MeasuredStore for SqlStore {
    fn calls(&self) -> &Calls {
        &self.engine.calls
    }

    fn pool(&self) -> Option<PoolState> {
        self.engine.backend.pool()
    }
}
