//! The frame that all pages share: head, navigation bar, footer and language links.

use askama::Template;

use super::assets;
use super::drawing::{Name, ORIGIN_MARK};
use super::language::Language;
use super::site::Site;
use super::texts::Texts;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::head::Head;
use crate::http::request::query::Query;

/// The reader of a page: language, and the address used for the service.
#[derive(Debug, Clone)]
pub struct Reader {
    pub language: Language,
    /// Address of the service as this reader uses it.
    pub origin: String,
    /// Whether this request chose the language, which is then stored in a cookie.
    pub chose: bool,
}

impl Reader {
    pub fn of(question: &Question<'_>) -> Self {
        Self::new(question.site, question.head, &question.query)
    }

    pub fn new(site: &Site, head: Head<'_>, query: &Query<'_>) -> Self {
        let chose = matches!(Language::chosen(query), Ok(Some(_)));
        Self { language: Language::of(head, query), origin: site.origin(head), chose }
    }

    /// The same reader without a chosen language, so that no cookie is set.
    #[must_use]
    pub fn without_choice(self) -> Self {
        Self { chose: false, ..self }
    }

    /// Cache key of a page for this reader, independent of the address used for the service.
    pub fn name_of(&self, path: &str) -> Name {
        Name { path: path.to_owned(), language: self.language, by_choice: self.chose, origin: None }
    }
}

/// Data of the frame of one page.
#[derive(Debug)]
pub struct Frame {
    pub language: Language,
    pub t: &'static Texts,
    /// Path of the page with its parameters, without the language.
    pub path: String,
    /// Whether any source still is the built-in sample.
    pub sample: bool,
    /// Address of the service configured by the operator.
    public_url: Option<String>,
    /// Whether the address names the language.
    by_choice: bool,
    /// Whether this is an error page, which has no address of its own.
    is_nowhere: bool,
}

impl Frame {
    pub fn new(question: &Question<'_>, language: Language, path: impl Into<String>) -> Self {
        let sample = question.freshness.iter().any(|state| state.sample);
        let by_choice = matches!(Language::chosen(&question.query), Ok(Some(_)));
        Self { by_choice, ..Self::outside(question.site, language, path, sample) }
    }

    /// Frame for replies without a [`Question`]: an error, a submitted form.
    pub fn outside(site: &Site, language: Language, path: impl Into<String>, sample: bool) -> Self {
        let public_url = site.public_url().map(str::to_owned);
        Self {
            language,
            t: language.texts(),
            path: path.into(),
            sample,
            public_url,
            by_choice: false,
            is_nowhere: false,
        }
    }

    pub fn version(&self) -> &'static str {
        crate::VERSION
    }

    pub fn asset(&self, name: &str) -> &'static str {
        assets::path(name)
    }

    /// Frame of a page without an address of its own. Its language links lead to the front page.
    #[must_use]
    pub fn nowhere(self) -> Self {
        Self { is_nowhere: true, public_url: None, ..self }
    }

    /// Attribute that marks the link of the current section in the bar.
    pub fn current(&self, section: &str) -> &'static str {
        // Exchange rates belong to the series section.
        let path = if self.path.starts_with("/fx/") { "/series" } else { &*self.path };
        let rest = path.strip_prefix(section).filter(|_| !self.is_nowhere);
        let is_here = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        if is_here { " aria-current=\"page\"" } else { "" }
    }

    /// Path of this page in a language.
    pub fn in_language(&self, language: &Language) -> String {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{joint}lang={}", self.path, language.letters())
    }

    pub fn languages(&self) -> [Language; 2] {
        Language::ALL
    }

    /// Public address of this page in a language, if a public URL is configured.
    pub fn public_link(&self, language: &Language) -> Option<String> {
        Some(format!("{}{}", self.public_url.as_ref()?, self.in_language(language)))
    }

    /// Canonical public address of this page.
    pub fn canonical(&self) -> Option<String> {
        if self.by_choice { self.public_link(&self.language) } else { self.public_path() }
    }

    /// Public address of this page without a language.
    pub fn public_path(&self) -> Option<String> {
        Some(format!("{}{}", self.public_url.as_ref()?, self.path))
    }

    /// Placeholder for the service's address in examples. Replaced by the public URL, or else by the request's `Host`.
    pub fn origin(&self) -> &'static str {
        ORIGIN_MARK
    }

    /// Attribute that lets a script insert the browser's address, correct behind proxies. Empty with a public URL.
    pub fn origin_mark(&self) -> &'static str {
        if self.public_url.is_some() { "" } else { " data-origin" }
    }
}

/// Percent-encodes a text for use in an address.
pub fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Renders a template. A failure is an internal error.
pub fn draw(page: &impl Template) -> Result<String, ApiError> {
    page.render().map_err(|error| {
        tracing::error!(%error, "a page could not be rendered");
        ApiError::Internal
    })
}
