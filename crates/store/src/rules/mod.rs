//! The rules of the store, written once for every database.
//!
//! A rule is a plain function over a [`Reading`](crate::transaction::Reading) or a
//! [`Transaction`](crate::transaction::Transaction): it groups statements and gives them meaning. It uses no
//! connection, file or driver. [`SqlStore`] implements the store's traits by running the rules on an [`Engine`].

mod account;
mod announce;
mod change_log;
mod claim;
mod delivery;
mod edition;
mod lease;
pub(crate) mod load;
mod outbox;
mod publish;
mod read_file;
mod record;
mod recording;
mod removal;
mod replica;
mod row_json;
mod setting;
mod source_state;
mod table;
mod tally;
mod usage;
mod webhook;
mod withheld;

pub(crate) use announce::addressed;
pub(crate) use setting::find as find_setting;

use crate::engine::{Engine, Remembered, Runner, Side};
use crate::{Result, StoreError};

/// A store on an SQL database.
#[derive(Debug)]
pub(crate) struct SqlStore {
    engine: Runner,
    editions: Remembered<source_state::Editions>,
    key_revision: Remembered<u64>,
    newest_announcement: Remembered<u64>,
}

impl SqlStore {
    /// Creates the store, and a state for every source, including those that are new in this version.
    pub(crate) async fn over(engine: impl Engine + 'static) -> Result<Self> {
        let engine = Runner(Box::new(engine));
        // Only a read if nothing is missing: opening must not wait for a publication.
        if !engine.read(Side::Data, source_state::missing).await?.is_empty() {
            match engine.change(Side::Data, source_state::seed).await {
                // The first write to a source creates its state, too.
                Err(StoreError::Busy) => tracing::debug!("new sources get their state when they are filled"),
                seeded => seeded?,
            }
        }
        Ok(Self {
            engine,
            editions: Remembered::default(),
            key_revision: Remembered::default(),
            newest_announcement: Remembered::default(),
        })
    }
}
