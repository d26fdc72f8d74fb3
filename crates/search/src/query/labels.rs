//! Labels in a query: words that are exactly the category or type of some rows.

use std::ops::Range;

use crate::index::lexicon::Lexicon;
use crate::text::label::{MARK, append, label_of};
use crate::text::{is_stop_word, synonyms};

/// The longest labels in a query.
#[derive(Default)]
pub(super) struct Labels {
    /// The words that stand for them in the lexicon.
    pub numbers: Vec<u32>,
    /// Their words in the query, if they are the same for all labels.
    pub words: Option<Range<usize>>,
}

impl Labels {
    /// Finds the labels that words of a query are or mean.
    pub(super) fn of(words: &[String], lexicon: &Lexicon) -> Self {
        let mut found: Vec<(Range<usize>, u32)> =
            (0..words.len()).flat_map(|start| labels_at(words, start, lexicon)).collect();
        for same in synonyms::occurrences(words).iter().filter(|found| !found.is_partial) {
            let others = same.others().filter(|other| same.is_same(*other));
            let others = others.map(|other| label_of(&synonyms::all()[other].words));
            let known = others.filter_map(|label| lexicon.find(&label));
            found.extend(known.map(|label| (same.words.clone(), label)));
        }
        let most = found.iter().map(|(words, _)| words.len()).max();
        found.retain(|(words, _)| Some(words.len()) == most);
        let first = found.first().map(|(words, _)| words.clone());
        let words = first.filter(|first| found.iter().all(|(words, _)| words == first));
        let mut numbers: Vec<u32> = found.into_iter().map(|(_, label)| label).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers, words }
    }
}

/// The labels that start at a word of the query, with their words.
fn labels_at(words: &[String], start: usize, lexicon: &Lexicon) -> Vec<(Range<usize>, u32)> {
    let mut found = Vec::new();
    if is_stop_word(&words[start]) {
        return found;
    }
    let mut label = String::from(MARK);
    for (end, word) in (start + 1..).zip(&words[start..]) {
        if is_stop_word(word) {
            continue;
        }
        append(&mut label, word);
        if lexicon.starting_with(&label).is_empty() {
            break;
        }
        found.extend(lexicon.find(&label).map(|label| (start..end, label)));
    }
    found
}
