//! Counters for the operator, in plain atomics: a request costs a few additions and no lookup.
//!
//! The labels are route templates and response statuses, so their number is fixed.

pub mod prometheus;

use std::sync::atomic::{AtomicU64, Ordering};

use lastro_model::{BySource, Source};
use lastro_store::Fate;

use prometheus::{Exposition, Kind};

/// Statuses with a counter of their own. All others share one at [`OTHER_STATUS`].
const STATUSES: [u16; 14] = [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 413, 429, 500, 503];
const OTHER_STATUS: usize = STATUSES.len();

/// Upper bounds of the latency histogram, in microseconds.
const BOUNDS_US: [u64; 12] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000, 10_000_000];

/// Counters, one for each entry of a table.
type Counts<const N: usize> = [AtomicU64; N];

#[derive(Debug)]
struct RouteCounters {
    label: &'static str,
    by_status: Counts<{ OTHER_STATUS + 1 }>,
    by_latency: Counts<{ BOUNDS_US.len() + 1 }>,
    total_us: AtomicU64,
}

impl RouteCounters {
    fn new(label: &'static str) -> Self {
        Self {
            label,
            by_status: Default::default(),
            by_latency: Default::default(),
            total_us: AtomicU64::default(),
        }
    }
}

#[derive(Debug)]
pub struct Metrics {
    /// One for each route, and a last one for unknown paths.
    routes: Box<[RouteCounters]>,
    pub panics: AtomicU64,
    pub flush_failures: AtomicU64,
    pub rebuild_failures: AtomicU64,
    /// One for each entry of [`SYNC_OUTCOMES`].
    synchronisations: BySource<Counts<{ SYNC_OUTCOMES.len() }>>,
    /// One for each entry of [`DELIVERY_OUTCOMES`].
    deliveries: Counts<{ DELIVERY_OUTCOMES.len() }>,
}

/// Outcomes of a synchronisation. All but the first are failures that leave the last good edition in service.
const SYNC_OUTCOMES: [&str; 6] = ["ok", "unreachable", "not_data", "refused", "partly", "internal"];

/// Outcomes of an attempt to deliver a message.
const DELIVERY_OUTCOMES: [&str; 3] = ["delivered", "retried", "given_up"];

impl Metrics {
    /// Creates the counters. `routes` are the labels; [`Metrics::request`] takes an index into them.
    pub fn new(routes: impl IntoIterator<Item = &'static str>) -> Self {
        let counted = routes.into_iter().chain(["unknown"]);
        Self {
            routes: counted.map(RouteCounters::new).collect(),
            panics: AtomicU64::default(),
            flush_failures: AtomicU64::default(),
            rebuild_failures: AtomicU64::default(),
            synchronisations: BySource::default(),
            deliveries: Default::default(),
        }
    }

    /// Counts a request. `route` is the index of its label in [`Metrics::new`], or their number for an unknown path.
    pub fn request(&self, route: usize, status: u16, elapsed_ns: u64) {
        let Some(counters) = self.routes.get(route) else { return };
        let slot = STATUSES.iter().position(|known| *known == status).unwrap_or(OTHER_STATUS);
        let elapsed_us = elapsed_ns / 1000;
        let bucket = BOUNDS_US.partition_point(|bound| *bound < elapsed_us);
        counters.by_status[slot].fetch_add(1, Ordering::Relaxed);
        counters.by_latency[bucket].fetch_add(1, Ordering::Relaxed);
        counters.total_us.fetch_add(elapsed_us, Ordering::Relaxed);
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

    pub fn render(&self, out: &mut Exposition) {
        self.render_requests(out);
        self.render_latencies(out);
        self.render_synchronisations(out);
        self.render_deliveries(out);
        let help = "Panics of requests and of background jobs, all caught.";
        out.counter("lastro_panics_total", help, load(&self.panics));
        let help = "Usage flushes that failed and are tried again.";
        out.counter("lastro_usage_flush_failures_total", help, load(&self.flush_failures));
        let help = "Catalog parts that could not be rebuilt.";
        out.counter("lastro_rebuild_failures_total", help, load(&self.rebuild_failures));
    }

    fn render_requests(&self, out: &mut Exposition) {
        let help = "Requests by route and status.";
        let mut family = out.family("lastro_requests_total", Kind::Counter, help);
        for RouteCounters { label, by_status, .. } in &self.routes {
            for (slot, count) in by_status.iter().map(load).enumerate().filter(|(_, count)| *count > 0) {
                let status = STATUSES.get(slot).map_or_else(|| "other".to_owned(), u16::to_string);
                family.sample(&[("route", label), ("status", &status)], count);
            }
        }
    }

    fn render_latencies(&self, out: &mut Exposition) {
        let help = "Time from the request's header to the answer.";
        let mut family = out.family("lastro_request_duration_seconds", Kind::Histogram, help);
        for RouteCounters { label, by_latency, total_us, .. } in &self.routes {
            let counts: Vec<u64> = by_latency.iter().map(load).collect();
            let total: u64 = counts.iter().sum();
            if total == 0 {
                continue;
            }
            let mut running = 0;
            for (bound, count) in BOUNDS_US.iter().zip(&counts) {
                running += count;
                family.part("_bucket", &[("route", label), ("le", &seconds(*bound))], running);
            }
            family.part("_bucket", &[("route", label), ("le", &"+Inf")], total);
            family.part("_sum", &[("route", label)], seconds(load(total_us)));
            family.part("_count", &[("route", label)], total);
        }
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
        let help = "Attempts to deliver, by what came of them.";
        let mut family = out.family("lastro_webhook_deliveries_total", Kind::Counter, help);
        for (outcome, count) in DELIVERY_OUTCOMES.iter().zip(&self.deliveries) {
            family.sample(&[("outcome", outcome)], load(count));
        }
    }
}

fn load(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

fn seconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1e6
}
