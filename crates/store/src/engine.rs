//! The interface of a database backend: running rules, and streaming whole editions.
//!
//! A backend is an [`Engine`]; [`SqlStore`](crate::rules::SqlStore) turns it into a store. Engines contain no rules.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use lastro_model::{Edition, Source};
use parking_lot::Mutex;

use crate::calls::{CallKind, Calls, PoolState};
use crate::transaction::{Reading, Transaction};
use crate::{Loaded, Result, StoreError};

/// Permitted side effects of opening a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// A missing database is created, an older one brought up to date.
    Optional,
    /// A missing database is an error.
    Required,
    /// An older database is an error, too: nothing is written.
    Untouched,
}

/// One of the two databases, which SQLite keeps in separate files. No transaction spans both, and accounts never wait for
/// a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// The published data, its editions and announcements.
    Data,
    /// Latency-sensitive data: keys, usage, settings, leases, webhooks and their messages.
    Accounts,
}

/// A rule that reads. Its value is kept by [`Runner`].
pub(crate) type Question = Box<dyn Fn(&dyn Reading) -> Result<()> + Send>;
/// A rule that makes a small change.
pub(crate) type Change = Box<dyn Fn(&dyn Transaction) -> Result<()> + Send>;
/// A rule that publishes.
pub(crate) type LargeChange = Box<dyn FnOnce(&dyn Transaction) -> Result<()> + Send>;

/// The lengths and modification times of a database file and its log.
pub(crate) type Stamp = [(u64, SystemTime); 2];

/// Runs rules away from the async runtime, because they may wait for the disk or for other transactions.
///
/// It is not generic over the values that rules return. Otherwise the compiler would instantiate every engine for each
/// of some sixty rules: half of this crate's code, and as much again in the crate that opens a store.
#[async_trait]
pub(crate) trait Engine: Debug + Send + Sync {
    /// Reads from one state of the database. May run the rule again if the database requires a retry.
    async fn read(&self, database: Database, question: Question) -> Result<()>;

    /// Reads both databases by this one statement, in one round trip, and passes its rows to a rule that uses no other.
    /// `None` if the databases are separate.
    fn read_both(&self, statement: &'static str, question: Question) -> Option<BoxFuture<'_, Result<()>>>;

    /// Makes a small change in one transaction, or returns `Busy` if others write for too long. May run the rule again
    /// if the database requires a retry; earlier runs then have no effect.
    async fn change(&self, database: Database, change: Change) -> Result<()>;

    /// Makes a large change of the data in one transaction, once. Waits long for the lock: much work preceded it.
    async fn publish(&self, publication: LargeChange) -> Result<()>;

    /// Streams a whole edition from one state of the database, read by [`rules::load`](crate::rules::load). A slow
    /// receiver blocks no other call.
    async fn load(&self, source: Source) -> Result<Loaded>;

    /// Streams the filings that changed since an edition, or returns `None` if that edition is not remembered.
    async fn changed_filings(&self, since: Edition) -> Result<Option<Loaded>>;

    /// Removes the bytes that deleted accounts left behind. Returns whether they are already gone.
    async fn wipe_deleted_accounts(&self) -> Result<bool>;

    /// A stamp that differs after every change of the database by any process. Nearly free. `None` if it is unknown.
    fn stamp(&self, database: Database) -> Option<Stamp>;

    /// The statement that reads the database's own clock. `None` if all its users share one machine's clock.
    fn clock(&self) -> Option<&'static str>;

    /// The state of the pool of connections. `None` if there is no server to connect to.
    fn pool(&self) -> Option<PoolState>;
}

/// Runs rules on an engine, returns their values, and measures the calls.
#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) backend: Box<dyn Engine>,
    pub(crate) calls: Calls,
}

impl Runner {
    pub(crate) fn new(backend: Box<dyn Engine>) -> Self {
        Self { backend, calls: Calls::new() }
    }

    pub(crate) async fn load(&self, source: Source) -> Result<Loaded> {
        self.calls.measure(CallKind::Load, self.backend.load(source)).await
    }

    pub(crate) async fn changed_filings(&self, since: Edition) -> Result<Option<Loaded>> {
        self.calls.measure(CallKind::Load, self.backend.changed_filings(since)).await
    }

    /// Not an async function: one would be compiled for each rule, this one's future only for each type of value.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        database: Database,
        question: impl Fn(&dyn Reading) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        let (value, kept) = Value::pair();
        let reading = self.backend.read(database, Box::new(move |reading| kept.set(question(reading)?)));
        self.run(CallKind::Read, reading, value)
    }

    async fn run<T>(&self, kind: CallKind, running: BoxFuture<'_, Result<()>>, value: Value<T>) -> Result<T> {
        self.calls.measure(kind, running).await?;
        value.take()
    }

    pub(crate) async fn read_both<T: Send + 'static>(
        &self,
        statement: &'static str,
        question: impl Fn(&dyn Reading) -> Result<T> + Send + 'static,
    ) -> Option<Result<T>> {
        let (value, kept) = Value::pair();
        let question = Box::new(move |reading: &dyn Reading| kept.set(question(reading)?));
        let reading = self.backend.read_both(statement, question)?;
        Some(self.run(CallKind::Read, reading, value).await)
    }

    /// Reads only if the database may have changed since the same value was last read.
    pub(crate) async fn read_if_changed<T: Copy + Send + 'static>(
        &self,
        database: Database,
        before: &Remembered<T>,
        question: impl Fn(&dyn Reading) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let stamp = self.backend.stamp(database);
        let known = *before.0.lock();
        if let Some((read_at, value)) = known
            && stamp == Some(read_at)
        {
            return Ok(value);
        }
        let value = self.read(database, question).await?;
        *before.0.lock() = stamp.map(|stamp| (stamp, value));
        Ok(value)
    }

    pub(crate) fn change<T: Send + 'static>(
        &self,
        database: Database,
        change: impl Fn(&dyn Transaction) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        let (value, kept) = Value::pair();
        let changing =
            self.backend.change(database, Box::new(move |transaction| kept.set(change(transaction)?)));
        self.run(CallKind::Change, changing, value)
    }

    pub(crate) async fn publish<T: Send + 'static>(
        &self,
        publication: impl FnOnce(&dyn Transaction) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (value, kept) = Value::pair();
        let publishing =
            self.backend.publish(Box::new(move |transaction| kept.set(publication(transaction)?)));
        self.run(CallKind::Publish, publishing, value).await
    }
}

/// A value, and the stamp of the database before it was read.
#[derive(Debug)]
pub(crate) struct Remembered<T>(Mutex<Option<(Stamp, T)>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

/// The value of a rule, passed on from the thread that ran it. A retried rule replaces it.
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
