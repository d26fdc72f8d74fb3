//! The reader's language: named in the query, else in the cookie, else preferred by the browser.

use lastro_web::{Data, Language, Reader};

use crate::http::handler::Question;
use crate::http::request::head::Head;
use crate::http::request::query::Query;

/// Cookie that stores a chosen language. It holds two letters and no personal data.
pub(super) const COOKIE: &str = "lang";

pub(super) fn of(head: Head<'_>, query: &Query<'_>) -> Reader {
    let chosen = query.get("lang").ok().flatten().and_then(Language::parse);
    let stored = || head.cookie(COOKIE).and_then(Language::parse);
    let language = chosen.or_else(stored).unwrap_or_else(|| preferred(head));
    Reader { language, by_choice: chosen.is_some() }
}

/// Language of the browser's settings. Defaults to English, like the API.
fn preferred(head: Head<'_>) -> Language {
    let [portuguese, english] = ["pt", "en"].map(|letters| head.likes_language(letters));
    if portuguese > english { Language::Portuguese } else { Language::English }
}

impl<'a> Question<'a> {
    pub(super) fn reader(&self) -> Reader {
        of(self.head, &self.query)
    }

    /// The data that a page shows.
    pub(super) fn data(&self) -> Data<'a> {
        let Self { catalog, freshness, now, site, .. } = *self;
        Data { catalog, freshness, now, public_url: site.public_url() }
    }
}
