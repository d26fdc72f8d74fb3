//! A query as typed, and spellings of it.

use super::hits::Interpretation;
use crate::text::words::{last_raw_word, words_of};

/// A query as typed.
#[derive(Debug)]
pub struct ParsedQuery<'a> {
    /// The folded words.
    pub words: Vec<String>,
    /// The last word as typed.
    last: &'a str,
}

/// A query as it may have been meant.
#[derive(Debug)]
pub struct Spelling {
    pub words: Vec<String>,
    /// Whether the last word may be a prefix.
    pub is_prefix: bool,
    pub interpretation: Interpretation,
}

impl Spelling {
    pub(super) fn is_corrected(&self) -> bool {
        self.interpretation.corrected.is_some()
    }
}

impl<'a> ParsedQuery<'a> {
    pub fn parse(text: &'a str) -> Self {
        Self { words: words_of(text), last: last_raw_word(text) }
    }

    /// Whether the last word may be a prefix. Letters joined by signs, as in `M&A`, are a whole word.
    pub fn is_prefix(&self) -> bool {
        self.joined_by_signs().is_none()
    }

    /// The last word as typed, if signs join its letters.
    pub(super) fn joined_by_signs(&self) -> Option<&'a str> {
        self.last.contains(['.', '/', '&', '-']).then_some(self.last)
    }

    /// The last word as typed, if signs join its letters and it is the last of these words.
    fn joined_by_signs_in(&self, words: &[String]) -> Option<&'a str> {
        self.joined_by_signs().filter(|raw| words.last().is_some_and(|last| words_of(raw) == [&**last]))
    }

    /// Whether the last of these words, another spelling of the query, may be a prefix.
    pub(super) fn is_prefix_in(&self, words: &[String]) -> bool {
        self.joined_by_signs_in(words).is_none()
    }

    /// A spelling of this query. Letters joined by signs at the end keep their signs in the corrected text: without
    /// them, searching for that text would treat them as a prefix.
    pub(super) fn spelling(&self, words: Vec<String>) -> Spelling {
        let joined = self.joined_by_signs_in(&words);
        let corrected = || match (joined, words.split_last()) {
            (Some(joined), Some((_, others))) => [others, &[joined.to_lowercase()]].concat().join(" "),
            _ => words.join(" "),
        };
        let corrected = (words != self.words).then(|| corrected().into());
        let interpretation = Interpretation { corrected, relaxed: false };
        Spelling { is_prefix: joined.is_none(), interpretation, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_joined_by_signs_are_no_prefix() {
        let is_prefix = |text| ParsedQuery::parse(text).is_prefix();
        assert!(is_prefix("c&a mod") && is_prefix("ago") && is_prefix("rede d'o"));
        assert!(!is_prefix("M&A") && !is_prefix("Aurora S.A."));
    }
}
