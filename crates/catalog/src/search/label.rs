//! Labels as a whole: a label's words, in whatever form, are one more word of the rows that bear it. So the rows whose
//! category or type is just what was asked for are known from one list.

use std::ops::Range;

use super::analyzer::{is_stop_word, words_of};
use super::inflection::base;
use super::lexicon::Lexicon;
use super::synonyms;

/// No word of a text starts with this.
pub(super) const MARK: char = '=';

/// The word that stands for a label as a whole.
pub(super) fn whole_label(text: &str) -> String {
    whole_of(&words_of(text))
}

/// The same of words. Small words do not tell labels apart.
fn whole_of(words: &[String]) -> String {
    let mut label = String::from(MARK);
    words.iter().filter(|word| !is_stop_word(word)).for_each(|word| append(&mut label, &base(word)));
    label
}

fn append(label: &mut String, word: &str) {
    label.push(' ');
    label.push_str(word);
}

pub(super) fn is_whole_label(word: &str) -> bool {
    word.starts_with(MARK)
}

/// Labels that words of a query are.
#[derive(Default)]
pub(super) struct Labels {
    pub numbers: Vec<u32>,
    /// Which words of the query, if they are the same for all.
    pub words: Option<Range<usize>>,
}

impl Lexicon {
    /// The labels that words of a query are, or that mean the same: those of the most words.
    pub(super) fn labels(&self, words: &[String]) -> Labels {
        let mut found: Vec<(Range<usize>, u32)> =
            (0..words.len()).flat_map(|start| self.labels_at(words, start)).collect();
        for same in synonyms::occurrences(words).iter().filter(|found| !found.is_begun) {
            let others = same.others().filter(|other| same.is_same(*other));
            let others = others.map(|other| whole_of(&synonyms::all()[other].words));
            let known = others.filter_map(|label| self.find(&label));
            found.extend(known.map(|label| (same.words.clone(), label)));
        }
        let most = found.iter().map(|(words, _)| words.len()).max();
        found.retain(|(words, _)| Some(words.len()) == most);
        let first = found.first().map(|(words, _)| words.clone());
        let words = first.filter(|first| found.iter().all(|(words, _)| words == first));
        let mut numbers: Vec<u32> = found.into_iter().map(|(_, label)| label).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Labels { numbers, words }
    }

    /// The labels that the words from a place on are, and which words.
    fn labels_at(&self, words: &[String], start: usize) -> Vec<(Range<usize>, u32)> {
        let mut found = Vec::new();
        if is_stop_word(&words[start]) {
            return found;
        }
        let mut label = String::from(MARK);
        for (end, word) in (start + 1..).zip(&words[start..]) {
            if is_stop_word(word) {
                continue;
            }
            append(&mut label, &base(word));
            if self.starting_with(&label).is_empty() {
                break;
            }
            found.extend(self.find(&label).map(|label| (start..end, label)));
        }
        found
    }
}
