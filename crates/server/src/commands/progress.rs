//! Progress of a synchronisation: bars on a terminal, one line per step elsewhere.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use lastro_ingest::report::{Lines, Report};
use lastro_ingest::result::Synchronised;
use lastro_model::Source;
use parking_lot::Mutex;

/// Progress on a terminal: one bar per source.
#[derive(Debug, Default)]
pub(super) struct Bars {
    all: MultiProgress,
    by_source: Mutex<HashMap<Source, Bar>>,
}

#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    rows: u64,
    rejects: u64,
}

/// Bar templates. Before the first response the remaining time is unknown; at the end the elapsed time is shown.
const WAITING: &str = "{prefix:22} {bar:20} {pos:>4} of {len:<4} waiting for the first answer, {elapsed}";
const READING: &str = "{prefix:22} {bar:20} {pos:>4} of {len:<4} {msg}, {eta} left";
const ENDED: &str = "{prefix:22} {bar:20} {pos:>4} of {len:<4} {msg}, {elapsed}";

impl Bar {
    fn show(&self, template: &str) {
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
        bar.show(WAITING);
        bar.bar.enable_steady_tick(Duration::from_millis(200));
        self.by_source.lock().insert(source, bar);
    }

    fn step(&self, source: Source, _: &str, rows: u64, rejects: u64) {
        if let Some(bar) = self.by_source.lock().get_mut(&source) {
            (bar.rows, bar.rejects) = (bar.rows + rows, bar.rejects + rejects);
            bar.show(READING);
            bar.bar.set_message(bar.count());
            bar.bar.inc(1);
        }
    }

    fn end(&self, source: Source, result: Result<&Synchronised, &str>) {
        if let Some(bar) = self.by_source.lock().get(&source) {
            bar.show(ENDED);
            let word = if result.is_ok() { "done" } else { "failed" };
            bar.bar.abandon_with_message(format!("{}, {word}", bar.count()));
        }
    }

    fn wait(&self, source: Source, holder: &str) {
        // If the terminal cannot be written to, nobody is reading.
        let _ = self.all.println(format!("{:22} waiting for {holder}", source.name()));
    }
}

/// Returns bars if standard error is a terminal, otherwise lines.
pub(super) fn for_this_terminal() -> Box<dyn Report> {
    if std::io::stderr().is_terminal() {
        Box::new(Bars::default())
    } else {
        Box::new(Lines { every_step: true })
    }
}
