//! SQLite: one file, one writer, several readers, nothing else to install.
//!
//! Write-ahead logging lets readers go on while somebody writes, and other processes (the command line, a
//! synchronisation) may write the same file at the same time. No call blocks the async runtime: every statement
//! runs on a blocking thread.

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
mod publish;
mod read_file;
mod readers;
mod record;
mod schema;
mod setting;
mod table;
mod usage;
mod webhook;
mod withheld;
mod writer;

use std::path::{Path, PathBuf};

pub(crate) use file::Presence;

use crate::{Result, StoreError};
use readers::Readers;
use writer::Writer;

#[derive(Debug)]
pub(crate) struct SqliteStore {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
}

impl SqliteStore {
    pub(crate) async fn open(path: PathBuf, presence: Presence) -> Result<Self> {
        blocking(move || {
            let writer = prepare(&path, presence).map_err(|error| at(&path, error))?;
            Ok(Self { writer: Writer::new(writer), readers: Readers::new(path.clone()), path })
        })
        .await
    }
}

/// Looks before it touches: a file that is not ours is refused before SQLite opens it, and one that this version
/// cannot serve before anything is written.
fn prepare(path: &Path, presence: Presence) -> Result<rusqlite::Connection> {
    file::examine(path, presence)?;
    let mut writer = connection::open_writer(path)?;
    let applied = schema::applied(&writer, path)?;
    crate::migration::pending(crate::migration::ALL, &applied)?;
    connection::claim(&writer)?;
    schema::bring_up_to_date(&mut writer, path)?;
    Ok(writer)
}

/// Damage found while opening names the file.
fn at(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Corrupt { what } => StoreError::Corrupt { what: format!("{} ({what})", path.display()) },
        other => other,
    }
}

/// Runs what may wait for the disk or for a lock away from the async runtime.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Backend("its thread stopped unexpectedly".to_owned())))
}
