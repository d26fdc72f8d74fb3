//! What was typed, and what its words name: filings bear the code of their company, and not all that it is called.

use std::ops::Range;

use super::TextIndex;
use super::analyzer::LastWord;
use super::query::SearchQuery;
use super::spelling::Spelling;

/// Words of a text that name something, and the codes that its rows have.
pub(crate) struct NamedWords {
    pub(crate) words: Range<usize>,
    pub(crate) codes: Vec<String>,
}

/// Who knows what words name.
pub(crate) trait Names {
    /// Another one for whoever knows other names.
    fn number(&self) -> u64;

    fn named_in(&self, words: &[String]) -> Vec<NamedWords>;
}

/// Knows no names.
pub(super) struct Nobody;

impl Names for Nobody {
    fn number(&self) -> u64 {
        0
    }

    fn named_in(&self, _: &[String]) -> Vec<NamedWords> {
        Vec::new()
    }
}

/// What was typed.
pub(super) struct Typed<'a> {
    pub words: &'a [String],
    pub last: LastWord<'a>,
    pub names: &'a dyn Names,
    /// What they name.
    pub named: Vec<NamedWords>,
}

impl Typed<'_> {
    /// Whether a word is part of a name, so that it is not mistyped.
    pub(super) fn is_name(&self, word: &str) -> bool {
        let mut named =
            self.named.iter().flat_map(|name| self.words.get(name.words.clone()).unwrap_or_default());
        named.any(|other| other == word)
    }

    /// The words as they may have been meant, and what they name then.
    pub(super) fn query<'i>(&self, spelling: &Spelling, index: &'i TextIndex) -> SearchQuery<'i> {
        let is_open = spelling.is_open(&self.last);
        if spelling.words == self.words {
            return SearchQuery::naming(self.words, is_open, &self.named, index);
        }
        let named = self.names.named_in(&spelling.words);
        SearchQuery::naming(&spelling.words, is_open, &named, index)
    }
}
