//! The two languages of the pages, and the choice between them for a reader.

use super::texts::{Texts, en, pt};
use crate::error::ApiError;
use crate::http::request::head::Head;
use crate::http::request::query::Query;

/// Cookie that stores a chosen language. It holds two letters and no personal data.
pub const COOKIE: &str = "lang";

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

    /// Name in the language itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Portuguese => "Português",
        }
    }

    pub const fn texts(self) -> &'static Texts {
        match self {
            Self::English => &en::TEXTS,
            Self::Portuguese => &pt::TEXTS,
        }
    }

    /// Parses the letters or the tag, ignoring case.
    fn parse(text: &str) -> Option<Self> {
        let is_it = |language: &Self| {
            [language.letters(), language.tag()].iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        Self::ALL.into_iter().find(is_it)
    }

    /// Language of the query, else of the cookie, else of the browser's settings. Defaults to English, like the API.
    pub fn of(head: Head<'_>, query: &Query<'_>) -> Self {
        let chosen = Self::chosen(query).ok().flatten();
        chosen.or_else(|| head.cookie(COOKIE).and_then(Self::parse)).unwrap_or_else(|| Self::liked(head))
    }

    fn liked(head: Head<'_>) -> Self {
        let [portuguese, english] = ["pt", "en"].map(|letters| head.likes_language(letters));
        if portuguese > english { Self::Portuguese } else { Self::English }
    }

    /// Language named in the query, if it is one of ours.
    pub fn chosen(query: &Query<'_>) -> Result<Option<Self>, ApiError> {
        Ok(query.get("lang")?.and_then(Self::parse))
    }
}
