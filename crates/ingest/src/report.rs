//! Who hears how far a synchronisation is: here the log, on a terminal the bars of the command line.

use lastro_model::Source;

use crate::result::Synchronised;

/// Hears of a synchronisation's steps.
pub trait Report: Send + Sync {
    /// So many requests or files are to be asked; more of them where it has begun before.
    fn begin(&self, source: Source, steps: u64);
    /// One of them is done.
    fn step(&self, source: Source, what: &str, rows: u64, rejects: u64);
    fn end(&self, source: Source, result: Result<&Synchronised, &str>);
    /// It was not asked, because others found its publisher down.
    fn left(&self, source: Source, sentence: &str) {
        self.end(source, Err(sentence));
    }
    /// Another process synchronises it, and is waited for.
    fn wait(&self, source: Source, holder: &str);
}

/// Lines in the log: of every step for pipes; of the outcome alone for the schedule inside `serve`, which runs for years.
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

    /// Told once for all of them where the publisher was found down.
    fn left(&self, source: Source, sentence: &str) {
        tracing::debug!(%source, "not synchronised: {sentence}");
    }

    fn wait(&self, source: Source, holder: &str) {
        tracing::info!(%source, "waiting for {holder}, which is synchronising it now");
    }
}
