//! The flow of one source: fetch → parse → judge → publish, by one process at a time, with the result recorded.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lastro_model::{Source, SourceState};

use crate::result::{SyncError, Synchronised};
use crate::sync::{Reach, Synchronizer};
use crate::turns::Turn;
use crate::{companies, filings, fx, series, tickers};

impl Synchronizer {
    /// Synchronises one source and records the result.
    pub async fn run(&self, source: Source, reach: Reach) -> Result<Synchronised, SyncError> {
        let turn = self.turn(source).await?;
        let result = self.alone(source, self.run_alone(source, reach)).await;
        turn.end(result.as_ref().map(|_| ()));
        result
    }

    /// Synchronises a source if it is still due once this process holds the lease.
    pub async fn run_if(
        &self,
        source: Source,
        is_due: impl Fn(&SourceState) -> bool,
    ) -> Result<Option<Synchronised>, SyncError> {
        let turn = self.turn(source).await?;
        let look_again = async {
            if !is_due(&self.state(source).await?) {
                return Ok(None);
            }
            self.run_alone(source, Reach::Recent).await.map(Some)
        };
        let result = self.alone(source, look_again).await;
        // A source that was not due sent no request.
        if !matches!(result, Ok(None)) {
            turn.end(result.as_ref().map(|_| ()));
        }
        result
    }

    /// Waits for the source's turn, or records why it is skipped.
    async fn turn(&self, source: Source) -> Result<Turn<'_>, SyncError> {
        match self.turns.wait(source, &*self.clock).await {
            Ok(turn) => Ok(turn),
            Err(sentence) => {
                self.report.left(source, &sentence);
                self.store.record_attempt(source, self.now()?, Some(sentence.clone())).await?;
                Err(SyncError::Left(sentence))
            }
        }
    }

    /// Not an async function: its code would be compiled again, with all sources, in the crate that calls `run`.
    fn run_alone(&self, source: Source, reach: Reach) -> BoxFuture<'_, Result<Synchronised, SyncError>> {
        Box::pin(async move {
            let attempt = AssertUnwindSafe(self.attempt(source, reach)).catch_unwind().await;
            let result = attempt.unwrap_or_else(|panic| Err(SyncError::panicked(&*panic)));
            self.record(source, &result).await?;
            result
        })
    }

    async fn record(
        &self,
        source: Source,
        result: &Result<Synchronised, SyncError>,
    ) -> Result<(), SyncError> {
        let error = match result {
            Ok(outcome) => {
                self.report.end(source, Ok(outcome));
                return Ok(());
            }
            Err(error) => error,
        };
        // Rejected data may be corrected tomorrow, so it must be fetched again.
        if !error.may_pass() {
            self.fetcher.forget(source);
        }
        let sentence = error.to_string();
        self.report.end(source, Err(&sentence));
        self.store.record_attempt(source, self.now()?, Some(sentence)).await?;
        Ok(())
    }

    async fn attempt(&self, source: Source, reach: Reach) -> Result<Synchronised, SyncError> {
        let state = self.state(source).await?;
        match source {
            Source::Series(series) => series::synchronise(self, series, &state, reach).await,
            Source::Fx => fx::synchronise(self, &state, reach).await,
            Source::Companies => companies::synchronise(self, &state).await,
            Source::Filings => filings::synchronise(self, &state, reach).await,
            Source::Tickers => tickers::synchronise(self, &state).await,
        }
    }
}
