//! The one connection that writes.
//!
//! Writers of this process queue here, in order and without a thread each; writers of other processes are waited
//! for by SQLite.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::blocking;
use super::connection::PATIENCE;
use crate::{Result, StoreError};

/// A publication has work behind it that is worth a long wait: longer than another publication takes.
const PUBLICATION_PATIENCE: Duration = Duration::from_secs(300);

#[derive(Debug)]
pub(super) struct Writer {
    connection: Arc<Mutex<Connection>>,
}

impl Writer {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection: Arc::new(Mutex::new(connection)) }
    }

    /// Runs a small change in one transaction, or says `Busy` when others write for too long.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut connection = self.turn(PATIENCE).await?;
        blocking(move || in_transaction(&mut connection, change)).await
    }

    /// Runs a large change in one transaction.
    pub(super) async fn publish<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut connection = self.turn(PUBLICATION_PATIENCE).await?;
        blocking(move || {
            prefer_throughput(&connection)?;
            let outcome = in_transaction(&mut connection, change);
            // The outcome stands whatever becomes of the settings.
            if let Err(error) = prefer_promptness(&connection) {
                tracing::warn!(%error, "the writing connection kept the settings of a publication");
            }
            outcome
        })
        .await
    }

    async fn turn(&self, patience: Duration) -> Result<OwnedMutexGuard<Connection>> {
        tokio::time::timeout(patience, Arc::clone(&self.connection).lock_owned())
            .await
            .map_err(|_| StoreError::Busy)
    }
}

/// Moving the log into the file is left to a connection of its own, so that nobody in the queue waits for it.
fn prefer_throughput(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PUBLICATION_PATIENCE)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(())
}

fn prefer_promptness(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
    connection.release_memory()?;
    Ok(())
}

/// The lock is taken at once and not at the first write: a transaction never fails halfway for want of it.
fn in_transaction<T>(
    connection: &mut Connection,
    change: impl FnOnce(&Transaction<'_>) -> Result<T>,
) -> Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = change(&transaction)?;
    transaction.commit()?;
    Ok(value)
}
