//! The processes that serve one database, and the clock that they have in common.
//!
//! Each writes its row again and again, in the store's time; a row that is not written any more is that of a process that
//! died. Who is alive by that is the reader's to decide.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{BySource, Edition};

use crate::Result;

#[async_trait]
pub trait ReplicaStore: Send + Sync {
    /// Writes the row of this process, in the place of the one before, and returns what [`replicas`](Self::replicas) would.
    async fn beat(&self, replica: Replica) -> Result<Vec<Replica>>;

    /// All that are written down, in the order of their boots: also those that died.
    async fn replicas(&self) -> Result<Vec<Replica>>;

    /// Takes the row of a process away. One that is not there is an answer too.
    async fn leave(&self, boot: &str) -> Result<()>;

    /// Forgets those last seen before then; says how many.
    async fn forget_replicas(&self, before: Timestamp) -> Result<u64>;
}

/// A process as it last wrote of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Unlike that of any other process, ever.
    pub boot: String,
    /// For people: two may have the same.
    pub name: String,
    pub version: String,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
    /// What it serves; nothing of a source that its version does not know.
    pub editions: BySource<Option<Edition>>,
}

#[async_trait]
pub trait ClockStore: Send + Sync {
    /// What the clock of the store shows. Nothing where it has none of its own: then whoever uses it is on one machine.
    async fn time(&self) -> Result<Option<Timestamp>>;
}
