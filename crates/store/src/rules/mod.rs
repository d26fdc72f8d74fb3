//! The rules of the store, written once for every database.
//!
//! A rule is a plain function over a [`Reading`](crate::transaction::Reading) or a
//! [`Transaction`](crate::transaction::Transaction): it says which statements belong together and what they mean. It knows
//! no connection, no file and no driver. [`SqlStore`] runs the rules on an [`Engine`] and so implements the store's traits.

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

/// A store on a database that speaks SQL.
#[derive(Debug)]
pub(crate) struct SqlStore {
    engine: Runner,
    editions: Remembered<source_state::Editions>,
    key_revision: Remembered<u64>,
}

impl SqlStore {
    /// Every source has its state from now on, also one that this version is the first to know.
    pub(crate) async fn over(engine: impl Engine + 'static) -> Result<Self> {
        let engine = Runner(Box::new(engine));
        // Only a reader's time is taken where nothing is missing: opening must not wait for a publication.
        if !engine.read(Side::Data, source_state::missing).await?.is_empty() {
            match engine.change(Side::Data, source_state::seed).await {
                // Whoever writes to a source gives it its state, too.
                Err(StoreError::Busy) => tracing::debug!("new sources get their state when they are filled"),
                seeded => seeded?,
            }
        }
        Ok(Self { engine, editions: Remembered::default(), key_revision: Remembered::default() })
    }
}
