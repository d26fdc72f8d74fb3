//! One synchronisation of one source: ask → read → judge → publish. A failure leaves the last good edition in service.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use jiff::Timestamp;
use lastro_model::{Clock, Day, Edition, ReadFile, Records, Source, Withheld};
use lastro_sources::{Fault, judgement::Refusal};
use lastro_store::{Condition, Publication, Published, SourceState, Store, StoreError, Write};
use tokio::sync::mpsc;
use tokio::task::JoinError;

use super::fetch::Fetcher;
use super::lease::Tenant;
use super::report::Report;
use super::{exchange, filings, registry, series};
use crate::jobs::supervisor::panic_message;

/// Where the publishers are: scheme and host, before the paths of their interfaces.
#[derive(Debug, Clone)]
pub struct Publishers {
    pub sgs: String,
    pub ptax: String,
    pub cvm: String,
}

/// How much is asked of the publishers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// What can have changed since yesterday; all that is missing; and what was not looked at for long.
    Recent,
    /// Every day and every file there is.
    Whole,
}

/// Everything a synchronisation works with.
pub struct Sync {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub fetcher: Fetcher,
    pub publishers: Publishers,
    /// The first year of filings.
    pub since: i16,
    pub tenant: Tenant,
    /// Sources that are believed although they differ from what is held beyond belief.
    pub accept: Vec<Source>,
    pub report: Box<dyn Report>,
}

impl std::fmt::Debug for Sync {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sync")
            .field("publishers", &self.publishers)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}

/// What a synchronisation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
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
}

impl SyncError {
    /// The word that metrics count it under.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Publisher(Fault::Transient(_)) => "unreachable",
            Self::Publisher(_) => "not_data",
            Self::Suspicious(_) => "refused",
            Self::Store(_) | Self::Panicked | Self::Elsewhere(_) => "internal",
            Self::Partly(_) => "partly",
        }
    }

    /// Whether what was already read is worth keeping for the next attempt.
    fn may_pass(&self) -> bool {
        matches!(self, Self::Publisher(Fault::Transient(_)) | Self::Store(_))
    }
}

impl SyncError {
    /// The panic of one source is the error of one source.
    fn panicked(panic: &(dyn Any + Send)) -> Self {
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

impl Sync {
    /// Synchronises one source and remembers how it went.
    pub async fn run(&self, source: Source, reach: Reach) -> Result<Outcome, SyncError> {
        self.alone(source, self.run_alone(source, reach)).await
    }

    /// The same where it is still due once no other process can be at it.
    pub async fn run_if(
        &self,
        source: Source,
        is_due: impl Fn(&SourceState) -> bool,
    ) -> Result<Option<Outcome>, SyncError> {
        let look_again = async {
            if !is_due(&self.state(source).await?) {
                return Ok(None);
            }
            self.run_alone(source, Reach::Recent).await.map(Some)
        };
        self.alone(source, look_again).await
    }

    async fn run_alone(&self, source: Source, reach: Reach) -> Result<Outcome, SyncError> {
        let attempt = AssertUnwindSafe(self.attempt(source, reach)).catch_unwind().await;
        let result = attempt.unwrap_or_else(|panic| Err(SyncError::panicked(&*panic)));
        match &result {
            Ok(outcome) => self.report.end(source, Ok(outcome)),
            Err(error) => {
                // What was refused today may be mended tomorrow: it must be asked for anew.
                if !error.may_pass() {
                    self.fetcher.forget(source);
                }
                let sentence = error.to_string();
                self.report.end(source, Err(&sentence));
                self.store.record_attempt(source, self.now()?, Some(sentence)).await?;
            }
        }
        result
    }

    async fn attempt(&self, source: Source, reach: Reach) -> Result<Outcome, SyncError> {
        let state = self.state(source).await?;
        match source {
            Source::Series(series) => series::synchronise(self, series, &state, reach).await,
            Source::Fx => exchange::synchronise(self, &state, reach).await,
            Source::Companies => registry::synchronise(self, &state).await,
            Source::Filings => filings::synchronise(self, &state, reach).await,
        }
    }

    pub(super) async fn state(&self, source: Source) -> Result<SourceState, SyncError> {
        let states = self.store.source_states().await?;
        states.into_iter().find(|state| state.source == source).ok_or_else(|| StoreError::NotFound.into())
    }

    pub(super) fn now(&self) -> Result<Timestamp, SyncError> {
        Timestamp::from_millisecond(self.clock.now().unix_ms)
            .map_err(|_| Fault::Ours("the clock is out of bounds".to_owned()).into())
    }

    /// The day in Brasília, where publishers live. There has been no summer time since 2019.
    pub(super) fn today(&self) -> Day {
        brasilia_day(self.clock.now().unix_ms)
    }

    /// A refusal that the operator has looked at is told and passed over.
    pub(super) fn weigh(&self, source: Source, judged: Result<(), Refusal>) -> Result<(), SyncError> {
        match judged {
            Err(refusal) if self.accept.contains(&source) => {
                tracing::warn!(%source, "accepted as the operator asks: {refusal}");
                Ok(())
            }
            judged => Ok(judged?),
        }
    }

    /// Publishes what `write` hands over, replacing the sample if that is what stands.
    pub(super) async fn publish<F>(&self, source: Source, write: F) -> Result<Published, SyncError>
    where
        F: FnOnce(&mut Outbox) -> Result<(), SyncError> + Send + 'static,
    {
        let (sender, receiver) = mpsc::channel(4);
        // Looked at again: another process may have replaced the sample meanwhile.
        let replace = holds_no_official_data(&self.state(source).await?);
        let publication =
            Publication { source, sample: false, replace, at: self.now()?, condition: Condition::None };
        let writing = tokio::task::spawn_blocking(move || {
            let mut outbox = Outbox { sender, part: false };
            write(&mut outbox)?;
            outbox.commit();
            Ok::<_, SyncError>(())
        });
        let published = self.store.publish(publication, receiver).await;
        // If the writer failed, the publication was abandoned: its reason is the better one.
        writing.await??;
        let published = published?;
        self.fetcher.forget(source);
        Ok(published)
    }

    /// The publisher has nothing new: what is held is confirmed.
    pub(super) async fn unchanged(&self, source: Source) -> Result<Outcome, SyncError> {
        self.store.record_attempt(source, self.now()?, None).await?;
        self.fetcher.forget(source);
        self.count(source, 0, 0).await
    }

    pub(super) async fn outcome(&self, source: Source, published: Published) -> Result<Outcome, SyncError> {
        self.count(source, published.added, published.changed).await
    }

    async fn count(&self, source: Source, added: u64, changed: u64) -> Result<Outcome, SyncError> {
        let SourceState { rejects: rejected, withheld, newest_day: newest, .. } = self.state(source).await?;
        Ok(Outcome { source, added, changed, rejected, withheld, newest })
    }
}

/// Whether what stands is the sample, or nothing.
pub(super) fn holds_no_official_data(state: &SourceState) -> bool {
    state.sample || state.edition == Edition(0)
}

pub fn brasilia_day(unix_ms: i64) -> Day {
    const OFFSET_MS: i64 = 3 * 3_600_000;
    lastro_model::Now { monotonic_ns: 0, unix_ms: unix_ms - OFFSET_MS }.utc_day()
}

/// Hands rows to a publication, in batches.
#[derive(Debug)]
pub struct Outbox {
    sender: mpsc::Sender<Write>,
    part: bool,
}

impl Outbox {
    /// Nobody listening means that the publication failed, which it reports itself.
    fn send(&mut self, write: Write) {
        let _ = self.sender.blocking_send(write);
    }

    fn commit(&mut self) {
        self.send(if self.part { Write::CommitPart } else { Write::Commit });
    }

    /// What is handed over is not all that was asked for: no success of the source.
    pub fn is_a_part(&mut self) {
        self.part = true;
    }

    pub fn rows(&mut self, records: Records) {
        if !records.is_empty() {
            self.send(Write::Rows(records));
        }
    }

    /// All that is withheld of the source now.
    pub fn withheld(&mut self, points: Vec<Withheld>) {
        self.send(Write::Withheld(points));
    }

    pub fn file(&mut self, file: ReadFile) {
        self.send(Write::File(file));
    }
}
