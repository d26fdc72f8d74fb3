//! The processes that serve one database, and the clock that they share.
//!
//! Each process rewrites its row regularly, with the store's time; a row that is no longer updated belongs to a dead
//! process. The reader decides which age counts as dead.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{BySource, Edition};

use crate::Result;

#[async_trait]
pub trait ReplicaStore: Send + Sync {
    /// Writes or replaces the row of this process, and returns the same as [`replicas`](Self::replicas).
    async fn beat(&self, replica: Replica) -> Result<Vec<Replica>>;

    /// Returns all rows ordered by boot id, including those of dead processes.
    async fn replicas(&self) -> Result<Vec<Replica>>;

    /// Deletes the row of a process. A missing row is not an error.
    async fn leave(&self, boot: &str) -> Result<()>;

    /// Forgets the processes last seen before then. Returns their number.
    async fn forget_replicas(&self, before: Timestamp) -> Result<u64>;
}

/// A process, as in the row that it last wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// An id that no other process ever has.
    pub boot: String,
    /// A readable name, not necessarily unique.
    pub name: String,
    pub version: String,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
    /// The editions it serves; `None` for a source that its version does not support.
    pub editions: BySource<Option<Edition>>,
}

#[async_trait]
pub trait ClockStore: Send + Sync {
    /// Returns the time of the store's clock. `None` if it has none of its own: then all its users are on one machine.
    async fn time(&self) -> Result<Option<Timestamp>>;
}
