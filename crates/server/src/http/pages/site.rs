//! What the pages know of the service they belong to, and the pages that were drawn already.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use lastro_access::PageWork;

use super::drawing::Drawings;
use crate::config::PageSettings;
use crate::error::ApiError;
use crate::http::request::head::Head;
use crate::metrics::prometheus::{Exposition, Kind};

/// Twice what all pages of the service weigh, in both languages: none of them is ever pushed out.
const OWN_BYTES: usize = 32 << 20;
/// A few hundred of what can be made of them.
const COMBINED_BYTES: usize = 16 << 20;

pub struct Site {
    pub settings: PageSettings,
    /// Whether TLS is spoken here.
    secure: bool,
    /// The pages of the service, of which there are as many as there are series and texts.
    pub own: Drawings,
    /// Pages that combine those, in endless number: comparisons, charts, and pages by whatever name we are called.
    pub combined: Drawings,
    /// The work of drawing the latter, by address.
    pub work: PageWork,
    drawn: AtomicU64,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Site {
    /// At most `capacity` addresses are told apart.
    pub fn new(settings: PageSettings, secure: bool, capacity: usize) -> Self {
        Self {
            settings,
            secure,
            own: Drawings::new(OWN_BYTES),
            combined: Drawings::new(COMBINED_BYTES),
            work: PageWork::new(capacity),
            drawn: AtomicU64::default(),
        }
    }

    /// What the service is called by this reader: as the operator says, or as the request does, which was checked to name a host
    /// and nothing else.
    pub fn origin(&self, head: Head<'_>) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        let named = || format!("{scheme}://{}", head.host().unwrap_or("localhost"));
        self.public_url().map_or_else(named, str::to_owned)
    }

    pub fn public_url(&self) -> Option<&str> {
        self.settings.public_url.as_ref().map(crate::config::PublicUrl::as_str)
    }

    /// Draws a page, and counts it.
    pub fn draw<T>(&self, draw: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
        self.drawn.fetch_add(1, Ordering::Relaxed);
        draw()
    }

    pub fn render(&self, out: &mut Exposition) {
        let help = "Pages that were drawn because they were not at hand.";
        out.counter("lastro_pages_drawn_total", help, self.drawn.load(Ordering::Relaxed));
        let help = "What is kept of drawn pages, with room for their compressed forms.";
        let mut family = out.family("lastro_pages_kept_bytes", Kind::Gauge, help);
        family.sample(&[("pages", &"own")], self.own.bytes());
        family.sample(&[("pages", &"combined")], self.combined.bytes());
    }
}
