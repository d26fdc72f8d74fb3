//! Mistyped words: which words of the lexicon are nearest to one that no row has.
//!
//! Distances are those of Damerau and Levenshtein (optimal string alignment): a letter left out, put in or changed, or
//! two neighbours swapped, is one edit. Each word of the lexicon has a signature of the letters it has and its length;
//! one pass over the signatures leaves so few words that each of them can be compared.

use hashbrown::HashSet;

use super::analyzer::{LastWord, is_stop_word, words_of};
use super::lexicon::Lexicon;
use super::reading::Reading;
use super::signature::{Signature, letters};
use super::synonyms;
use super::word_lists::WordLists;

/// So many words of a query can be mistyped. Where more are unknown it is no slip of the finger, and the words are taken
/// as they are.
const MOST_MISTYPED: usize = 4;

/// How much is tried for a query with mistyped words.
pub(super) struct Reach {
    /// Of the words that are equally near, those that most rows have.
    nearest: usize,
    readings: usize,
}

impl Reach {
    /// For whoever takes the first that finds something.
    pub(super) const COMMONEST: Self = Self { nearest: 3, readings: 4 };
    /// For whoever knows which of the rows found are better.
    pub(super) const WIDE: Self = Self { nearest: 12, readings: 24 };
}

/// A query as it may have been meant.
pub(crate) struct Spelling {
    pub(crate) words: Vec<String>,
    pub(super) is_corrected: bool,
}

impl Spelling {
    /// Whether the last word may go on, where this one was typed.
    pub(crate) fn is_open(&self, typed: &LastWord<'_>) -> bool {
        typed.whole_in(&self.words).is_none()
    }

    /// Letters joined by signs stay so at the end, or else they would begin other words when this is asked for.
    pub(crate) fn reading(&self, typed: &LastWord<'_>) -> Reading {
        let corrected = || match (typed.whole_in(&self.words), self.words.split_last()) {
            (Some(whole), Some((_, others))) => [others, &[whole.to_lowercase()]].concat().join(" "),
            _ => self.words.join(" "),
        };
        Reading { corrected: self.is_corrected.then(|| corrected().into()), relaxed: false }
    }
}

/// How many edits a word of so many letters may be away.
fn edits_allowed(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

impl WordLists {
    /// What the words may stand for if some of them are mistyped, the commonest words first; else the words as they are.
    /// Words that are known elsewhere are taken for what they are.
    pub(super) fn spellings(
        &self,
        words: &[String],
        reach: &Reach,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Spelling> {
        let mut readings = vec![words.to_vec()];
        for word in self.mistyped(words, is_known) {
            let is_last = words.last() == Some(word);
            let nearest = self.nearest(word, is_last, reach.nearest);
            if !nearest.is_empty() {
                readings = combined(&readings, word, &nearest, reach.readings);
            }
        }
        let spelling = |reading: Vec<String>| Spelling { is_corrected: reading != words, words: reading };
        readings.into_iter().map(spelling).collect()
    }

    /// The words of a text as they were most likely meant.
    pub(super) fn spelt(&self, text: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
        let words = words_of(text);
        let first = self.spellings(&words, &Reach::COMMONEST, is_known).into_iter().next();
        first.map_or(words, |spelling| spelling.words)
    }

    /// The words that are unknown, each once; none if there are too many.
    pub(super) fn mistyped<'w>(
        &self,
        words: &'w [String],
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<&'w String> {
        let mut seen = HashSet::new();
        let unknown = words.iter().filter(|word| self.is_unknown(word) && !is_known(word));
        let unknown: Vec<&String> = unknown.filter(|word| seen.insert(*word)).collect();
        if unknown.len() > MOST_MISTYPED { Vec::new() } else { unknown }
    }

    /// Whether no row has the word, in no form and as no prefix, nor what it stands for.
    fn is_unknown(&self, word: &str) -> bool {
        edits_allowed(word.chars().count()) > 0
            && !word.bytes().any(|b| b.is_ascii_digit())
            && !is_stop_word(word)
            && !self.knows(word)
            && !synonyms::knows(word)
    }

    /// Whether some row has the word, in some form or as a prefix.
    pub(super) fn knows(&self, word: &str) -> bool {
        !self.lexicon.starting_with(word).is_empty() || !self.lexicon.forms(word).is_empty()
    }

    /// The nearest words, the commonest first. The last word may also be a beginning; whole words come first.
    fn nearest(&self, word: &str, is_last: bool, most: usize) -> Vec<String> {
        let mut nearest = Nearest::to(word, is_last);
        nearest.search(&self.lexicon);
        for known in synonyms::words() {
            if nearest.may_be_near(Signature::of(known)) {
                nearest.compare(known);
            }
        }
        let mut found: Vec<(usize, String)> =
            nearest.best().into_iter().map(|text| (self.rows_of(&text), text)).collect();
        found.sort_by(|(one_rows, one), (other_rows, other)| {
            other_rows.cmp(one_rows).then_with(|| one.cmp(other))
        });
        found.truncate(most);
        found.into_iter().map(|(_, text)| text).collect()
    }

    /// How many rows have a word; of what is none, how many times rows have words that begin with it.
    fn rows_of(&self, text: &str) -> usize {
        match self.lexicon.find(text) {
            Some(word) => self.lists.of(word).len(),
            None => self.lists.entries_of(self.lexicon.starting_with(text)),
        }
    }
}

/// Every reading with each of the words in the places of a mistyped one; at most so many.
fn combined(readings: &[Vec<String>], mistyped: &str, words: &[String], most: usize) -> Vec<Vec<String>> {
    let with = |reading: &[String], word: &String| -> Vec<String> {
        reading.iter().map(|own| if own == mistyped { word.clone() } else { own.clone() }).collect()
    };
    let all = words.iter().flat_map(|word| readings.iter().map(move |reading| with(reading, word)));
    all.take(most).collect()
}

/// The search for the words that are nearest to one.
struct Nearest {
    word: Vec<char>,
    letters: u32,
    as_prefix: bool,
    /// What was found within so many edits; it becomes less when something nearer is found.
    edits: usize,
    whole: Vec<String>,
    beginnings: Vec<String>,
    table: Distances,
    /// The letters of the word that is compared.
    other: Vec<char>,
}

impl Nearest {
    fn to(word: &str, as_prefix: bool) -> Self {
        let edits = edits_allowed(word.chars().count());
        Self {
            word: word.chars().collect(),
            letters: letters(word),
            as_prefix,
            edits,
            whole: Vec::new(),
            beginnings: Vec::new(),
            table: Distances::default(),
            other: Vec::new(),
        }
    }

    fn search(&mut self, lexicon: &Lexicon) {
        for (number, signature) in (0..).zip(lexicon.signatures()) {
            if self.may_be_near(*signature) {
                self.compare(lexicon.word(number));
            }
        }
    }

    /// An edit brings at most one letter in and takes at most one out, and changes the length by at most one.
    fn may_be_near(&self, other: Signature) -> bool {
        let missing = (self.letters & !other.letters()).count_ones() as usize;
        let foreign = (other.letters() & !self.letters).count_ones() as usize;
        let is_long_enough = other.length() + self.edits >= self.word.len() && other.length() > 0;
        let is_short_enough = other.length() <= self.word.len() + self.edits && foreign <= self.edits;
        missing <= self.edits && is_long_enough && (is_short_enough || self.as_prefix)
    }

    fn compare(&mut self, other: &str) {
        let reach = self.word.len() + self.edits;
        let mut letters = std::mem::take(&mut self.other);
        letters.clear();
        letters.extend(other.chars().take(reach));
        let is_whole = letters.iter().map(|letter| letter.len_utf8()).sum::<usize>() == other.len();
        self.table.fill(&self.word, &letters, self.edits);
        for end in self.word.len().saturating_sub(self.edits)..=letters.len() {
            let distance = self.table.last(end, self.word.len());
            let whole = is_whole && end == letters.len();
            if distance > self.edits || !(whole || self.as_prefix) {
                continue;
            }
            if distance < self.edits {
                self.edits = distance;
                self.whole.clear();
                self.beginnings.clear();
            }
            let text: String = letters[..end].iter().collect();
            let found = if whole { &mut self.whole } else { &mut self.beginnings };
            if found.last() != Some(&text) {
                found.push(text);
            }
        }
        self.other = letters;
    }

    /// Whole words before mere beginnings.
    fn best(self) -> Vec<String> {
        let mut best = if self.whole.is_empty() { self.beginnings } else { self.whole };
        best.sort_unstable();
        best.dedup();
        best
    }
}

/// Further than any word may be.
const FAR: u8 = 100;

/// Distances between the beginnings of two words.
#[derive(Default)]
struct Distances {
    /// A row for each beginning of the one, with a cell for each of the other.
    cells: Vec<u8>,
    width: usize,
}

impl Distances {
    /// As far as they are no more than so many edits; whatever is further is just that.
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

    /// Between so many letters of the other and of the word.
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

    fn lexicon(words: &[&str]) -> Lexicon {
        let mut sorted: Vec<&str> = words.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut text = String::new();
        let ends = sorted.iter().map(|word| {
            text.push_str(word);
            text.len() as u32
        });
        let ends = ends.collect();
        Lexicon::new(text, ends)
    }

    fn nearest(words: &[&str], word: &str, is_last: bool) -> Vec<String> {
        let mut nearest = Nearest::to(word, is_last);
        nearest.search(&lexicon(words));
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
    fn the_nearest_words_are_found_within_the_edits_of_their_length() {
        let words = ["gerdau", "geral", "vale", "petrobras", "itau", "2004", "para", "=geral"];
        assert_eq!(nearest(&words, "gerdal", false), ["geral", "gerdau"]);
        assert_eq!(nearest(&words, "ptrobars", false), ["petrobras"]);
        assert_eq!(nearest(&words, "gredaul", false), [""; 0], "two edits are too many for seven letters");
        assert_eq!(nearest(&words, "pata", false), [""; 0], "nobody means a small word");
        assert_eq!(nearest(&words, "petobr", true), ["petrobr"]);
        assert_eq!(nearest(&words, "petobr", false), [""; 0]);
        assert_eq!(nearest(&words, "itua", true), ["itau"], "a whole word before a beginning");
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_comparing_with_every_word_finds(
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
        fn distances_are_symmetric_and_no_more_than_the_longer_word(one in "[ab]{0,9}", other in "[ab]{0,9}") {
            prop_assert_eq!(distance(&one, &other), distance(&other, &one));
            prop_assert!(distance(&one, &other) <= one.len().max(other.len()));
        }
    }
}
