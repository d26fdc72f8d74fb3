//! What a database has to bring along: how a rule is run, and how whole editions are read.
//!
//! A backend is an [`Engine`]; [`SqlStore`](crate::rules::SqlStore) makes a store of it. No rule stands in an engine.

use std::fmt::Debug;

use jiff::Timestamp;
use lastro_model::{Edition, Source};

use crate::transaction::{Reading, Transaction};
use crate::{Loaded, Result};

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

/// What is run may wait for the disk or for others, so it runs away from the async runtime.
pub(crate) trait Engine: Debug + Send + Sync {
    /// Reads from one state of the database. May be run again where the database asks for it.
    fn read<T: Send + 'static>(
        &self,
        side: Side,
        question: impl Fn(&dyn Reading) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send;

    /// Makes a small change in one transaction, or says `Busy` when others write for too long. May be run again where
    /// the database asks for it: what ran before then counts for nothing.
    fn change<T: Send + 'static>(
        &self,
        side: Side,
        change: impl Fn(&dyn Transaction) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send;

    /// Makes a large change of the data in one transaction. It has work behind it, is worth a long wait, and runs once.
    fn publish<T: Send + 'static>(
        &self,
        publication: impl FnOnce(&dyn Transaction) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send;

    /// Streams a whole edition out of one state of the database, as [`rules::load`](crate::rules::load) reads it. A slow
    /// receiver holds up nobody.
    fn load(&self, source: Source) -> impl Future<Output = Result<Loaded>> + Send;

    /// The same with the filings that changed since an edition, if that is remembered.
    fn changed_filings(&self, since: Edition) -> impl Future<Output = Result<Option<Loaded>>> + Send;

    /// Removes the bytes that deleted accounts left behind. Says whether they are gone already.
    fn wipe_deleted_accounts(&self) -> impl Future<Output = Result<bool>> + Send;

    /// What the database's own clock shows; nothing where it has none, being on the machine of all who use it.
    fn time(&self) -> impl Future<Output = Result<Option<Timestamp>>> + Send;
}
