//! The one connection that writes to a database file.
//!
//! Writers of this process queue here in order, without a thread each; SQLite waits for writers of other processes.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::connection::{self, BUSY_TIMEOUT, PUBLICATION_TIMEOUT};
use super::transaction;
use crate::blocking::blocking;
use crate::engine::{Change, LargeChange};
use crate::{Result, StoreError};

#[derive(Debug)]
pub(super) struct Writer {
    connection: Arc<Mutex<Connection>>,
}

impl Writer {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection: Arc::new(Mutex::new(connection)) }
    }

    /// Runs a small change in one transaction, or returns `Busy` if others write for too long.
    pub(super) async fn change(&self, change: Change) -> Result<()> {
        let mut connection = self.turn(BUSY_TIMEOUT).await?;
        blocking(move || transaction::changing(&mut connection, change)).await
    }

    /// Runs a large change in one transaction.
    pub(super) async fn publish(&self, change: LargeChange) -> Result<()> {
        let mut connection = self.turn(PUBLICATION_TIMEOUT).await?;
        blocking(move || {
            prefer_throughput(&connection)?;
            let outcome = transaction::changing(&mut connection, change);
            // The outcome is valid even if the settings cannot be restored.
            if let Err(error) = connection::be_prompt(&connection) {
                tracing::warn!(%error, "the writing connection kept the settings of a publication");
            }
            outcome
        })
        .await
    }

    /// Removes the remains of deleted rows. Returns whether they are already gone.
    pub(super) async fn rewrite(&self) -> Result<bool> {
        let connection = self.turn(PUBLICATION_TIMEOUT).await?;
        blocking(move || connection::rewrite(&connection)).await
    }

    async fn turn(&self, timeout: Duration) -> Result<OwnedMutexGuard<Connection>> {
        tokio::time::timeout(timeout, Arc::clone(&self.connection).lock_owned())
            .await
            .map_err(|_| StoreError::Busy)
    }
}

/// Leaves checkpoints to a separate connection, so that queued writers do not wait for them.
fn prefer_throughput(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PUBLICATION_TIMEOUT)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(())
}
