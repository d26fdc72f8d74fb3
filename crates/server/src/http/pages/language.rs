//! The two languages of the pages, and which of them a reader gets.

use super::texts::{Texts, en, pt};
use crate::error::ApiError;
use crate::http::request::head::Head;
use crate::http::request::query::Query;

/// The cookie that keeps a choice. It holds two letters and nothing about anybody.
pub const COOKIE: &str = "lang";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    Portuguese,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::Portuguese, Self::English];

    /// As `?lang=` and the cookie call it.
    pub const fn letters(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
        }
    }

    /// As HTML and `Content-Language` call it.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt-BR",
        }
    }

    /// What its readers call it.
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

    /// By its letters or its tag, in either case.
    fn parse(text: &str) -> Option<Self> {
        let is_it = |language: &Self| {
            [language.letters(), language.tag()].iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        Self::ALL.into_iter().find(is_it)
    }

    /// What was chosen now, or before, or what the browser is set to. Whoever says nothing reads English, as the API does.
    pub fn of(head: Head<'_>, query: &Query<'_>) -> Self {
        let chosen = Self::chosen(query).ok().flatten();
        chosen.or_else(|| head.cookie(COOKIE).and_then(Self::parse)).unwrap_or_else(|| Self::liked(head))
    }

    fn liked(head: Head<'_>) -> Self {
        let [portuguese, english] = ["pt", "en"].map(|letters| head.likes_language(letters));
        if portuguese > english { Self::Portuguese } else { Self::English }
    }

    /// What the address says, if it says anything that we know.
    pub fn chosen(query: &Query<'_>) -> Result<Option<Self>, ApiError> {
        Ok(query.get("lang")?.and_then(Self::parse))
    }
}
