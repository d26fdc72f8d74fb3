//! The upstream files that the rows came from.
//!
//! They are written by a publication, in its transaction: what is remembered of a file never outlives rows that were
//! rolled back.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Reject, Source};

use crate::Result;

#[async_trait]
pub trait FileStore: Send + Sync {
    /// The files that the rows of the source came from, by address.
    async fn read_files(&self, source: Source) -> Result<Vec<RememberedFile>>;

    /// At most `limit` rows that could not be read, by file and in the order of the file.
    async fn rejects(&self, source: Source, limit: usize) -> Result<Vec<Reject>>;
}

/// A [`ReadFile`](lastro_model::ReadFile) as it is remembered: its rejects are counted here and kept apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedFile {
    pub url: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub sha256: String,
    pub rows: u64,
    /// All of them, also those beyond the number that is kept.
    pub reject_count: u64,
    pub read_at: Timestamp,
}

/// Rejects kept of one file: enough to see what is wrong with it, however broken it is.
pub(crate) const REJECTS_KEPT: usize = 1_000;
