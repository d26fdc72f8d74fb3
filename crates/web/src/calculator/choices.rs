//! The choices of the forms: kinds of calculation as tabs, and price indices.

use lastro_calc::is_price_index;
use lastro_model::{About, Series};

use super::kind::Kind;
use crate::language::Language;
use crate::words;

pub(super) struct Tab {
    pub(super) href: String,
    pub(super) name: &'static str,
    pub(super) current: bool,
}

pub(super) struct Choice {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) selected: bool,
}

pub(super) fn tabs(kind: Kind, language: Language) -> Vec<Tab> {
    let tab = |other: Kind| Tab { href: other.path(), name: other.name(language), current: other == kind };
    Kind::ALL.into_iter().map(tab).collect()
}

/// The price indices, for a list to choose from.
pub(super) fn indices(selected: &str, language: Language) -> Vec<Choice> {
    let indices = Series::ALL.into_iter().map(Series::about).filter(|about| is_price_index(about));
    let choice = |about: &'static About| Choice {
        id: about.id,
        name: words::name(about, language),
        selected: about.id == selected,
    };
    indices.map(choice).collect()
}

/// The abbreviation by which people know an index.
pub(super) fn short_name(index: &'static About, language: Language) -> &'static str {
    match language {
        Language::English => index.label,
        Language::Portuguese => words::name(index, language).split(':').next().unwrap_or(index.label),
    }
}
