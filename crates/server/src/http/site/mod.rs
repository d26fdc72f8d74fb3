//! Settings of the service that pages need, and the caches of rendered pages.

pub mod drawing;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lastro_access::{CalculationCodes, PageWork};
use lastro_background::metrics::prometheus::{Exposition, Kind};
use lastro_config::PageSettings;

use crate::error::ApiError;
use crate::http::request::head::Head;
use drawing::Drawings;

/// Twice the weight of all pages of the service in both languages, so that none is ever evicted.
const OWN_BYTES: usize = 32 << 20;
/// Room for a few hundred combined pages.
const COMBINED_BYTES: usize = 16 << 20;

pub struct Site {
    pub settings: PageSettings,
    /// Whether this server terminates TLS.
    secure: bool,
    /// Pages of the service. Their number is bounded by the series and texts.
    pub own: Drawings,
    /// Combinations of those, unbounded in number: comparisons, charts, and pages that contain the request's `Host`.
    pub combined: Drawings,
    /// Work of rendering the latter, by client address.
    pub work: Arc<PageWork>,
    pub calculation_codes: CalculationCodes,
    drawn: AtomicU64,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Site {
    pub fn new(
        settings: PageSettings,
        secure: bool,
        work: Arc<PageWork>,
        calculation_codes: CalculationCodes,
    ) -> Self {
        Self {
            settings,
            secure,
            own: Drawings::new(OWN_BYTES),
            combined: Drawings::new(COMBINED_BYTES),
            work,
            calculation_codes,
            drawn: AtomicU64::default(),
        }
    }

    /// Address of the service for this reader: the public URL, or else the `Host` of the request, which was checked to
    /// contain a host and nothing else.
    pub fn origin(&self, head: Head<'_>) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        let named = || format!("{scheme}://{}", head.host().unwrap_or("localhost"));
        self.public_url().map_or_else(named, str::to_owned)
    }

    pub fn public_url(&self) -> Option<&str> {
        self.settings.public_url.as_ref().map(lastro_config::PublicUrl::as_str)
    }

    /// Renders a page and counts it.
    pub fn draw<T>(&self, draw: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
        self.drawn.fetch_add(1, Ordering::Relaxed);
        draw()
    }

    pub fn render(&self, out: &mut Exposition) {
        let help = "Pages that were drawn because they were not cached.";
        out.counter("lastro_pages_drawn_total", help, self.drawn.load(Ordering::Relaxed));
        let help = "Memory of cached pages, with room for their compressed forms.";
        let mut family = out.family("lastro_pages_kept_bytes", Kind::Gauge, help);
        family.sample(&[("pages", &"own")], self.own.bytes());
        family.sample(&[("pages", &"combined")], self.combined.bytes());
    }
}
