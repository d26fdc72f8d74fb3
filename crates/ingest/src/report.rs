//! Progress reports of a synchronisation: here to the log; the command line shows bars on a terminal.

use lastro_model::Source;

use crate::result::Synchronised;

/// Receives the progress of a synchronisation.
pub trait Report: Send + Sync {
    /// Starts with this number of requests or files; adds to it if already started.
    fn begin(&self, source: Source, steps: u64);
    /// Completes one request or file.
    fn step(&self, source: Source, what: &str, rows: u64, rejects: u64);
    fn end(&self, source: Source, result: Result<&Synchronised, &str>);
    /// Skips a source because its publisher is known to be down.
    fn left(&self, source: Source, sentence: &str) {
        self.end(source, Err(sentence));
    }
    /// Waits for another process that is synchronising the source.
    fn wait(&self, source: Source, holder: &str);
}

/// Log lines: of every step for pipes; of the result alone for the schedule inside `serve`, which runs for years.
#[derive(Debug)]
pub struct Lines {
    pub every_step: bool,
}

impl Report for Lines {
    fn begin(&self, source: Source, steps: u64) {
        if self.every_step {
            tracing::info!(%source, steps, "synchronising");
        }
    }

    fn step(&self, source: Source, what: &str, rows: u64, rejects: u64) {
        if self.every_step {
            tracing::info!(%source, rows, rejects, "read {what}");
        }
    }

    fn end(&self, source: Source, result: Result<&Synchronised, &str>) {
        match result {
            Ok(outcome) => tracing::info!(
                %source, added = outcome.added, changed = outcome.changed, rejected = outcome.rejected,
                withheld = outcome.withheld,
                newest = outcome.newest.map(tracing::field::display), "synchronised"
            ),
            Err(sentence) => tracing::warn!(%source, "not synchronised: {sentence}"),
        }
    }

    /// Only at debug level: the outage was logged once for all sources.
    fn left(&self, source: Source, sentence: &str) {
        tracing::debug!(%source, "not synchronised: {sentence}");
    }

    fn wait(&self, source: Source, holder: &str) {
        tracing::info!(%source, "waiting for {holder}, which is synchronising it now");
    }
}
