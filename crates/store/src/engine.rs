//! What a database has to bring along: how a rule is run, and how whole editions are read.
//!
//! A backend is an [`Engine`]; [`SqlStore`](crate::rules::SqlStore) makes a store of it. No rule stands in an engine.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use lastro_model::{Edition, Source};
use parking_lot::Mutex;

use crate::transaction::{Reading, Transaction};
use crate::{Loaded, Result, StoreError};

/// Whether the caller wants a database made where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Optional,
    Required,
}

/// Which half of the database. No transaction spans both, and nothing on the side of the accounts waits for a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The published data, its editions and announcements.
    Data,
    /// What must be quick: keys, usage, settings, leases, webhooks and their messages.
    Accounts,
}

/// A rule that reads, without its value: [`Runner`] keeps that.
pub(crate) type Question = Box<dyn Fn(&dyn Reading) -> Result<()> + Send>;
/// A rule that makes a small change.
pub(crate) type Change = Box<dyn Fn(&dyn Transaction) -> Result<()> + Send>;
/// A rule that publishes.
pub(crate) type LargeChange = Box<dyn FnOnce(&dyn Transaction) -> Result<()> + Send>;

/// The lengths of a database's two files, and when each was last written.
pub(crate) type Stamp = [(u64, SystemTime); 2];

/// Rules may wait for the disk or for others, so an engine runs them away from the async runtime.
///
/// It knows nothing of the values that rules return. Otherwise the compiler would make every engine anew for each of some
/// sixty rules: half of this crate's code, and as much again in the crate that opens a store.
#[async_trait]
pub(crate) trait Engine: Debug + Send + Sync {
    /// Reads from one state of the database. May be run again where the database asks for it.
    async fn read(&self, side: Side, question: Question) -> Result<()>;

    /// Makes a small change in one transaction, or says `Busy` when others write for too long. May be run again where
    /// the database asks for it: what ran before then counts for nothing.
    async fn change(&self, side: Side, change: Change) -> Result<()>;

    /// Makes a large change of the data in one transaction. It has work behind it, is worth a long wait, and runs once.
    async fn publish(&self, publication: LargeChange) -> Result<()>;

    /// Streams a whole edition out of one state of the database, as [`rules::load`](crate::rules::load) reads it. A slow
    /// receiver holds up nobody.
    async fn load(&self, source: Source) -> Result<Loaded>;

    /// The same with the filings that changed since an edition, if that is remembered.
    async fn changed_filings(&self, since: Edition) -> Result<Option<Loaded>>;

    /// Removes the bytes that deleted accounts left behind. Says whether they are gone already.
    async fn wipe_deleted_accounts(&self) -> Result<bool>;

    /// Differs after every change of a side, by whatever process, and costs next to nothing. None where that cannot be told.
    fn stamp(&self, side: Side) -> Option<Stamp>;

    /// The statement that asks the database's own clock. None where it is on the machine of all who use it.
    fn clock(&self) -> Option<&'static str>;
}

/// Runs rules on an engine and returns their values.
#[derive(Debug)]
pub(crate) struct Runner(pub(crate) Box<dyn Engine>);

impl Runner {
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        side: Side,
        question: impl Fn(&dyn Reading) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (value, kept) = Value::pair();
        self.0.read(side, Box::new(move |reading| kept.set(question(reading)?))).await?;
        value.take()
    }

    /// Asks only where the database may have changed since the same question was asked before.
    pub(crate) async fn read_if_changed<T: Copy + Send + 'static>(
        &self,
        side: Side,
        before: &Remembered<T>,
        question: impl Fn(&dyn Reading) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let stamp = self.0.stamp(side);
        let known = *before.0.lock();
        if let Some((read_at, value)) = known
            && stamp == Some(read_at)
        {
            return Ok(value);
        }
        let value = self.read(side, question).await?;
        *before.0.lock() = stamp.map(|stamp| (stamp, value));
        Ok(value)
    }

    pub(crate) async fn change<T: Send + 'static>(
        &self,
        side: Side,
        change: impl Fn(&dyn Transaction) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (value, kept) = Value::pair();
        self.0.change(side, Box::new(move |transaction| kept.set(change(transaction)?))).await?;
        value.take()
    }

    pub(crate) async fn publish<T: Send + 'static>(
        &self,
        publication: impl FnOnce(&dyn Transaction) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (value, kept) = Value::pair();
        self.0.publish(Box::new(move |transaction| kept.set(publication(transaction)?))).await?;
        value.take()
    }
}

/// A value, and what the database looked like before it was read.
#[derive(Debug)]
pub(crate) struct Remembered<T>(Mutex<Option<(Stamp, T)>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

/// The value of a rule, on its way from the thread that ran it. A rule that is run again replaces it.
struct Value<T>(Arc<Mutex<Option<T>>>);

impl<T> Value<T> {
    fn pair() -> (Self, Self) {
        let value = Arc::new(Mutex::new(None));
        (Self(Arc::clone(&value)), Self(value))
    }

    fn set(&self, value: T) -> Result<()> {
        *self.0.lock() = Some(value);
        Ok(())
    }

    fn take(self) -> Result<T> {
        self.0.lock().take().ok_or_else(|| StoreError::Backend("a transaction was not run".to_owned()))
    }
}
