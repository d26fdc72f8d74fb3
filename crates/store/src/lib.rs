//! Lastro's durable storage: records, keys, usage, settings, subscriptions, webhooks and their outbox.
//!
//! Small traits, one per need, are implemented once by the rules. Each database that can run the rules has its own
//! folder, and all pass one conformance suite (`tests/it`). Only this crate contains SQL. It parses no upstream file,
//! serves no request and reads no clock; the server calls it to fill its memory and to keep what must survive.

mod account;
mod address;
mod billing;
mod blocking;
mod calls;
mod change;
mod engine;
mod error;
#[cfg(feature = "faulty")]
pub mod faulty;
mod feed;
mod lease;
mod migration;
mod opening;
mod options;
mod outbox;
mod postgres;
mod read_file;
mod record;
mod replica;
mod revision;
mod rules;
mod setting;
mod sql;
mod sqlite;
mod tables;
mod transaction;
mod transfer;
mod usage;
mod webhook;

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use account::{AccountStore, Erased, Rotated};
pub use address::{check_address, sqlite_path};
pub use billing::{BillingDue, BillingState, BillingStore};
pub use calls::{CallKind, Calls, MeasuredStore, PoolState};
pub use change::{
    Change, ChangeEdition, ChangePosition, ChangeStore, LoggedChange, MOST_CHANGES_LOGGED, ShownCompany,
    ShownRow,
};
pub use error::{Result, StoreError};
pub use feed::{FeedLookup, FeedStore};
pub use lease::{LONGEST_LEASE, Lease, LeaseStore};
pub use options::Options;
pub use outbox::{
    ATTEMPTS_SHOWN, Announcement, Claim, Claimed, Deliveries, Delivery, Fate, NewMessage, OutboxState,
    OutboxStore, ROWS_ANNOUNCED, Settlement,
};
pub use read_file::{FileStore, RememberedFile};
pub use record::{
    Condition, Counters, LastAttempt, ListedFile, Loaded, LoadedRows, Publication, PublicationItem,
    Published, RecordStore, RememberedEdition, WITHHELD_SHOWN,
};
pub use replica::{ClockStore, Replica, ReplicaStore};
pub use revision::{MOST_REVISIONS, Recorded, Revision};
pub use setting::{DATABASE_ID, SettingStore};
pub use transfer::{TransferContext, TransferProgress, TransferStep, TransferredTable, transfer};
pub use usage::UsageStore;
pub use webhook::{SECRETS_KEPT, WebhookChange, WebhookStore};

/// For the test that compares the list with the schemas.
#[doc(hidden)]
pub use {
    engine::Database,
    sql::Column,
    tables::{Copying, TABLES, Table},
};

use engine::Presence;
use rules::SqlStore;

/// Everything that the server needs from a database.
pub trait Store:
    RecordStore
    + ChangeStore
    + FileStore
    + LeaseStore
    + AccountStore
    + UsageStore
    + SettingStore
    + WebhookStore
    + FeedStore
    + OutboxStore
    + ReplicaStore
    + BillingStore
    + ClockStore
    + MeasuredStore
    + Debug
{
}

impl<T> Store for T where
    T: RecordStore
        + ChangeStore
        + FileStore
        + LeaseStore
        + AccountStore
        + UsageStore
        + SettingStore
        + WebhookStore
        + FeedStore
        + OutboxStore
        + ReplicaStore
        + BillingStore
        + ClockStore
        + MeasuredStore
        + Debug
        + ?Sized
{
}

/// Opens the database at `url` (`sqlite:lastro.db`, `postgres://user@host/lastro`), creates it if it is missing, and
/// brings its schema up to date.
pub async fn open(url: &str) -> Result<Arc<dyn Store>> {
    open_with(url, &Options::default()).await
}

/// Like [`open`], but a missing database is an error: for commands that only read or change data.
pub async fn open_existing(url: &str) -> Result<Arc<dyn Store>> {
    open_existing_with(url, &Options::default()).await
}

pub async fn open_with(url: &str, options: &Options) -> Result<Arc<dyn Store>> {
    open_at(url, options, Presence::Optional).await
}

pub async fn open_existing_with(url: &str, options: &Options) -> Result<Arc<dyn Store>> {
    open_at(url, options, Presence::Required).await
}

/// Opens a database that must exist with the current schema, for reading only: nothing of it is changed.
pub async fn open_untouched(url: &str, options: &Options) -> Result<Arc<dyn Store>> {
    open_at(url, options, Presence::Untouched).await
}

/// Fails if a database server cannot be written, such as a standby, or a user without rights. Nothing is changed there.
/// The files of SQLite are not checked: opened for reading only, they cannot be written.
pub fn rehearse_write<'a>(url: &'a str, options: &'a Options) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        if sqlite_path(url).is_some() {
            return Ok(());
        }
        SqlStore::new(opening::engine(url, options, Presence::Untouched).await?).rehearse_write().await
    })
}

/// Not an async function: its code would be compiled again, with all of the store, in each crate that calls it.
fn open_at<'a>(
    url: &'a str,
    options: &'a Options,
    presence: Presence,
) -> BoxFuture<'a, Result<Arc<dyn Store>>> {
    Box::pin(async move {
        let engine = opening::engine(url, options, presence).await?;
        let store = match presence {
            Presence::Untouched => SqlStore::finished(engine).await?,
            _ => SqlStore::over(engine).await?,
        };
        Ok(Arc::new(store) as Arc<dyn Store>)
    })
}
