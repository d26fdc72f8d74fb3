//! What the pages know of the service they belong to, and the pages that were drawn already.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use parking_lot::Mutex;

use super::language::Language;
use crate::config::PageSettings;
use crate::error::ApiError;
use crate::http::request::head::Head;
use crate::http::response::reply::digest_of;

/// Stands in a drawn page where the address of the service belongs: one drawing serves every name we are called by.
pub const ORIGIN_MARK: &str = "\u{e000}";

pub struct Site {
    pub settings: PageSettings,
    /// Whether TLS is spoken here.
    secure: bool,
    /// One drawing for each page in each language, by choice or not: there are as many as there are pages.
    drawn: Mutex<HashMap<(PageName, Spoken), Drawing>>,
}

/// Names a page: its kind, and which of that kind.
pub type PageName = (&'static str, usize);

/// The language of a page, and whether the address names it: it is another address then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spoken {
    pub language: Language,
    pub by_choice: bool,
}

/// A page as it was drawn last.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// What it was drawn from.
    state: u64,
    pub html: Bytes,
    /// Of all its bytes.
    pub digest: u64,
    /// Whether our address is part of it.
    pub names_us: bool,
}

impl Drawing {
    pub fn new(state: u64, html: String) -> Self {
        let (digest, names_us) = (digest_of(html.as_bytes()), html.contains(ORIGIN_MARK));
        Self { state, digest, names_us, html: html.into() }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Site {
    pub fn new(settings: PageSettings, secure: bool) -> Self {
        Self { settings, secure, drawn: Mutex::default() }
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

    /// The page as it was drawn from this state, or drawn now.
    pub fn drawing(
        &self,
        name: PageName,
        spoken: Spoken,
        state: u64,
        draw: impl FnOnce() -> Result<String, ApiError>,
    ) -> Result<Drawing, ApiError> {
        let key = (name, spoken);
        if let Some(drawing) = self.drawn.lock().get(&key).filter(|drawing| drawing.state == state) {
            return Ok(drawing.clone());
        }
        let drawing = Drawing::new(state, draw()?);
        self.drawn.lock().insert(key, drawing.clone());
        Ok(drawing)
    }
}
