//! The words of an index in alphabetical order, and which of them are forms of one another. A query for a word asks for
//! all its forms.

use std::ops::Range;

use crate::text::label::is_whole_label;
use crate::text::spelling::Signature;
use crate::text::{base_form, is_stop_word};

#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// All words, concatenated.
    text: String,
    ends: Vec<u32>,
    /// The words that may have forms, sorted by the hash of their base form.
    families: Vec<(u32, u32)>,
    /// Rules out words that cannot be near another.
    signatures: Vec<Signature>,
}

impl Lexicon {
    /// Takes the words in alphabetical order, concatenated in `text`, and their ends.
    pub(crate) fn new(text: String, ends: Vec<u32>) -> Self {
        let mut lexicon = Self { text, ends, families: Vec::new(), signatures: Vec::new() };
        lexicon.families = lexicon.gather_families();
        lexicon.signatures = (0..lexicon.len()).map(|number| Signature::of(lexicon.word(number))).collect();
        lexicon
    }

    pub(crate) fn parts(&self) -> (&str, &[u32]) {
        (&self.text, &self.ends)
    }

    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(crate) fn word(&self, number: u32) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.text[start as usize..self.ends[number as usize] as usize]
    }

    pub(crate) fn find(&self, word: &str) -> Option<u32> {
        let number = self.first_not_below(word);
        (number < self.len() && self.word(number) == word).then_some(number)
    }

    pub(crate) fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The forms of a word that rows have. A stop word has none, not even itself.
    pub(crate) fn forms(&self, word: &str) -> Vec<u32> {
        if !may_have_forms(word) {
            return self.find(word).filter(|_| !is_stop_word(word)).into_iter().collect();
        }
        let base = base_form(word);
        let hash = hash(&base);
        let start = self.families.partition_point(|(other, _)| *other < hash);
        let alike = self.families[start..].iter().take_while(|(other, _)| *other == hash);
        let is_form = |number: &u32| base_form(self.word(*number)) == base;
        alike.map(|(_, number)| *number).filter(is_form).collect()
    }

    /// The words that start with `prefix`.
    pub(crate) fn starting_with(&self, prefix: &str) -> Range<u32> {
        let start = self.first_not_below(prefix);
        start..self.first(start, |word| !word.starts_with(prefix))
    }

    pub(super) fn first_not_below(&self, word: &str) -> u32 {
        self.first(0, |other| other >= word)
    }

    /// The first word from `start` on for which `reached` is true; it stays true from there on.
    fn first(&self, start: u32, reached: impl Fn(&str) -> bool) -> u32 {
        let (mut low, mut high) = (start, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if reached(self.word(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    fn gather_families(&self) -> Vec<(u32, u32)> {
        let words = (0..self.len()).filter(|number| may_have_forms(self.word(*number)));
        let mut families: Vec<(u32, u32)> =
            words.map(|number| (hash(&base_form(self.word(number))), number)).collect();
        families.sort_unstable();
        families.shrink_to_fit();
        families
    }
}

fn may_have_forms(word: &str) -> bool {
    !word.bytes().any(|b| b.is_ascii_digit()) && !is_stop_word(word) && !is_whole_label(word)
}

/// FNV-1a.
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lexicon<'a>(words: impl IntoIterator<Item = &'a str>) -> Lexicon {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for word in words {
            text.push_str(word);
            ends.push(text.len() as u32);
        }
        Lexicon::new(text, ends)
    }

    #[test]
    fn any_form_of_a_word_finds_the_others() {
        let lexicon = lexicon(["2004", "acao", "acoes", "aurora", "de", "dividendos"]);
        let family = |word: &str| -> Vec<&str> {
            lexicon.forms(word).into_iter().map(|form| lexicon.word(form)).collect()
        };
        assert_eq!(family("acoes"), ["acao", "acoes"]);
        assert_eq!(family("dividendo"), ["dividendos"]);
        assert_eq!(family("2004"), ["2004"]);
        assert_eq!(family("aurora"), ["aurora"]);
        assert_eq!(family("de"), [""; 0]);
    }

    proptest! {
        #[test]
        fn words_and_prefix_ranges_are_found(
            words in prop::collection::btree_set("[abç]{1,4}", 0..40), asked in "[abç]{0,4}",
        ) {
            let lexicon = lexicon(words.iter().map(String::as_str));
            prop_assert_eq!(lexicon.find(&asked).map(|number| lexicon.word(number)), words.get(&asked).map(String::as_str));
            let range = lexicon.starting_with(&asked);
            let expected: Vec<&str> = words.iter().map(String::as_str).filter(|word| word.starts_with(&asked)).collect();
            prop_assert_eq!(range.map(|number| lexicon.word(number)).collect::<Vec<_>>(), expected);
        }
    }
}
