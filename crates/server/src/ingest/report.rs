//! Tells people how far a synchronisation is: bars on a terminal, a line a step elsewhere.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use lastro_model::Source;
use parking_lot::Mutex;

/// Hears of a synchronisation's steps.
pub trait Report: Send + Sync {
    /// So many requests or files are to be asked; more of them where it has begun before.
    fn begin(&self, source: Source, steps: u64);
    /// One of them is done.
    fn step(&self, source: Source, what: &str, rows: u64, rejects: u64);
    fn end(&self, source: Source, result: Result<&super::sync::Outcome, &str>);
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

    fn end(&self, source: Source, result: Result<&super::sync::Outcome, &str>) {
        match result {
            Ok(outcome) => tracing::info!(
                %source, added = outcome.added, changed = outcome.changed, rejected = outcome.rejected,
                withheld = outcome.withheld,
                newest = outcome.newest.map(tracing::field::display), "synchronised"
            ),
            Err(sentence) => tracing::warn!(%source, "not synchronised: {sentence}"),
        }
    }

    fn wait(&self, source: Source, holder: &str) {
        tracing::info!(%source, "waiting for {holder}, which is synchronising it now");
    }
}

/// For a terminal: a bar a source.
#[derive(Debug, Default)]
pub struct Bars {
    all: MultiProgress,
    by_source: Mutex<HashMap<Source, Bar>>,
}

#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    rows: u64,
    rejects: u64,
}

/// Before the first answer nobody can say how long it takes; after the last, how long it took is what counts.
const WAITING: &str = "{prefix:10} {bar:20} {pos:>4} of {len:<4} waiting for the first answer, {elapsed}";
const READING: &str = "{prefix:10} {bar:20} {pos:>4} of {len:<4} {msg}, {eta} left";
const ENDED: &str = "{prefix:10} {bar:20} {pos:>4} of {len:<4} {msg}, {elapsed}";

impl Bar {
    fn look(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }

    fn count(&self) -> String {
        format!("{} rows, {} rejected", self.rows, self.rejects)
    }
}

impl Report for Bars {
    fn begin(&self, source: Source, steps: u64) {
        if let Some(begun) = self.by_source.lock().get(&source) {
            return begun.bar.inc_length(steps);
        }
        let bar = self.all.add(ProgressBar::new(steps).with_prefix(source.name()));
        let bar = Bar { bar, rows: 0, rejects: 0 };
        bar.look(WAITING);
        bar.bar.enable_steady_tick(Duration::from_millis(200));
        self.by_source.lock().insert(source, bar);
    }

    fn step(&self, source: Source, _: &str, rows: u64, rejects: u64) {
        if let Some(bar) = self.by_source.lock().get_mut(&source) {
            (bar.rows, bar.rejects) = (bar.rows + rows, bar.rejects + rejects);
            bar.look(READING);
            bar.bar.set_message(bar.count());
            bar.bar.inc(1);
        }
    }

    fn end(&self, source: Source, result: Result<&super::sync::Outcome, &str>) {
        if let Some(bar) = self.by_source.lock().get(&source) {
            bar.look(ENDED);
            let word = if result.is_ok() { "done" } else { "failed" };
            bar.bar.abandon_with_message(format!("{}, {word}", bar.count()));
        }
    }

    fn wait(&self, source: Source, holder: &str) {
        // A terminal that cannot be written to is nobody's.
        let _ = self.all.println(format!("{:10} waiting for {holder}", source.name()));
    }
}

/// Bars where somebody looks, lines elsewhere.
pub fn for_this_terminal() -> Box<dyn Report> {
    if std::io::stderr().is_terminal() {
        Box::new(Bars::default())
    } else {
        Box::new(Lines { every_step: true })
    }
}
