//! The frame that all pages share: the head, the bar, the foot, the languages.

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

/// The reader of a page: which language, at which of our names.
#[derive(Debug, Clone)]
pub struct Reader {
    pub language: Language,
    /// What the service is called by this reader.
    pub origin: String,
    /// Whether the language was chosen by this very request, and is to be remembered.
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

    /// The same reader, who has chosen no language: nothing is to be remembered.
    #[must_use]
    pub fn without_choice(self) -> Self {
        Self { chose: false, ..self }
    }

    /// The name of a page as this reader sees it, whatever it calls the service.
    pub fn name_of(&self, path: &str) -> Name {
        Name { path: path.to_owned(), language: self.language, by_choice: self.chose, origin: None }
    }
}

/// What the frame of one page is drawn from.
#[derive(Debug)]
pub struct Frame {
    pub language: Language,
    pub t: &'static Texts,
    /// The path of the page, and the parameters that belong to it, without the language.
    pub path: String,
    /// Whether some source still is the built-in sample.
    pub sample: bool,
    /// What the operator calls the service.
    public_url: Option<String>,
    /// Whether the address names the language.
    by_choice: bool,
    /// Whether this is no page of ours but a failure.
    is_nowhere: bool,
}

impl Frame {
    pub fn new(question: &Question<'_>, language: Language, path: impl Into<String>) -> Self {
        let sample = question.freshness.iter().any(|state| state.sample);
        let by_choice = matches!(Language::chosen(&question.query), Ok(Some(_)));
        Self { by_choice, ..Self::outside(question.site, language, path, sample) }
    }

    /// Where there is no question: an error, a form that was sent.
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

    /// The frame of what cannot be opened again: it is at no address, though the language can be switched on the front page.
    #[must_use]
    pub fn nowhere(self) -> Self {
        Self { is_nowhere: true, public_url: None, ..self }
    }

    /// Marks the link in the bar that leads to where the reader is.
    pub fn current(&self, section: &str) -> &'static str {
        // Exchange rates stand among the series.
        let path = if self.path.starts_with("/fx/") { "/series" } else { &*self.path };
        let rest = path.strip_prefix(section).filter(|_| !self.is_nowhere);
        let is_here = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        if is_here { " aria-current=\"page\"" } else { "" }
    }

    /// The same page in a language.
    pub fn in_language(&self, language: &Language) -> String {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{joint}lang={}", self.path, language.letters())
    }

    pub fn languages(&self) -> [Language; 2] {
        Language::ALL
    }

    /// The address of the page in a language, from outside, if the operator says what we are called.
    pub fn public_link(&self, language: &Language) -> Option<String> {
        Some(format!("{}{}", self.public_url.as_ref()?, self.in_language(language)))
    }

    /// The address of this very page.
    pub fn canonical(&self) -> Option<String> {
        if self.by_choice { self.public_link(&self.language) } else { self.public_path() }
    }

    /// The address of the page for whoever has chosen no language.
    pub fn public_path(&self) -> Option<String> {
        Some(format!("{}{}", self.public_url.as_ref()?, self.path))
    }

    /// Where examples stand, the service is called what the operator calls it, or else what the reader does.
    pub fn origin(&self) -> &'static str {
        ORIGIN_MARK
    }

    /// Lets a script put the browser's address there, which knows of proxies, unless the operator has said what it is.
    pub fn origin_mark(&self) -> &'static str {
        if self.public_url.is_some() { "" } else { " data-origin" }
    }
}

/// A text as part of an address.
pub fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// The page in text; a template that fails is our own fault.
pub fn draw(page: &impl Template) -> Result<String, ApiError> {
    page.render().map_err(|error| {
        tracing::error!(%error, "a page could not be rendered");
        ApiError::Internal
    })
}
