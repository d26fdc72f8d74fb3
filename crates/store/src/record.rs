//! The published data and its editions.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{BySource, Day, Edition, ReadFile, Records, Source, Withheld};
use tokio::sync::mpsc;

use crate::{Recorded, Result};

/// Rows by source, each source in one edition at a time.
#[async_trait]
pub trait RecordStore: Send + Sync {
    /// What changed since the last look: cheap enough to ask twice a second.
    async fn counters(&self) -> Result<Counters>;

    /// All sources in the order of [`Source::ALL`], also those never filled.
    async fn source_states(&self) -> Result<Vec<SourceState>>;

    /// Streams one whole edition of a source, filings in no order. Dropping the receiver stops the reading.
    async fn load(&self, source: Source) -> Result<Loaded>;

    /// The rows of a source that differ from those of an earlier edition, as they are in the edition that stands, each
    /// once; `None` if the store does not remember that far back and all rows must be loaded.
    ///
    /// Only filings are so many that remembering pays: of any other source nothing is remembered.
    async fn changes(&self, source: Source, since: Edition) -> Result<Option<Loaded>>;

    /// The editions that [`RecordStore::changes`] can start from, the one that stands first.
    async fn remembered_editions(&self, source: Source) -> Result<Vec<RememberedEdition>>;

    /// Writes rows, the files they came from and the next edition number in one transaction, or nothing at all.
    ///
    /// A publication that leaves the data as it was keeps the edition: nobody need rebuild anything.
    ///
    /// The write lock of the published data is held from the first rows to the last, so the caller has the data at hand: a
    /// channel that trickles keeps every other publication waiting. Keys, usage, leases and messages have a lock of their own.
    async fn publish(&self, publication: Publication, rows: mpsc::Receiver<Write>) -> Result<Published>;

    /// Writes the few rows of several sources in one transaction, each as [`RecordStore::publish`] does: a disk takes as long for a
    /// small transaction as for a large one.
    async fn publish_together(&self, publications: Vec<(Publication, Records)>) -> Result<Vec<Published>>;

    /// What became of the points of a series or of the exchange rates since they were first published, up to the edition that
    /// stands. Companies and filings are not recorded.
    async fn revisions(&self, source: Source) -> Result<Recorded>;

    /// All points of the source that are withheld, the newest days first.
    async fn withheld(&self, source: Source) -> Result<Vec<Withheld>>;

    /// Notes how a synchronisation went. Without an error it confirms that the rows held are up to date.
    async fn record_attempt(&self, source: Source, at: Timestamp, error: Option<String>) -> Result<()>;
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Zero for a source that was never filled.
    pub editions: BySource<Edition>,
    /// When each source was last asked for, and whether that failed: what [`RecordStore::source_states`] tells has changed
    /// where this has, also where the edition has not.
    pub attempts: BySource<Option<LastAttempt>>,
    /// The greatest revision of any key.
    pub key_revision: u64,
}

/// How the last synchronisation of a source went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastAttempt {
    pub at: Timestamp,
    pub failed: bool,
}

impl Counters {
    pub fn edition(&self, source: Source) -> Edition {
        self.editions[source]
    }
}

/// What is known about a source, its rows aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    pub source: Source,
    /// Zero until the first publication.
    pub edition: Edition,
    /// The rows are made up.
    pub sample: bool,
    pub rows: u64,
    /// The latest day that a row speaks of; of companies, the latest registration.
    pub newest_day: Option<Day>,
    /// The last synchronisation that succeeded. Filling in a sample is none.
    pub last_success: Option<Timestamp>,
    pub last_attempt: Option<Timestamp>,
    /// The sentence that the last attempt left, if it failed.
    pub last_error: Option<String>,
    /// Rows that could not be read, in all files that the source was read from.
    pub rejects: u64,
    /// Points that are published and not believed yet.
    pub withheld: u64,
    /// The newest of them, at most [`WITHHELD_SHOWN`].
    pub newest_withheld: Vec<Withheld>,
}

impl SourceState {
    pub(crate) fn never_filled(source: Source) -> Self {
        Self {
            source,
            edition: Edition(0),
            sample: false,
            rows: 0,
            newest_day: None,
            last_success: None,
            last_attempt: None,
            last_error: None,
            rejects: 0,
            withheld: 0,
            newest_withheld: Vec::new(),
        }
    }
}

/// Enough to see what is wrong, however much is.
pub const WITHHELD_SHOWN: usize = 3;

/// An edition since which every change is known. That it has the same number does not make it the same edition: a
/// database that was restored from a copy comes to the same numbers again, but not at the same times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RememberedEdition {
    pub edition: Edition,
    pub rows: u64,
    pub newest_day: Option<Day>,
    pub published_at: Timestamp,
    /// How many rows it added or changed.
    pub changes: u64,
}

/// One edition of a source on its way out of the store. A batch that is an error is the last one.
#[derive(Debug)]
pub struct Loaded {
    pub edition: Edition,
    pub published_at: Timestamp,
    pub sample: bool,
    pub rows: mpsc::Receiver<Result<Records>>,
}

/// What a publication is about; its rows follow by channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Publication {
    pub source: Source,
    pub sample: bool,
    /// Delete the rows of the source first, and forget its files: the official data takes the place of the sample.
    pub replace: bool,
    pub at: Timestamp,
    pub condition: Condition,
}

/// What must be true of the data that stands, looked at inside the publication's transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Condition {
    #[default]
    None,
    /// The source has no edition yet.
    NeverPublished,
    /// What the source holds, if anything, is made up.
    NothingOfficial,
}

/// A message of a publication's channel. The last one must be `Commit` or `CommitPart`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    Rows(Records),
    /// Takes the place of what was known of the file at this address, its rejects included.
    File(ReadFile),
    /// Takes the place of all that was withheld of the source.
    Withheld(Vec<Withheld>),
    Commit,
    /// What came is good, but something that was asked for did not come: the rows stand, and the last success stays as it was.
    CommitPart,
}

/// What a publication did. Rows that were already there as they are count as neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The one that stands now.
    pub edition: Edition,
    pub added: u64,
    pub changed: u64,
    /// The publication's condition did not hold: nothing was read or written.
    pub skipped: bool,
}
