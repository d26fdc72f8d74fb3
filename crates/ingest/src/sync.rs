//! The environment of a synchronisation, and steps shared by all sources. A failure leaves the last good edition in
//! service.

use std::sync::Arc;

use jiff::Timestamp;
use lastro_model::{Clock, Day, Edition, Source, SourceState, brasilia_day};
use lastro_sources::{Fault, judgement::Refusal};
use lastro_store::{Condition, Publication, Published, Store, StoreError};
use tokio::sync::mpsc;

use crate::fetch::Fetcher;
use crate::lease::LeaseHolder;
use crate::report::Report;
use crate::result::{SyncError, Synchronised};
use crate::row_sender::RowSender;
use crate::turns::Turns;

/// Base URLs of the publishers: scheme and host.
#[derive(Debug, Clone)]
pub struct Publishers {
    pub sgs: String,
    pub ptax: String,
    pub cvm: String,
}

/// The extent of a synchronisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Data that can have changed since yesterday, data that is missing, and data not checked for long.
    Recent,
    /// Every day and every file.
    Whole,
}

/// The environment of a synchronisation.
pub struct Synchronizer {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub fetcher: Fetcher,
    pub publishers: Publishers,
    /// The first year of filings.
    pub since: i16,
    pub lease_holder: LeaseHolder,
    pub turns: Turns,
    /// Sources accepted by the operator although they differ implausibly from the stored data.
    pub accept: Vec<Source>,
    pub report: Box<dyn Report>,
}

impl std::fmt::Debug for Synchronizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Synchronizer")
            .field("publishers", &self.publishers)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}

impl Synchronizer {
    pub(super) async fn state(&self, source: Source) -> Result<SourceState, SyncError> {
        let states = self.store.source_states().await?;
        states.into_iter().find(|state| state.source == source).ok_or_else(|| StoreError::NotFound.into())
    }

    pub(super) fn now(&self) -> Result<Timestamp, SyncError> {
        Timestamp::from_millisecond(self.clock.now().unix_ms)
            .map_err(|_| Fault::Internal("the clock is out of bounds".to_owned()).into())
    }

    /// The day in Brasília, the publishers' time zone. There has been no summer time since 2019.
    pub(super) fn today(&self) -> Day {
        brasilia_day(self.clock.now().unix_ms)
    }

    /// Logs and ignores a refusal if the operator has accepted the source.
    pub(super) fn weigh(&self, source: Source, judged: Result<(), Refusal>) -> Result<(), SyncError> {
        match judged {
            Err(refusal) if self.accept.contains(&source) => {
                tracing::warn!(%source, "accepted at the operator's request: {refusal}");
                Ok(())
            }
            judged => Ok(judged?),
        }
    }

    /// Publishes the rows sent by `write`, replacing the sample data if present.
    pub(super) async fn publish<F>(&self, source: Source, write: F) -> Result<Published, SyncError>
    where
        F: FnOnce(&mut RowSender) -> Result<(), SyncError> + Send + 'static,
    {
        // Read again: another process may have replaced the sample meanwhile.
        let replace = holds_no_official_data(&self.state(source).await?);
        self.publish_as(source, replace, write).await
    }

    /// Publishes the rows sent by `write`, replacing all stored rows or adding to them.
    pub(super) async fn publish_as<F>(
        &self,
        source: Source,
        replace: bool,
        write: F,
    ) -> Result<Published, SyncError>
    where
        F: FnOnce(&mut RowSender) -> Result<(), SyncError> + Send + 'static,
    {
        let (sender, receiver) = mpsc::channel(4);
        let publication =
            Publication { source, sample: false, replace, at: self.now()?, condition: Condition::None };
        let writing = tokio::task::spawn_blocking(move || {
            let mut rows_out = RowSender::new(sender);
            write(&mut rows_out)?;
            rows_out.commit();
            Ok::<_, SyncError>(())
        });
        let published = self.store.publish(publication, receiver).await;
        // If the writer failed, the publication was aborted, and the writer's error is the cause.
        writing.await??;
        let published = published?;
        self.fetcher.forget(source);
        Ok(published)
    }

    /// Records that the publisher has nothing new.
    pub(super) async fn unchanged(&self, source: Source) -> Result<Synchronised, SyncError> {
        self.store.record_attempt(source, self.now()?, None).await?;
        self.fetcher.forget(source);
        self.count(source, 0, 0).await
    }

    pub(super) async fn outcome(
        &self,
        source: Source,
        published: Published,
    ) -> Result<Synchronised, SyncError> {
        self.count(source, published.added, published.changed).await
    }

    async fn count(&self, source: Source, added: u64, changed: u64) -> Result<Synchronised, SyncError> {
        let SourceState { rejects: rejected, withheld, newest_day: newest, .. } = self.state(source).await?;
        Ok(Synchronised { source, added, changed, rejected, withheld, newest })
    }
}

/// Whether the store has only sample data, or none.
pub(super) fn holds_no_official_data(state: &SourceState) -> bool {
    state.sample || state.edition == Edition(0)
}
