//! The published data in SQLite.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{BySource, Edition, Source, Withheld};
use rusqlite::{Connection, Row, params};
use tokio::sync::mpsc;

use super::announce::Audience;
use super::change_log;
use super::column;
use super::publish::{self, Inbox};
use super::{SqliteStore, account, blocking, connection, load, withheld};
use crate::{
    Counters, Loaded, Publication, Published, RecordStore, RememberedEdition, Result, SourceState,
    WITHHELD_SHOWN, Write, sql,
};

#[async_trait]
impl RecordStore for SqliteStore {
    async fn counters(&self) -> Result<Counters> {
        let editions = self.data.readers.ask(editions).await?;
        let key_revision = self.accounts.readers.ask(account::last_revision).await?;
        Ok(Counters { editions, key_revision })
    }

    async fn source_states(&self) -> Result<Vec<SourceState>> {
        self.data.readers.ask(source_states).await
    }

    async fn load(&self, source: Source) -> Result<Loaded> {
        load::whole(self.data.path.clone(), source).await
    }

    async fn changes(&self, source: Source, since: Edition) -> Result<Option<Loaded>> {
        match source {
            Source::Filings => load::changed_filings(self.data.path.clone(), since).await,
            _ => Ok(None),
        }
    }

    async fn remembered_editions(&self, source: Source) -> Result<Vec<RememberedEdition>> {
        match source {
            Source::Filings => self.data.readers.ask(change_log::editions).await,
            _ => Ok(Vec::new()),
        }
    }

    async fn publish(&self, publication: Publication, rows: mpsc::Receiver<Write>) -> Result<Published> {
        let inbox = Inbox::opened(rows).await?;
        let audience =
            self.accounts.readers.ask(move |accounts| Audience::of(accounts, publication.source)).await?;
        let published = self
            .data
            .writer
            .publish(move |transaction| publish::publish(transaction, publication, inbox, audience))
            .await?;
        self.fold_log().await;
        Ok(published)
    }

    async fn withheld(&self, source: Source) -> Result<Vec<Withheld>> {
        self.data.readers.ask(move |connection| withheld::newest(connection, source, usize::MAX)).await
    }

    async fn record_attempt(&self, source: Source, at: Timestamp, error: Option<String>) -> Result<()> {
        let (at, name) = (at.as_millisecond(), source.name());
        self.data
            .writer
            .change(move |transaction| {
                match error {
                    None => transaction.execute(sql::SUCCEED, params![at, name])?,
                    Some(sentence) => transaction.execute(sql::FAIL, params![at, sentence, name])?,
                };
                Ok(())
            })
            .await
    }
}

impl SqliteStore {
    /// Moves what a publication wrote from the log into the file. The data is safe without it, so a failure is no
    /// failure of the publication; the next one tries again.
    async fn fold_log(&self) {
        let path = self.data.path.clone();
        if let Err(error) = blocking(move || connection::fold_log(&path)).await {
            tracing::debug!(%error, "the write-ahead log could not be folded into the file now");
        }
    }
}

fn editions(connection: &Connection) -> Result<BySource<Edition>> {
    let mut editions = BySource::default();
    let mut statement = connection.prepare_cached(sql::EDITIONS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let source = column::parsed(row, 0, Source::parse)?;
        editions[source] = Edition(column::number(row, 1)?);
    }
    Ok(editions)
}

fn source_states(connection: &Connection) -> Result<Vec<SourceState>> {
    let mut states = BySource::new(SourceState::never_filled);
    let mut statement = connection.prepare_cached(sql::SOURCE_STATES)?;
    for state in statement.query_and_then([], source_state)? {
        let mut state = state?;
        if state.withheld > 0 {
            state.newest_withheld = withheld::newest(connection, state.source, WITHHELD_SHOWN)?;
        }
        let source = state.source;
        states[source] = state;
    }
    Ok(states.iter().map(|(_, state)| state.clone()).collect())
}

fn source_state(row: &Row<'_>) -> Result<SourceState> {
    let sample: i64 = column::number(row, 2)?;
    Ok(SourceState {
        source: column::parsed(row, 0, Source::parse)?,
        edition: Edition(column::number(row, 1)?),
        sample: sample != 0,
        rows: column::number(row, 3)?,
        newest_day: column::optional_day(row, 4)?,
        last_success: column::optional_time(row, 5)?,
        last_attempt: column::optional_time(row, 6)?,
        last_error: column::optional_string(row, 7)?,
        rejects: column::number(row, 8)?,
        withheld: column::number(row, 9)?,
        newest_withheld: Vec::new(),
    })
}
