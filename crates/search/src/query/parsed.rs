//! A query as typed, and spellings of it.

use std::ops::Range;

use super::hits::Interpretation;
use crate::text::words::{last_raw_word, words_of};

/// A query as typed.
#[derive(Debug)]
pub struct ParsedQuery<'a> {
    /// The folded words.
    pub words: Vec<String>,
    /// The indexes of the words of each phrase in quotes.
    pub(super) quoted: Vec<Range<usize>>,
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
    /// Parses a query in which quotes are plain text.
    pub fn parse(text: &'a str) -> Self {
        Self { words: words_of(text), quoted: Vec::new(), last: last_raw_word(text) }
    }

    /// Parses a query in which text in balanced double quotes is a phrase. A quote without a second one is plain text.
    pub fn parse_quoted(text: &'a str) -> Self {
        let pairs = text.matches('"').count() / 2;
        if pairs == 0 {
            return Self::parse(text);
        }
        let (mut words, mut quoted) = (Vec::new(), Vec::new());
        for (number, piece) in text.splitn(2 * pairs + 1, '"').enumerate() {
            let start = words.len();
            words.extend(words_of(piece));
            if number % 2 == 1 && start < words.len() {
                quoted.push(start..words.len());
            }
        }
        Self { words, quoted, last: last_raw_word(text) }
    }

    /// Whether the last word may be a prefix. Letters joined by signs, as in `M&A`, are a whole word; so is the end of a
    /// phrase in quotes.
    pub fn is_prefix(&self) -> bool {
        self.joined_by_signs().is_none() && !self.ends_in_quotes()
    }

    fn ends_in_quotes(&self) -> bool {
        self.quoted.last().is_some_and(|quoted| quoted.end == self.words.len())
    }

    /// The words of the phrases in quotes.
    pub(super) fn quoted_words(&self) -> impl Iterator<Item = &String> {
        self.quoted.iter().flat_map(|quoted| self.words.get(quoted.clone()).unwrap_or_default())
    }

    /// A text with these words, phrases in quotes. With quotes every spelling has as many words as the query.
    pub(super) fn text(&self, words: &[String]) -> String {
        if self.quoted.is_empty() {
            return words.join(" ");
        }
        let mut text = words.to_vec();
        for quoted in &self.quoted {
            if let Some(first) = text.get_mut(quoted.start) {
                first.insert(0, '"');
            }
            if let Some(last) = text.get_mut(quoted.end - 1) {
                last.push('"');
            }
        }
        text.join(" ")
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
            (Some(joined), Some((_, others))) => self.text(&[others, &[joined.to_lowercase()]].concat()),
            _ => self.text(&words),
        };
        let corrected = (words != self.words).then(|| corrected().into());
        let interpretation = Interpretation { corrected, relaxed: false };
        Spelling { is_prefix: joined.is_none() && !self.ends_in_quotes(), interpretation, words }
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

    #[test]
    fn balanced_quotes_make_phrases() {
        for (text, quoted) in [
            ("\"fato relevante\" aurora", &["fato relevante"][..]),
            ("aurora \"fato relevante\"", &["fato relevante"]),
            ("\"a b\"c\"d\"", &["a b", "d"]),
            ("\"\" \" \" aurora", &[]),
            ("\"fato relevante", &[]),
            ("\"fato\" relevante \"aurora", &["fato"]),
            ("\"energia S. A\"", &["energia sa"]),
            ("'fato relevante' “aurora”", &[]),
        ] {
            let query = ParsedQuery::parse_quoted(text);
            let found: Vec<String> =
                query.quoted.iter().map(|words| query.words[words.clone()].join(" ")).collect();
            assert_eq!(found, quoted, "{text}");
        }
        assert!(!ParsedQuery::parse_quoted("ago \"aurora\"").is_prefix());
        assert!(ParsedQuery::parse_quoted("\"ago\" aurora").is_prefix());
        assert!(ParsedQuery::parse("ago \"aurora\"").is_prefix(), "as plain text");
    }
}
