//! The log of changes to published rows.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{Company, Edition, Filing, FxQuote, History, RatePoint, Series, Source, Ticker};

use crate::Result;

/// Maximum number of changes of one edition that are logged row by row.
pub const MOST_CHANGES_LOGGED: usize = 100_000;

#[async_trait]
pub trait ChangeStore: Send + Sync {
    /// Returns the edition that the log starts after: its changes may be gone, those of all later ones are there.
    async fn oldest_change_edition(&self) -> Result<Option<ChangeEdition>>;

    /// Returns an edition of the log.
    async fn change_edition(&self, edition: Edition) -> Result<Option<ChangeEdition>>;

    /// Returns the editions of the log after this one, in the order in which they were committed.
    async fn change_editions(&self, after: Edition, limit: usize) -> Result<Vec<ChangeEdition>>;

    /// Returns the changes after a position up to an edition, at most `batches` times a hundred.
    async fn logged_changes(
        &self,
        after: ChangePosition,
        up_to: Edition,
        batches: usize,
    ) -> Result<Vec<LoggedChange>>;

    /// Logs a replacement of sources, each with an edition of its own: those whose current edition is not in the log because
    /// an earlier version published it, and those whose rows were last shown in another way than named here. Fails as
    /// busy if some of them are being published; all others are logged then.
    async fn log_replacements(&self, shapes: Vec<(Source, String)>, at: Timestamp) -> Result<Vec<Source>>;

    /// Deletes the changes published before a time. Returns the number of editions.
    async fn forget_changes(&self, before: Timestamp) -> Result<u64>;
}

/// An edition of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeEdition {
    pub edition: Edition,
    pub source: Source,
    pub at: Timestamp,
    pub changes: u32,
}

/// A place in the log: after this many changes of an edition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangePosition {
    pub edition: Edition,
    pub position: u32,
}

/// A change and its place, counted from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedChange {
    pub edition: Edition,
    pub position: u32,
    pub at: Timestamp,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Created(ShownRow),
    Updated {
        old: ShownRow,
        new: ShownRow,
    },
    Removed(ShownRow),
    /// All rows of a source may differ.
    Replaced {
        source: Source,
        rows: u64,
    },
}

/// A row with everything that is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownRow {
    Rate(Series, RatePoint),
    Quote(FxQuote),
    Company(Box<ShownCompany>),
    Filing(Box<(Filing, History)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCompany {
    pub company: Company,
    pub history: History,
    pub tickers: Vec<Ticker>,
    /// The latest first.
    pub former_names: Vec<String>,
}
