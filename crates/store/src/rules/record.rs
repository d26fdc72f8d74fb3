//! The published data: editions, source states, publishing and loading.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{CompanyId, Edition, FilingId, Records, Source, SourceState, Withheld};
use tokio::sync::mpsc;

use super::announce::Audience;
use super::publish::{self, Writes};
use super::{SqlStore, counters, filing_log, recording, source_state, withdrawal, withheld};
use crate::engine::Database;
use crate::sql::counters::COUNTERS;
use crate::{
    Counters, Loaded, Publication, PublicationItem, Published, RecordStore, Recorded, RememberedEdition,
    Result,
};

#[async_trait]
impl RecordStore for SqlStore {
    async fn counters(&self) -> Result<Counters> {
        if let Some(counters) = self.engine.read_both(COUNTERS, counters::of_both).await {
            return counters;
        }
        let (data, accounts) = (&self.data_counters, &self.account_counters);
        let data = self.engine.read_if_changed(Database::Data, data, counters::of_data).await?;
        let accounts =
            self.engine.read_if_changed(Database::Accounts, accounts, counters::of_accounts).await?;
        Ok(counters::together(data, accounts))
    }

    async fn source_states(&self) -> Result<Vec<SourceState>> {
        self.engine.read(Database::Data, source_state::all).await
    }

    async fn load(&self, source: Source) -> Result<Loaded> {
        self.engine.load(source).await
    }

    async fn changes(&self, source: Source, since: Edition) -> Result<Option<Loaded>> {
        match source {
            Source::Filings => self.engine.changed_filings(since).await,
            _ => Ok(None),
        }
    }

    async fn remembered_editions(&self, source: Source) -> Result<Vec<RememberedEdition>> {
        match source {
            Source::Filings => self.engine.read(Database::Data, filing_log::editions).await,
            _ => Ok(Vec::new()),
        }
    }

    async fn publish(
        &self,
        publication: Publication,
        rows: mpsc::Receiver<PublicationItem>,
    ) -> Result<Published> {
        let writes = Writes::begun(rows).await?;
        let audience = self
            .engine
            .read(Database::Accounts, move |accounts| Audience::of(accounts, publication.source))
            .await?;
        self.engine.publish(move |data| publish::publish_alone(data, publication, writes, &audience)).await
    }

    async fn publish_together(&self, publications: Vec<(Publication, Records)>) -> Result<Vec<Published>> {
        let sources: Vec<Source> = publications.iter().map(|(publication, _)| publication.source).collect();
        let audiences = self
            .engine
            .read(Database::Accounts, move |accounts| {
                sources.iter().map(|source| Audience::of(accounts, *source)).collect::<Result<Vec<_>>>()
            })
            .await?;
        self.engine
            .publish(move |data| {
                source_state::lock(data, publications.iter().map(|(publication, _)| publication.source))?;
                let all = publications.into_iter().zip(&audiences);
                all.map(|((publication, rows), audience)| {
                    publish::publish(data, publication, Writes::whole(rows), audience)
                })
                .collect()
            })
            .await
    }

    async fn revisions(&self, source: Source) -> Result<Recorded> {
        self.engine.read(Database::Data, move |data| recording::recorded(data, source)).await
    }

    async fn withheld(&self, source: Source) -> Result<Vec<Withheld>> {
        self.engine.read(Database::Data, move |data| withheld::newest(data, source, usize::MAX)).await
    }

    async fn listed_companies(&self) -> Result<Vec<CompanyId>> {
        self.engine.read(Database::Data, withdrawal::listed_companies).await
    }

    async fn listed_filings(&self, year: i16) -> Result<Vec<FilingId>> {
        self.engine.read(Database::Data, move |data| withdrawal::listed_filings(data, year)).await
    }

    async fn record_attempt(&self, source: Source, at: Timestamp, error: Option<String>) -> Result<()> {
        self.engine
            .change(Database::Data, move |data| {
                source_state::note_attempt(data, source, at, error.as_deref())
            })
            .await
    }
}
