//! The two languages of the pages.

use lastro_access::Text;

use crate::texts::{Texts, en, pt};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    Portuguese,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::Portuguese, Self::English];

    /// Code used in `?lang=` and the cookie.
    pub const fn letters(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
        }
    }

    /// Tag used in HTML and `Content-Language`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt-BR",
        }
    }

    /// A sentence of the plan table.
    pub(crate) const fn of(self, text: Text) -> &'static str {
        match self {
            Self::English => text.en,
            Self::Portuguese => text.pt,
        }
    }

    /// Name in the language itself.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Portuguese => "Português",
        }
    }

    pub(crate) const fn texts(self) -> &'static Texts {
        match self {
            Self::English => &en::TEXTS,
            Self::Portuguese => &pt::TEXTS,
        }
    }

    /// Parses the letters or the tag, ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        let is_it = |language: &Self| {
            [language.letters(), language.tag()].iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        Self::ALL.into_iter().find(is_it)
    }
}
