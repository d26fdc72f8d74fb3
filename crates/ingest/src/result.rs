//! What a synchronisation came to: rows, or the reason why not.

use std::any::Any;

use lastro_model::{Day, Source, panic_message};
use lastro_sources::{Fault, judgement::Refusal};
use lastro_store::StoreError;
use tokio::task::JoinError;

/// What a synchronisation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synchronised {
    pub source: Source,
    pub added: u64,
    pub changed: u64,
    pub rejected: u64,
    /// Points that are published and not believed yet.
    pub withheld: u64,
    pub newest: Option<Day>,
}

/// Why a source could not be synchronised. The sentence is shown in `/health`.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("{0}")]
    Publisher(Fault),
    #[error("refused: {0}")]
    Suspicious(Refusal),
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Some files of the source are in, others are not.
    #[error("{0}")]
    Partly(String),
    /// A mistake of ours, which has been logged.
    #[error("a fault of this program stopped it; the log tells which")]
    Panicked,
    /// Nothing was asked.
    #[error("{0} is synchronising it now")]
    Elsewhere(String),
    /// Nothing was asked, for the publisher is down.
    #[error("{0}")]
    Left(String),
}

impl SyncError {
    /// The word that metrics count it under.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Publisher(Fault::Transient(_)) | Self::Left(_) => "unreachable",
            Self::Publisher(_) => "not_data",
            Self::Suspicious(_) => "refused",
            Self::Store(_) | Self::Panicked | Self::Elsewhere(_) => "internal",
            Self::Partly(_) => "partly",
        }
    }

    /// Whether what was already read is worth keeping for the next attempt.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Publisher(Fault::Transient(_)) | Self::Store(_))
    }
}

impl SyncError {
    /// The panic of one source is the error of one source.
    pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Self {
        tracing::error!("a synchronisation panicked: {}", panic_message(panic));
        Self::Panicked
    }
}

/// A thread that reads or writes ends early only by a panic.
impl From<JoinError> for SyncError {
    fn from(error: JoinError) -> Self {
        match error.try_into_panic() {
            Ok(panic) => Self::panicked(&*panic),
            Err(_) => Self::Panicked,
        }
    }
}

impl From<Fault> for SyncError {
    fn from(fault: Fault) -> Self {
        Self::Publisher(fault)
    }
}

impl From<Refusal> for SyncError {
    fn from(refusal: Refusal) -> Self {
        Self::Suspicious(refusal)
    }
}
