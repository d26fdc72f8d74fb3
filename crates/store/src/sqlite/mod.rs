//! SQLite: two files, nothing else to install.
//!
//! The published data lies in one file, in the other what must be quick: keys, usage, settings, leases, webhooks and their
//! messages. Each has one writer and several readers, so a publication of millions of rows, by this or another process,
//! keeps nobody else waiting. Write-ahead logging lets readers go on while somebody writes, and other processes (the
//! command line, a synchronisation) may write the same files at the same time. No call blocks the async runtime: every
//! statement runs on a blocking thread.

mod account;
mod announce;
mod change_log;
mod column;
mod connection;
mod delivery;
mod failure;
mod file;
mod lease;
mod load;
mod outbox;
mod pair;
mod publish;
mod read_file;
mod readers;
mod record;
mod removal;
mod schema;
mod separation;
mod setting;
mod table;
mod usage;
mod webhook;
mod withheld;
mod writer;

use std::path::PathBuf;

pub(crate) use file::Presence;

use crate::{Result, StoreError};
use pair::Paths;
use readers::Readers;
use writer::Writer;

#[derive(Debug)]
pub(crate) struct SqliteStore {
    data: Database,
    accounts: Database,
}

/// One of the two files, and who writes and reads it.
#[derive(Debug)]
struct Database {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
}

impl Database {
    fn new(path: PathBuf, writer: rusqlite::Connection) -> Self {
        Self { writer: Writer::new(writer), readers: Readers::new(path.clone()), path }
    }
}

impl SqliteStore {
    pub(crate) async fn open(path: PathBuf, presence: Presence) -> Result<Self> {
        blocking(move || {
            let paths = Paths::of(path);
            let opened = pair::open(&paths, presence)?;
            Ok(Self {
                data: Database::new(paths.data, opened.data),
                accounts: Database::new(paths.accounts, opened.accounts),
            })
        })
        .await
    }
}

/// Runs what may wait for the disk or for a lock away from the async runtime.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Backend("its thread stopped unexpectedly".to_owned())))
}
