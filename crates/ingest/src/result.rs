//! The result of a synchronisation: row counts, or an error.

use std::any::Any;

use lastro_model::{Day, Source, panic_message};
use lastro_sources::{Fault, judgement::Refusal};
use lastro_store::StoreError;
use tokio::task::JoinError;

/// The result of a successful synchronisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synchronised {
    pub source: Source,
    pub added: u64,
    pub changed: u64,
    pub rejected: u64,
    /// Points that are published but withheld from service.
    pub withheld: u64,
    pub newest: Option<Day>,
}

/// The reason why a source could not be synchronised. The message is shown in `/health`.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("{0}")]
    Publisher(Fault),
    #[error("refused: {0}")]
    Suspicious(Refusal),
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Some files of the source were published, others failed.
    #[error("{0}")]
    Partly(String),
    /// A bug in this program, which has been logged.
    #[error("a fault of this program stopped it; see the log")]
    Panicked,
    /// Nothing was requested.
    #[error("{0} is synchronising it now")]
    Elsewhere(String),
    /// Nothing was requested, because the publisher is down.
    #[error("{0}")]
    Left(String),
}

impl SyncError {
    /// The label in metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Publisher(Fault::Transient(_)) | Self::Left(_) => "unreachable",
            Self::Publisher(_) => "not_data",
            Self::Suspicious(_) => "refused",
            Self::Store(_) | Self::Panicked | Self::Elsewhere(_) => "internal",
            Self::Partly(_) => "partly",
        }
    }

    /// Whether the data fetched so far is worth keeping for the next attempt.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Publisher(Fault::Transient(_)) | Self::Store(_))
    }
}

impl SyncError {
    /// Logs the panic of a source and turns it into that source's error.
    pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Self {
        tracing::error!("a synchronisation panicked: {}", panic_message(panic));
        Self::Panicked
    }
}

/// A blocking task only ends early by a panic.
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
