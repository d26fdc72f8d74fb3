//! Counters for the operator, in plain atomics: a request costs a few additions and no lookup.
//!
//! The labels are route templates, classes and outcomes, so their number is fixed. A family is always written, even
//! without a sample, so that the names of all metrics are in every scrape.

pub mod dependencies;
pub mod process;
pub mod prometheus;
mod requests;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lastro_model::{BySource, Histogram, Source};
use lastro_store::Fate;

use prometheus::{Exposition, Kind};
use requests::Requests;

/// Counters, one for each entry of a table.
type Counts<const N: usize> = [AtomicU64; N];

#[derive(Debug)]
pub struct Metrics {
    pub requests: Requests,
    pub panics: AtomicU64,
    pub flushes: Histogram,
    pub flush_failures: AtomicU64,
    /// One for each entry of [`PARTS`].
    rebuilds: [Histogram; PARTS.len()],
    pub rebuild_failures: AtomicU64,
    pub index_saves: Histogram,
    pub index_save_failures: AtomicU64,
    /// Whether the last attempt to save the index failed. The first one often comes before the first scrape, which then finds
    /// the counter of failures at one and sees no increase.
    pub index_unsaved: AtomicBool,
    /// One for each entry of [`SYNC_OUTCOMES`].
    synchronisations: BySource<Counts<{ SYNC_OUTCOMES.len() }>>,
    /// One for each entry of [`DELIVERY_OUTCOMES`].
    deliveries: Counts<{ DELIVERY_OUTCOMES.len() }>,
}

/// Parts of the catalog as metrics name them. All series share one: they are small and many.
const PARTS: [&str; 5] = ["series", "fx", "companies", "filings", "tickers"];

/// Outcomes of a synchronisation. All but the first are failures that leave the last good edition in service.
const SYNC_OUTCOMES: [&str; 6] = ["ok", "unreachable", "not_data", "refused", "partly", "internal"];

/// Outcomes of an attempt to deliver a message.
const DELIVERY_OUTCOMES: [&str; 3] = ["delivered", "retried", "given_up"];

impl Metrics {
    /// Creates the counters. `routes` are labels and classes, in the order of [`Requests::count`]'s index.
    pub fn new(routes: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Self {
            requests: Requests::new(routes),
            panics: AtomicU64::default(),
            flushes: Histogram::default(),
            flush_failures: AtomicU64::default(),
            rebuilds: Default::default(),
            rebuild_failures: AtomicU64::default(),
            index_saves: Histogram::default(),
            index_save_failures: AtomicU64::default(),
            index_unsaved: AtomicBool::default(),
            synchronisations: BySource::default(),
            deliveries: Default::default(),
        }
    }

    /// Counts a synchronisation. `outcome` is one of [`SYNC_OUTCOMES`].
    pub fn synchronised(&self, source: Source, outcome: &str) {
        let place = SYNC_OUTCOMES.iter().position(|word| *word == outcome).unwrap_or(SYNC_OUTCOMES.len() - 1);
        self.synchronisations[source][place].fetch_add(1, Ordering::Relaxed);
    }

    pub fn delivery(&self, fate: Fate) {
        let place = match fate {
            Fate::Delivered => 0,
            Fate::Due(_) => 1,
            Fate::GivenUp => 2,
        };
        self.deliveries[place].fetch_add(1, Ordering::Relaxed);
    }

    /// The rebuilds of the part that a source is served from.
    pub fn rebuilds(&self, source: Source) -> &Histogram {
        let place = match source {
            Source::Series(_) => 0,
            Source::Fx => 1,
            Source::Companies => 2,
            Source::Filings => 3,
            Source::Tickers => 4,
        };
        &self.rebuilds[place]
    }

    pub fn render(&self, out: &mut Exposition) {
        self.requests.render(out);
        self.render_synchronisations(out);
        self.render_deliveries(out);
        let help = "Panics of requests and of background jobs, all caught.";
        out.counter("lastro_panics_total", help, load(&self.panics));
        self.render_background_work(out);
    }

    fn render_background_work(&self, out: &mut Exposition) {
        let help = "Time of writing counted usage to the database, failed attempts included.";
        let mut family = out.family("lastro_usage_flush_duration_seconds", Kind::Histogram, help);
        family.histogram(&[], &self.flushes.read());
        let help = "Usage flushes that failed and are tried again.";
        out.counter("lastro_usage_flush_failures_total", help, load(&self.flush_failures));
        let help = "Time of bringing a new edition into service.";
        let mut family = out.family("lastro_rebuild_duration_seconds", Kind::Histogram, help);
        for (part, rebuilds) in PARTS.iter().zip(&self.rebuilds) {
            family.histogram(&[("part", part)], &rebuilds.read());
        }
        let help = "Catalog parts that could not be rebuilt.";
        out.counter("lastro_rebuild_failures_total", help, load(&self.rebuild_failures));
        let help = "Time of saving the index of the filings for the next start.";
        let mut family = out.family("lastro_index_save_duration_seconds", Kind::Histogram, help);
        family.histogram(&[], &self.index_saves.read());
        let help = "Attempts to save the index of the filings that failed.";
        out.counter("lastro_index_save_failures_total", help, load(&self.index_save_failures));
        let help = "0 if the last attempt to save the index of the filings failed.";
        out.gauge("lastro_index_saved", help, u8::from(!self.index_unsaved.load(Ordering::Relaxed)));
    }

    fn render_synchronisations(&self, out: &mut Exposition) {
        let help = "Synchronisations by source and outcome.";
        let mut family = out.family("lastro_synchronisations_total", Kind::Counter, help);
        for (source, counts) in self.synchronisations.iter() {
            for (outcome, count) in SYNC_OUTCOMES.iter().zip(counts) {
                family.sample(&[("source", &source), ("outcome", outcome)], load(count));
            }
        }
    }

    fn render_deliveries(&self, out: &mut Exposition) {
        let help = "Attempts to deliver, by outcome.";
        let mut family = out.family("lastro_webhook_deliveries_total", Kind::Counter, help);
        for (outcome, count) in DELIVERY_OUTCOMES.iter().zip(&self.deliveries) {
            family.sample(&[("outcome", outcome)], load(count));
        }
    }
}

fn load(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}
