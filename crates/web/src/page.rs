//! A page and its reader.

use std::borrow::Cow;

use crate::data::Data;
use crate::language::Language;

/// A page of the service, with its parameters.
pub trait Page {
    /// Path with only those parameters that the page depends on.
    fn path(&self) -> Cow<'static, str>;

    /// State of the data that the page shows. A cached page stays valid while it is unchanged.
    fn state(&self, data: &Data<'_>) -> u64 {
        data.sample_state()
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered;
}

/// HTML, or the failure of a template.
pub type Rendered = Result<String, askama::Error>;

/// The reader of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reader {
    pub language: Language,
    /// Whether the address names the language, which makes it a different address.
    pub by_choice: bool,
}

impl Reader {
    /// The same reader, as if the language came from the browser's settings.
    #[must_use]
    pub const fn without_choice(self) -> Self {
        Self { by_choice: false, ..self }
    }
}
