//! Labels as a whole: a label's words, in whatever form, are one more word of the rows that bear it. So the rows whose
//! category or type is just what was asked for are known from one list.

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

/// The same of words. Small words inside do not tell labels apart; one at the end does: AGO/E is not AGO.
fn whole_of(words: &[String]) -> String {
    let mut label = String::from(MARK);
    for (place, word) in words.iter().enumerate() {
        if !is_stop_word(word) {
            append(&mut label, &base(word));
        } else if place + 1 == words.len() {
            append(&mut label, word);
        }
    }
    label
}

fn append(label: &mut String, word: &str) {
    label.push(' ');
    label.push_str(word);
}

pub(super) fn is_whole_label(word: &str) -> bool {
    word.starts_with(MARK)
}

impl Lexicon {
    /// The labels that words of a query are, or that mean the same: those of the most words.
    pub(super) fn labels(&self, words: &[String]) -> Vec<u32> {
        let mut labels: Vec<(usize, u32)> =
            (0..words.len()).flat_map(|start| self.labels_at(&words[start..])).collect();
        for found in synonyms::occurrences(words).iter().filter(|found| !found.is_begun) {
            let others = found.others().map(|other| whole_of(&synonyms::all()[other].words));
            let known = others.filter_map(|label| self.find(&label));
            labels.extend(known.map(|label| (found.words.len(), label)));
        }
        let most = labels.iter().map(|(length, _)| *length).max();
        labels.retain(|(length, _)| Some(*length) == most);
        labels.sort_unstable();
        labels.dedup();
        labels.into_iter().map(|(_, label)| label).collect()
    }

    /// The labels that the first of these words are, and of how many.
    fn labels_at(&self, words: &[String]) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        if words.first().is_none_or(|word| is_stop_word(word)) {
            return found;
        }
        let mut label = String::from(MARK);
        for (word, length) in words.iter().zip(1..) {
            if is_stop_word(word) {
                let ended = self.find(&format!("{label} {word}"));
                found.extend(ended.map(|label| (length, label)));
                continue;
            }
            append(&mut label, &base(word));
            if self.starting_with(&label).is_empty() {
                break;
            }
            found.extend(self.find(&label).map(|label| (length, label)));
        }
        found
    }
}
