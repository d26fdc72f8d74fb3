//! Counters for the operator, in plain atomics: a request pays for a few additions and no look-up.
//!
//! The labels are route templates and the statuses we answer with, so their number is fixed.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use lastro_model::{BySource, Source};
use lastro_store::Fate;

use crate::http::routes::ROUTES;

/// Statuses that are counted by themselves; any other goes under the last.
const STATUSES: [u16; 14] = [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 413, 429, 500, 503];
const OTHER_STATUS: usize = STATUSES.len();

/// Upper bounds of the latency histogram, in microseconds.
const BOUNDS_US: [u64; 12] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000, 10_000_000];

#[derive(Debug, Default)]
struct RouteCounters {
    by_status: [AtomicU64; OTHER_STATUS + 1],
    by_latency: [AtomicU64; BOUNDS_US.len() + 1],
    total_us: AtomicU64,
}

#[derive(Debug)]
pub struct Metrics {
    /// One for each route, and a last one for paths that are none.
    routes: Box<[RouteCounters]>,
    pub panics: AtomicU64,
    pub flush_failures: AtomicU64,
    pub rebuild_failures: AtomicU64,
    /// By source, then by the words of [`SYNC_OUTCOMES`].
    synchronisations: BySource<[AtomicU64; SYNC_OUTCOMES.len()]>,
    /// By the words of [`DELIVERY_OUTCOMES`].
    deliveries: [AtomicU64; DELIVERY_OUTCOMES.len()],
}

/// How a synchronisation ends; every word but the first is a failure that leaves the last good edition in service.
const SYNC_OUTCOMES: [&str; 6] = ["ok", "unreachable", "not_data", "refused", "partly", "internal"];

/// What an attempt to deliver a message leads to.
const DELIVERY_OUTCOMES: [&str; 3] = ["delivered", "retried", "given_up"];

impl Default for Metrics {
    fn default() -> Self {
        let routes = (0..=ROUTES.len()).map(|_| RouteCounters::default()).collect();
        let zero = || AtomicU64::new(0);
        Self {
            routes,
            panics: zero(),
            flush_failures: zero(),
            rebuild_failures: zero(),
            synchronisations: Default::default(),
            deliveries: Default::default(),
        }
    }
}

impl Metrics {
    /// `route` is an index into [`ROUTES`], or its length for an unknown path.
    pub fn request(&self, route: usize, status: u16, elapsed_ns: u64) {
        let Some(counters) = self.routes.get(route) else { return };
        let slot = STATUSES.iter().position(|known| *known == status).unwrap_or(OTHER_STATUS);
        let elapsed_us = elapsed_ns / 1000;
        let bucket = BOUNDS_US.partition_point(|bound| *bound < elapsed_us);
        counters.by_status[slot].fetch_add(1, Ordering::Relaxed);
        counters.by_latency[bucket].fetch_add(1, Ordering::Relaxed);
        counters.total_us.fetch_add(elapsed_us, Ordering::Relaxed);
    }

    /// `outcome` is one of [`SYNC_OUTCOMES`].
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

    fn render_deliveries(&self, out: &mut String) {
        out.push_str("# HELP lastro_webhook_deliveries_total Attempts to deliver, by what came of them.\n# TYPE lastro_webhook_deliveries_total counter\n");
        for (outcome, count) in DELIVERY_OUTCOMES.iter().zip(&self.deliveries) {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(out, "lastro_webhook_deliveries_total{{outcome=\"{outcome}\"}} {count}");
        }
    }

    fn render_synchronisations(&self, out: &mut String) {
        out.push_str("# HELP lastro_synchronisations_total Synchronisations by source and outcome.\n# TYPE lastro_synchronisations_total counter\n");
        for (source, counts) in self.synchronisations.iter() {
            for (outcome, count) in SYNC_OUTCOMES.iter().zip(counts) {
                let count = count.load(Ordering::Relaxed);
                let _ = writeln!(
                    out,
                    "lastro_synchronisations_total{{source=\"{source}\",outcome=\"{outcome}\"}} {count}"
                );
            }
        }
    }

    /// The request metrics in the Prometheus text format.
    pub fn render(&self, out: &mut String) {
        self.render_requests(out);
        self.render_latencies(out);
        self.render_synchronisations(out);
        self.render_deliveries(out);
        let mut plain = |name: &str, kind: &str, help: &str, value: &AtomicU64| {
            gauge(out, name, kind, help, value.load(Ordering::Relaxed));
        };
        plain(
            "lastro_panics_total",
            "counter",
            "Panics of requests and of background jobs, all caught.",
            &self.panics,
        );
        plain(
            "lastro_usage_flush_failures_total",
            "counter",
            "Usage flushes that failed and are tried again.",
            &self.flush_failures,
        );
        plain(
            "lastro_rebuild_failures_total",
            "counter",
            "Catalog parts that could not be rebuilt.",
            &self.rebuild_failures,
        );
    }

    fn render_requests(&self, out: &mut String) {
        out.push_str("# HELP lastro_requests_total Requests by route and status.\n# TYPE lastro_requests_total counter\n");
        for (counters, endpoint) in self.routes.iter().zip(endpoint_labels()) {
            for (slot, count) in counters.by_status.iter().enumerate() {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let status =
                        if slot == OTHER_STATUS { "other".to_owned() } else { STATUSES[slot].to_string() };
                    let _ = writeln!(
                        out,
                        "lastro_requests_total{{route=\"{endpoint}\",status=\"{status}\"}} {count}"
                    );
                }
            }
        }
    }

    fn render_latencies(&self, out: &mut String) {
        const NAME: &str = "lastro_request_duration_seconds";
        let _ = writeln!(
            out,
            "# HELP {NAME} Time from the request's header to the answer.\n# TYPE {NAME} histogram"
        );
        for (counters, endpoint) in self.routes.iter().zip(endpoint_labels()) {
            let counts: Vec<u64> =
                counters.by_latency.iter().map(|count| count.load(Ordering::Relaxed)).collect();
            let total: u64 = counts.iter().sum();
            if total == 0 {
                continue;
            }
            let mut running = 0;
            for (bound, count) in BOUNDS_US.iter().zip(&counts) {
                running += count;
                let seconds = *bound as f64 / 1e6;
                let _ = writeln!(out, "{NAME}_bucket{{route=\"{endpoint}\",le=\"{seconds}\"}} {running}");
            }
            let sum = counters.total_us.load(Ordering::Relaxed) as f64 / 1e6;
            let _ = writeln!(out, "{NAME}_bucket{{route=\"{endpoint}\",le=\"+Inf\"}} {total}");
            let _ = writeln!(
                out,
                "{NAME}_sum{{route=\"{endpoint}\"}} {sum}\n{NAME}_count{{route=\"{endpoint}\"}} {total}"
            );
        }
    }
}

/// Writes one value without labels.
pub fn gauge(out: &mut String, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
}

fn endpoint_labels() -> impl Iterator<Item = &'static str> {
    ROUTES.iter().map(|route| route.endpoint).chain(["unknown"])
}
