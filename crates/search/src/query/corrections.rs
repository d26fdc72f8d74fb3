//! The ladder of corrections for a query: as typed, with the nearest words in place of unknown ones, then with words
//! joined or split. A search takes the first rung, or the best one, that finds rows.

use std::fmt;

use hashbrown::HashSet;

use super::parsed::{ParsedQuery, Spelling};
use super::spacing::Spacing;
use crate::index::Index;
use crate::index::row_set::RowSet;
use crate::text::spelling::{Nearest, Signature, edits_allowed};
use crate::text::{is_stop_word, synonyms};

/// Maximum number of mistyped words. With more unknown words the query is taken as typed.
const MOST_MISTYPED: usize = 4;

/// Limits on the spellings of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// Words tried for each unknown one, the most frequent first.
    nearest: usize,
    spellings: usize,
}

impl Reach {
    /// For searches that take the first spelling with a result.
    pub(super) const NARROW: Self = Self { nearest: 3, spellings: 4 };
    /// For searches that compare the results of all spellings.
    pub(super) const WIDE: Self = Self { nearest: 12, spellings: 24 };
}

/// The words of an index that mistyped words may stand for. By default all of them.
#[derive(Default)]
pub(super) struct Targets {
    words: Option<RowSet>,
}

impl Targets {
    /// The words of the rows that `is_target` accepts.
    pub(super) fn of_rows(index: &Index, is_target: &dyn Fn(u32) -> bool) -> Self {
        let mut words = RowSet::below(index.lexicon.len());
        for word in 0..index.lexicon.len() {
            if index.lists.of(word).entries().iter().any(|entry| is_target(entry.row())) {
                words.insert(word);
            }
        }
        Self { words: Some(words) }
    }

    pub(super) fn has(&self, word: u32) -> bool {
        self.words.as_ref().is_none_or(|words| words.contains(word))
    }
}

/// The corrections of one query.
pub struct Corrections<'a> {
    index: &'a Index,
    targets: &'a Targets,
    query: &'a ParsedQuery<'a>,
    is_known: &'a dyn Fn(&str) -> bool,
    spellings: Vec<Spelling>,
}

impl<'a> Corrections<'a> {
    /// Words that `is_known` accepts are not treated as mistyped.
    pub(super) fn new(
        (index, targets): (&'a Index, &'a Targets),
        query: &'a ParsedQuery<'a>,
        reach: Reach,
        is_known: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        let mut readings = vec![query.words.clone()];
        for word in mistyped(index, &query.words, is_known) {
            let is_last = query.words.last() == Some(word);
            let nearest = nearest((index, targets), word, is_last, reach.nearest);
            if !nearest.is_empty() {
                readings = combined(&readings, word, &nearest, reach.spellings);
            }
        }
        let spellings = readings.into_iter().map(|words| query.spelling(words)).collect();
        Self { index, targets, query, is_known, spellings }
    }

    /// The query with the nearest words in place of unknown ones, the most frequent first; as typed, if all words are known,
    /// none is near, or too many are unknown.
    pub fn spellings(&self) -> &[Spelling] {
        &self.spellings
    }

    /// The query as typed, and its `most` likeliest spellings, with neighbouring words joined.
    pub fn joined(&self, most: usize) -> Vec<Spelling> {
        let spacing = Spacing { index: self.index, targets: self.targets };
        let joined = |words: &[String]| spacing.joined(words, self.query.is_prefix_in(words));
        self.respaced(most, joined)
    }

    /// The query as typed, and its `most` likeliest spellings, with unknown words split.
    pub fn split(&self, most: usize) -> Vec<Spelling> {
        let spacing = Spacing { index: self.index, targets: self.targets };
        let split = |words: &[String]| {
            let unknown = mistyped(self.index, words, self.is_known);
            spacing.split(words, &unknown, self.query.is_prefix_in(words))
        };
        self.respaced(most, split)
    }

    fn respaced(&self, most: usize, respaced: impl Fn(&[String]) -> Vec<Vec<String>>) -> Vec<Spelling> {
        let likely = self.spellings.iter().take(most).filter(|spelling| spelling.is_corrected());
        let all = [&self.query.words].into_iter().chain(likely.map(|spelling| &spelling.words));
        all.flat_map(|words| respaced(words)).map(|words| self.query.spelling(words)).collect()
    }
}

impl fmt::Debug for Corrections<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Corrections").field("spellings", &self.spellings).finish_non_exhaustive()
    }
}

/// The unknown words, each once; none if there are too many.
fn mistyped<'w>(index: &Index, words: &'w [String], is_known: &dyn Fn(&str) -> bool) -> Vec<&'w String> {
    let mut seen = HashSet::new();
    let unknown = words.iter().filter(|word| is_unknown(index, word) && !is_known(word));
    let unknown: Vec<&String> = unknown.filter(|word| seen.insert(*word)).collect();
    if unknown.len() > MOST_MISTYPED { Vec::new() } else { unknown }
}

/// Whether no row has the word, in any form or as a prefix, nor a synonym of it.
fn is_unknown(index: &Index, word: &str) -> bool {
    edits_allowed(word.chars().count()) > 0
        && !word.bytes().any(|b| b.is_ascii_digit())
        && !is_stop_word(word)
        && !index.knows(word)
        && !synonyms::knows(word)
}

/// The nearest words, the most frequent first. The last word of a query may also be a prefix; whole words come first.
fn nearest((index, targets): (&Index, &Targets), word: &str, is_last: bool, most: usize) -> Vec<String> {
    let mut nearest = Nearest::to(word, is_last);
    for (number, signature) in (0..).zip(index.lexicon.signatures()) {
        if nearest.may_be_near(*signature) && targets.has(number) {
            nearest.compare(index.lexicon.word(number));
        }
    }
    let is_target = |text| index.lexicon.find(text).is_none_or(|word| targets.has(word));
    for known in synonyms::words() {
        if nearest.may_be_near(Signature::of(known)) && is_target(known) {
            nearest.compare(known);
        }
    }
    let mut found: Vec<(usize, String)> =
        nearest.best().into_iter().map(|text| (frequency(index, &text), text)).collect();
    found.sort_by(|(one_rows, one), (other_rows, other)| {
        other_rows.cmp(one_rows).then_with(|| one.cmp(other))
    });
    found.truncate(most);
    found.into_iter().map(|(_, text)| text).collect()
}

/// The number of rows that have a word; for a prefix, the number of entries of all words that start with it.
fn frequency(index: &Index, text: &str) -> usize {
    match index.lexicon.find(text) {
        Some(word) => index.lists.of(word).len(),
        None => index.lists.entries_of(index.lexicon.starting_with(text)),
    }
}

/// Every reading with each of the words in place of a mistyped one; at most `most`.
fn combined(readings: &[Vec<String>], mistyped: &str, words: &[String], most: usize) -> Vec<Vec<String>> {
    let with = |reading: &[String], word: &String| -> Vec<String> {
        reading.iter().map(|own| if own == mistyped { word.clone() } else { own.clone() }).collect()
    };
    let all = words.iter().flat_map(|word| readings.iter().map(move |reading| with(reading, word)));
    all.take(most).collect()
}
