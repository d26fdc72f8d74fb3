//! The published data and its editions.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{
    BySource, CompanyId, Day, Edition, Filing, FilingId, History, ReadFile, Records, Source, SourceState,
    Withheld,
};
use tokio::sync::mpsc;

use crate::{Recorded, Result};

/// Stores rows by source, each source in one edition at a time.
#[async_trait]
pub trait RecordStore: Send + Sync {
    /// Returns counters that show what has changed, and what there is to do. Cheap enough to call twice a second: one
    /// statement, or none if it is known that nothing was written.
    async fn counters(&self) -> Result<Counters>;

    /// Returns all sources in the order of [`Source::ALL`], including those never filled.
    async fn source_states(&self) -> Result<Vec<SourceState>>;

    /// Streams one whole edition of a source; filings come in no order. Dropping the receiver stops the read.
    async fn load(&self, source: Source) -> Result<Loaded>;

    /// Streams the rows of a source that differ from those of an earlier edition, in their current state, each once.
    /// `None` if the store does not remember that far back and all rows must be loaded.
    ///
    /// Changes are remembered for filings only: other sources have too few rows for it to pay.
    async fn changes(&self, source: Source, since: Edition) -> Result<Option<Loaded>>;

    /// Returns the editions that [`RecordStore::changes`] can start from, the current one first.
    async fn remembered_editions(&self, source: Source) -> Result<Vec<RememberedEdition>>;

    /// Writes rows, the files they came from and the next edition number in one transaction, or nothing at all.
    ///
    /// A publication that changes no data keeps the edition, so no client has to rebuild anything.
    ///
    /// The write lock of the published data is held from the first rows to the last, so the data should be at hand: a
    /// slow channel blocks every other publication. Keys, usage, leases and messages have their own lock.
    async fn publish(
        &self,
        publication: Publication,
        rows: mpsc::Receiver<PublicationItem>,
    ) -> Result<Published>;

    /// Writes a few rows of several sources in one transaction, each as [`RecordStore::publish`] does: a small
    /// transaction costs the disk as much time as a large one.
    async fn publish_together(&self, publications: Vec<(Publication, Records)>) -> Result<Vec<Published>>;

    /// Returns the changes to the points of a series or of the exchange rates since they were first published, up to
    /// the current edition. Companies and filings are not recorded.
    async fn revisions(&self, source: Source) -> Result<Recorded>;

    /// Returns all withheld points of the source, newest days first.
    async fn withheld(&self, source: Source) -> Result<Vec<Withheld>>;

    /// Returns the companies in service: the registry listed them.
    async fn listed_companies(&self) -> Result<Vec<CompanyId>>;

    /// Returns the filings in service that the archive of this year listed, and no other one.
    async fn listed_filings(&self, year: i16) -> Result<Vec<FilingId>>;

    /// Records the result of a synchronisation. Without an error it confirms that the rows held are up to date.
    async fn record_attempt(&self, source: Source, at: Timestamp, error: Option<String>) -> Result<()>;
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Zero for a source that was never filled.
    pub editions: BySource<Edition>,
    /// The last attempt to synchronise each source. If it changes, so does [`RecordStore::source_states`], even if the
    /// edition does not.
    pub attempts: BySource<Option<LastAttempt>>,
    /// The greatest revision of any key.
    pub key_revision: u64,
    /// Whether [`OutboxStore::announcements`](crate::OutboxStore::announcements) returns any.
    pub has_announcements: bool,
    /// Whether a message waits for its delivery, now or later.
    pub has_pending_messages: bool,
    /// Whether a key that works has an end.
    pub has_ending_keys: bool,
}

/// Time and result of the last synchronisation of a source.
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

/// Number of withheld points shown: enough to see what is wrong.
pub const WITHHELD_SHOWN: usize = 3;

/// An edition since which every change is known. Equal numbers do not make two editions equal: a database restored
/// from a copy reaches the same numbers again, but at other times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RememberedEdition {
    pub edition: Edition,
    pub rows: u64,
    pub newest_day: Option<Day>,
    pub published_at: Timestamp,
    /// Number of rows that it added or changed.
    pub changes: u64,
}

/// One edition of a source, streamed from the store. A batch that is an error is the last one.
#[derive(Debug)]
pub struct Loaded {
    pub edition: Edition,
    pub published_at: Timestamp,
    pub sample: bool,
    pub rows: mpsc::Receiver<Result<LoadedRows>>,
}

/// A batch of stored rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedRows {
    pub rows: Records,
    /// One for each company or filing; none for other rows.
    pub histories: Vec<History>,
}

/// The description of a publication; its rows follow by channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Publication {
    pub source: Source,
    pub sample: bool,
    /// Whether the rows of the source are deleted first and its files forgotten: official data replaces the sample.
    pub replace: bool,
    pub at: Timestamp,
    pub condition: Condition,
}

/// A condition on the current data, checked inside the publication's transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Condition {
    #[default]
    None,
    /// The source has no edition yet.
    NeverPublished,
    /// The source is empty or holds only made-up rows.
    NothingOfficial,
}

/// A message of a publication's channel. The last one must be `Commit` or `CommitPart`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicationItem {
    Rows(Records),
    /// Filings that the file lists and whose day has not come: they are not stored, and not withdrawn either.
    HeldBack(Vec<Filing>),
    /// Takes filings of days after that of the publication out of service until their files list them again, and lets
    /// those files be read again.
    UpToToday,
    /// Ends the rows of one file of the publisher, which lists nothing else: other rows of its kind are withdrawn.
    EndOfList(ListedFile),
    /// Replaces what is stored about the file at this address, including its rejects.
    File(ReadFile),
    /// Replaces all withheld points of the source.
    Withheld(Vec<Withheld>),
    Commit,
    /// Commits good rows although some requested data did not arrive. The last success is not updated.
    CommitPart,
}

/// A file that lists all rows of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedFile {
    /// The registry of all companies.
    Registry,
    /// The filings delivered in a year, and a few of the years beside it.
    Year(i16),
    /// A file whose rows could not all be read: nothing is withdrawn for it.
    Unclear,
}

/// The result of a publication. Rows that were already there unchanged count as neither added nor changed; withdrawn
/// ones count as changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The current edition after the publication.
    pub edition: Edition,
    pub added: u64,
    pub changed: u64,
    /// Whether the publication's condition did not hold. Nothing was read or written then.
    pub skipped: bool,
}
