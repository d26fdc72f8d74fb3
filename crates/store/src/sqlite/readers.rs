//! A small pool of read connections, each used for one read at a time.

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

/// Size of the pool. Its reads are point lookups; whole editions are read through their own connections.
const READERS: usize = 3;

#[derive(Debug)]
pub(super) struct Readers {
    free: Arc<Semaphore>,
    idle: Arc<Idle>,
}

#[derive(Debug)]
struct Idle {
    path: PathBuf,
    open: OpenReader,
    connections: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, open: OpenReader) -> Self {
        let idle = Idle { path, open, connections: Mutex::default() };
        Self { free: Arc::new(Semaphore::new(READERS)), idle: Arc::new(idle) }
    }

    pub(super) async fn ask(&self, question: Question) -> Result<()> {
        let closed = |_| StoreError::Backend("it is closed".to_owned());
        let permit = Arc::clone(&self.free).acquire_owned().await.map_err(closed)?;
        let idle = Arc::clone(&self.idle);
        blocking(move || {
            let connection = idle.take()?;
            let answer = transaction::reading(&connection, &question);
            idle.connections.lock().push(connection);
            drop(permit);
            answer
        })
        .await
    }
}

impl Idle {
    /// Returns an idle connection, or opens one: at first, and after a read that panicked.
    fn take(&self) -> Result<Connection> {
        let at_hand = self.connections.lock().pop();
        at_hand.map_or_else(|| (self.open)(&self.path), Ok)
    }
}
