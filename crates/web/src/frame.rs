//! The frame that all pages share: head, navigation bar, footer and language links.

use askama::Template;

use crate::assets;
use crate::data::Data;
use crate::language::Language;
use crate::page::Reader;
use crate::texts::Texts;

/// Placeholder for the address of the service in a rendered page, since readers may use different ones.
pub const ORIGIN_MARK: &str = "\u{e000}";

/// Data of the frame of one page.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) language: Language,
    pub(crate) t: &'static Texts,
    /// Path of the page with its parameters, without the language.
    pub(crate) path: String,
    /// Whether any source still is the built-in sample.
    pub(crate) sample: bool,
    /// Address of the service configured by the operator.
    public_url: Option<String>,
    /// Whether the address names the language.
    by_choice: bool,
    /// Whether this is an error page, which has no address of its own.
    is_nowhere: bool,
}

/// Links of the head.
#[derive(Debug, Template)]
#[template(path = "links.html")]
pub(crate) struct Links<'a> {
    frame: &'a Frame,
}

/// Banner of the sample, and the navigation bar.
#[derive(Debug, Template)]
#[template(path = "bar.html")]
pub(crate) struct Bar<'a> {
    frame: &'a Frame,
}

/// The footer.
#[derive(Debug, Template)]
#[template(path = "foot.html")]
pub(crate) struct Foot<'a> {
    frame: &'a Frame,
}

impl Frame {
    pub(crate) fn new(data: &Data<'_>, reader: Reader, path: impl Into<String>) -> Self {
        Self {
            language: reader.language,
            t: reader.language.texts(),
            path: path.into(),
            sample: data.has_sample(),
            public_url: data.public_url.map(str::to_owned),
            by_choice: reader.by_choice,
            is_nowhere: false,
        }
    }

    pub(crate) fn links(&self) -> Links<'_> {
        Links { frame: self }
    }

    pub(crate) fn bar(&self) -> Bar<'_> {
        Bar { frame: self }
    }

    pub(crate) fn foot(&self) -> Foot<'_> {
        Foot { frame: self }
    }

    pub(crate) fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    pub(crate) fn asset(&self, name: &str) -> &'static str {
        assets::path(name)
    }

    /// Frame of a page without an address of its own. Its language links lead to the front page.
    #[must_use]
    pub(crate) fn nowhere(self) -> Self {
        Self { is_nowhere: true, public_url: None, ..self }
    }

    /// Attribute that marks the link of the current section in the bar.
    pub(crate) fn current(&self, section: &str) -> &'static str {
        // Exchange rates belong to the series section.
        let path = if self.path.starts_with("/fx/") { "/series" } else { &*self.path };
        let rest = path.strip_prefix(section).filter(|_| !self.is_nowhere);
        let is_here = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        if is_here { " aria-current=\"page\"" } else { "" }
    }

    /// Path of this page in a language.
    pub(crate) fn in_language(&self, language: &Language) -> String {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{joint}lang={}", self.path, language.letters())
    }

    pub(crate) fn languages(&self) -> [Language; 2] {
        Language::ALL
    }

    /// Public address of this page in a language, if a public URL is configured.
    pub(crate) fn public_link(&self, language: &Language) -> Option<String> {
        Some(format!("{}{}", self.public_url.as_ref()?, self.in_language(language)))
    }

    /// Canonical public address of this page.
    pub(crate) fn canonical(&self) -> Option<String> {
        if self.by_choice { self.public_link(&self.language) } else { self.public_path() }
    }

    /// Public address of this page without a language.
    pub(crate) fn public_path(&self) -> Option<String> {
        Some(format!("{}{}", self.public_url.as_ref()?, self.path))
    }

    /// Placeholder for the service's address in examples. Replaced by the public URL, or else by the request's `Host`.
    pub(crate) fn origin(&self) -> &'static str {
        ORIGIN_MARK
    }

    /// Attribute that lets a script insert the browser's address, correct behind proxies. Empty with a public URL.
    pub(crate) fn origin_mark(&self) -> &'static str {
        if self.public_url.is_some() { "" } else { " data-origin" }
    }
}

/// Percent-encodes a text for use in an address.
pub(crate) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
