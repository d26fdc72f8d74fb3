//! The upstream files that the rows came from.
//!
//! A publication writes them in its own transaction, so a rolled-back publication leaves no trace of its files.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Reject, Source};

use crate::Result;

#[async_trait]
pub trait FileStore: Send + Sync {
    /// Returns the files that the rows of the source came from, ordered by address.
    async fn read_files(&self, source: Source) -> Result<Vec<RememberedFile>>;

    /// Returns at most `limit` rows that could not be read or are withheld, by file, the former first.
    async fn rejects(&self, source: Source, limit: usize) -> Result<Vec<Reject>>;
}

/// A stored [`ReadFile`](lastro_model::ReadFile): its rejects are counted here and stored separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedFile {
    pub url: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub sha256: String,
    pub rows: u64,
    /// Number of all rejects, including those beyond the number kept.
    pub reject_count: u64,
    pub read_at: Timestamp,
}

/// Maximum number of rejects kept per file: enough to see what is wrong with it, however broken it is.
pub(crate) const REJECTS_KEPT: usize = 1_000;
