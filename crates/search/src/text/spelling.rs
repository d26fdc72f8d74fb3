//! Edit distances: the words nearest to a mistyped one.
//!
//! The distance is that of Damerau and Levenshtein (optimal string alignment): a missing, added or changed letter, or
//! two swapped neighbours, is one edit. A [`Signature`] rules out most words of a lexicon in one pass, so that few are
//! compared.

use super::label::is_whole_label;
use super::words::is_stop_word;

/// The maximum distance for a word of this many letters.
pub(crate) fn edits_allowed(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The letters of a word, one bit each, and its length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature(u32);

const LETTERS: u32 = 26;
const ALL_LETTERS: u32 = (1 << LETTERS) - 1;
const LONGEST: usize = (1 << (u32::BITS - LETTERS)) - 1;

impl Signature {
    /// Codes, labels and stop words get length 0: no mistyped word stands for them.
    pub(crate) fn of(word: &str) -> Self {
        let is_target =
            !word.bytes().any(|b| b.is_ascii_digit()) && !is_whole_label(word) && !is_stop_word(word);
        let length = if is_target { word.chars().count().min(LONGEST) } else { 0 };
        Self((length as u32) << LETTERS | letters(word))
    }

    fn length(self) -> usize {
        (self.0 >> LETTERS) as usize
    }

    fn letters(self) -> u32 {
        self.0 & ALL_LETTERS
    }
}

fn letters(word: &str) -> u32 {
    let places = word.bytes().filter(u8::is_ascii_lowercase).map(|letter| letter - b'a');
    places.fold(0, |letters, place| letters | 1 << place)
}

/// Collects the words nearest to one.
pub(crate) struct Nearest {
    word: Vec<char>,
    letters: u32,
    /// Whether prefixes of words count as well.
    with_prefixes: bool,
    /// The distance of the nearest words so far; at first the greatest allowed.
    edits: usize,
    whole: Vec<String>,
    prefixes: Vec<String>,
    table: Distances,
    /// The letters of the compared word, kept to reuse the memory.
    other: Vec<char>,
}

impl Nearest {
    pub(crate) fn to(word: &str, with_prefixes: bool) -> Self {
        let edits = edits_allowed(word.chars().count());
        Self {
            word: word.chars().collect(),
            letters: letters(word),
            with_prefixes,
            edits,
            whole: Vec::new(),
            prefixes: Vec::new(),
            table: Distances::default(),
            other: Vec::new(),
        }
    }

    /// Rules out most words cheaply: an edit adds at most one letter, removes at most one, and changes the length by at
    /// most one.
    pub(crate) fn may_be_near(&self, other: Signature) -> bool {
        let missing = (self.letters & !other.letters()).count_ones() as usize;
        let foreign = (other.letters() & !self.letters).count_ones() as usize;
        let is_long_enough = other.length() + self.edits >= self.word.len() && other.length() > 0;
        let is_short_enough = other.length() <= self.word.len() + self.edits && foreign <= self.edits;
        missing <= self.edits && is_long_enough && (is_short_enough || self.with_prefixes)
    }

    /// Adds a word, or prefixes of it, if they are among the nearest.
    pub(crate) fn compare(&mut self, other: &str) {
        let longest = self.word.len() + self.edits;
        let mut letters = std::mem::take(&mut self.other);
        letters.clear();
        letters.extend(other.chars().take(longest));
        let is_whole = letters.iter().map(|letter| letter.len_utf8()).sum::<usize>() == other.len();
        self.table.fill(&self.word, &letters, self.edits);
        for end in self.word.len().saturating_sub(self.edits)..=letters.len() {
            let distance = self.table.last(end, self.word.len());
            let whole = is_whole && end == letters.len();
            if distance > self.edits || !(whole || self.with_prefixes) {
                continue;
            }
            if distance < self.edits {
                self.edits = distance;
                self.whole.clear();
                self.prefixes.clear();
            }
            let text: String = letters[..end].iter().collect();
            let found = if whole { &mut self.whole } else { &mut self.prefixes };
            if found.last() != Some(&text) {
                found.push(text);
            }
        }
        self.other = letters;
    }

    /// The nearest words; prefixes only if there is no word.
    pub(crate) fn best(self) -> Vec<String> {
        let mut best = if self.whole.is_empty() { self.prefixes } else { self.whole };
        best.sort_unstable();
        best.dedup();
        best
    }
}

/// A distance greater than any allowed one.
const FAR: u8 = 100;

/// Distances between the prefixes of two words.
#[derive(Default)]
struct Distances {
    /// One row for each prefix of the other word, one column for each prefix of the word.
    cells: Vec<u8>,
    width: usize,
}

impl Distances {
    /// Computes the distances up to `edits`; greater ones are [`FAR`].
    fn fill(&mut self, word: &[char], other: &[char], edits: usize) {
        self.width = word.len() + 1;
        self.cells.clear();
        self.cells.resize(self.width * (other.len() + 1), FAR);
        (0..self.width.min(edits + 1)).for_each(|column| self.cells[column] = column as u8);
        for row in 1..=other.len() {
            if row <= edits {
                self.cells[row * self.width] = row as u8;
            }
            let mut nearest = FAR;
            for column in row.saturating_sub(edits).max(1)..self.width.min(row + edits + 1) {
                let least = self.least(row, column, word, other);
                self.cells[row * self.width + column] = least;
                nearest = nearest.min(least);
            }
            if usize::from(nearest) > edits && row > edits {
                return;
            }
        }
    }

    fn least(&self, row: usize, column: usize, word: &[char], other: &[char]) -> u8 {
        let cell = |row: usize, column: usize| self.cells[row * self.width + column];
        let (ours, theirs) = (word[column - 1], other[row - 1]);
        let changed = cell(row - 1, column - 1) + u8::from(ours != theirs);
        let least = changed.min(cell(row - 1, column) + 1).min(cell(row, column - 1) + 1);
        let swapped = row > 1 && column > 1 && ours == other[row - 2] && theirs == word[column - 2];
        if swapped { least.min(cell(row - 2, column - 2) + 1) } else { least }
    }

    /// The distance between prefixes of these lengths.
    fn last(&self, row: usize, column: usize) -> usize {
        self.cells.get(row * self.width + column).map_or(usize::MAX, |cell| usize::from(*cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(one: &str, other: &str) -> usize {
        let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
        let mut table = Distances::default();
        table.fill(&one, &other, 20);
        table.last(other.len(), one.len())
    }

    fn nearest(words: &[&str], word: &str, is_last: bool) -> Vec<String> {
        let mut nearest = Nearest::to(word, is_last);
        for other in words {
            if nearest.may_be_near(Signature::of(other)) {
                nearest.compare(other);
            }
        }
        nearest.best()
    }

    #[test]
    fn an_edit_is_a_letter_or_two_swapped_ones() {
        for (one, other, edits) in [
            ("petrobras", "petrobras", 0),
            ("petobras", "petrobras", 1),
            ("petroobras", "petrobras", 1),
            ("petrobraz", "petrobras", 1),
            ("petrobars", "petrobras", 1),
            ("ptrobars", "petrobras", 2),
            ("", "abc", 3),
        ] {
            assert_eq!(distance(one, other), edits, "{one} {other}");
            assert_eq!(distance(other, one), edits, "{other} {one}");
        }
    }

    #[test]
    fn nearest_words_are_within_the_allowed_edits() {
        let words = ["gerdau", "geral", "vale", "petrobras", "itau", "2004", "para", "=geral"];
        assert_eq!(nearest(&words, "gerdal", false), ["geral", "gerdau"]);
        assert_eq!(nearest(&words, "ptrobars", false), ["petrobras"]);
        assert_eq!(nearest(&words, "gredaul", false), [""; 0], "two edits are too many for seven letters");
        assert_eq!(nearest(&words, "pata", false), [""; 0], "a stop word is never meant");
        assert_eq!(nearest(&words, "petobr", true), ["petrobr"]);
        assert_eq!(nearest(&words, "petobr", false), [""; 0]);
        assert_eq!(nearest(&words, "itua", true), ["itau"], "a whole word before a prefix");
    }

    proptest! {
        #[test]
        fn signatures_rule_out_no_near_word(
            words in prop::collection::vec("[abcr]{1,9}", 1..40), word in "[abcr]{4,10}",
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_stop_word(word)).collect();
            let least = words.iter().map(|other| distance(&word, other)).min().unwrap_or(usize::MAX);
            let mut expected: Vec<String> = Vec::new();
            if least <= edits_allowed(word.len()) {
                expected = words.iter().filter(|other| distance(&word, other) == least).map(|other| (*other).to_owned()).collect();
                expected.sort_unstable();
                expected.dedup();
            }
            prop_assert_eq!(nearest(&words, &word, false), expected);
        }

        #[test]
        fn distances_are_symmetric_and_bounded(one in "[ab]{0,9}", other in "[ab]{0,9}") {
            prop_assert_eq!(distance(&one, &other), distance(&other, &one));
            prop_assert!(distance(&one, &other) <= one.len().max(other.len()));
        }
    }
}
