//! Requests and their latencies, by route and by class of routes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use lastro_model::{Distribution, Histogram};

use super::load;
use super::prometheus::{Exposition, Kind};

/// Statuses with a counter of their own. All others share one at [`OTHER_STATUS`].
const STATUSES: [u16; 14] = [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 413, 429, 500, 503];
const OTHER_STATUS: usize = STATUSES.len();

/// Classes of statuses, each with a histogram of its own.
const STATUS_CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// The label and the class of unknown paths.
const UNKNOWN: (&str, &str) = ("unknown", "unknown");

/// The counters of one route, apart from those of the others: two threads that answer different routes share no cache
/// line.
#[derive(Debug)]
#[repr(align(128))]
struct RouteCounters {
    label: &'static str,
    class: &'static str,
    by_status: [AtomicU64; OTHER_STATUS + 1],
    /// One for each of [`STATUS_CLASSES`].
    latencies: [Histogram; STATUS_CLASSES.len()],
}

#[derive(Debug)]
pub struct Requests {
    /// One for each route, and a last one for unknown paths.
    routes: Box<[RouteCounters]>,
}

impl Requests {
    /// Creates the counters of routes, by label and class. [`Requests::count`] takes an index into them.
    pub fn new(routes: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        let new = |(label, class)| RouteCounters {
            label,
            class,
            by_status: Default::default(),
            latencies: Default::default(),
        };
        Self { routes: routes.into_iter().chain([UNKNOWN]).map(new).collect() }
    }

    /// Counts a request. `route` is the index of its label in [`Requests::new`], or their number for an unknown path.
    pub fn count(&self, route: usize, status: u16, elapsed_ns: u64) {
        let Some(counters) = self.routes.get(route) else { return };
        let slot = STATUSES.iter().position(|known| *known == status).unwrap_or(OTHER_STATUS);
        counters.by_status[slot].fetch_add(1, Ordering::Relaxed);
        let class = usize::from(status / 100).clamp(2, STATUS_CLASSES.len() + 1) - 2;
        counters.latencies[class].record_ns(elapsed_ns);
    }

    pub fn render(&self, out: &mut Exposition) {
        let help = "Requests by route and status.";
        let mut family = out.family("lastro_requests_total", Kind::Counter, help);
        for RouteCounters { label, by_status, .. } in &self.routes {
            for (slot, count) in by_status.iter().map(load).enumerate().filter(|(_, count)| *count > 0) {
                let status = STATUSES.get(slot).map_or_else(|| "other".to_owned(), u16::to_string);
                family.sample(&[("route", label), ("status", &status)], count);
            }
        }
        self.render_by_route(out);
        self.render_by_class(out);
    }

    fn render_by_route(&self, out: &mut Exposition) {
        let help = "Time from the request's header to the answer, by route.";
        let mut family = out.family("lastro_request_duration_seconds", Kind::Histogram, help);
        for RouteCounters { label, latencies, .. } in &self.routes {
            let mut all = Distribution::default();
            latencies.iter().for_each(|latencies| all += latencies.read());
            if all.count() > 0 {
                family.histogram(&[("route", label)], &all);
            }
        }
    }

    fn render_by_class(&self, out: &mut Exposition) {
        let mut classes = BTreeMap::<_, Distribution>::new();
        for RouteCounters { class, latencies, .. } in &self.routes {
            for (status, latencies) in STATUS_CLASSES.iter().zip(latencies) {
                *classes.entry((class, status)).or_default() += latencies.read();
            }
        }
        let help = "Time from the request's header to the answer, by class of routes and of statuses.";
        let mut family = out.family("lastro_http_request_duration_seconds", Kind::Histogram, help);
        for ((class, status), latencies) in &classes {
            family.histogram(&[("class", class), ("status", status)], latencies);
        }
    }
}
