//! Read connections: a small pool, each used for one read at a time, and those that whole editions are read through.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::connection::OpenReader;
use super::transaction;
use crate::blocking::blocking;
use crate::engine::Question;
use crate::{Result, StoreError};

/// Size of the pool, and the most connections that are kept while nothing is read. The pool's reads are point lookups;
/// a whole edition is read through a connection beside it.
const READERS: usize = 3;

#[derive(Debug)]
pub(super) struct Readers {
    free: Arc<Semaphore>,
    idle: Arc<Idle>,
}

#[derive(Debug)]
pub(super) struct Idle {
    path: PathBuf,
    open: OpenReader,
    connections: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, open: OpenReader) -> Self {
        let idle = Idle { path, open, connections: Mutex::default() };
        Self { free: Arc::new(Semaphore::new(READERS)), idle: Arc::new(idle) }
    }

    /// The connections for a read that is not limited by the size of the pool.
    pub(super) fn idle(&self) -> Arc<Idle> {
        Arc::clone(&self.idle)
    }

    pub(super) async fn ask(&self, question: Question) -> Result<()> {
        let closed = |_| StoreError::Backend("it is closed".to_owned());
        let permit = Arc::clone(&self.free).acquire_owned().await.map_err(closed)?;
        let idle = Arc::clone(&self.idle);
        blocking(move || {
            let connection = idle.take()?;
            let answer = transaction::reading(&connection, &question);
            idle.give_back(connection);
            drop(permit);
            answer
        })
        .await
    }
}

impl Idle {
    /// Returns an idle connection, or opens one.
    pub(super) fn take(&self) -> Result<Connection> {
        let at_hand = self.connections.lock().pop();
        at_hand.map_or_else(|| (self.open)(&self.path), Ok)
    }

    /// Keeps the connection for the next read, because a new one parses the whole schema. One whose transaction did not
    /// end is closed.
    pub(super) fn give_back(&self, connection: Connection) {
        let mut connections = self.connections.lock();
        if connections.len() < READERS && connection.is_autocommit() {
            connections.push(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_connections_without_a_transaction_are_kept() {
        let open: OpenReader = |_| Ok(Connection::open_in_memory()?);
        let readers = Readers::new(PathBuf::new(), open);
        let idle = readers.idle();
        let in_transaction = idle.take().unwrap();
        in_transaction.execute_batch("BEGIN").unwrap();
        idle.give_back(in_transaction);
        assert!(idle.connections.lock().is_empty());

        let taken: Vec<Connection> = (0..=READERS).map(|_| idle.take().unwrap()).collect();
        taken.into_iter().for_each(|connection| idle.give_back(connection));
        assert_eq!(idle.connections.lock().len(), READERS);
    }
}
