//! The rows that have the expressions of several words that the table of synonyms knows, found when the index is built.

use super::TextIndex;
use super::analyzer::{is_stop_word, stem};
use super::clause::Occurrences;
use super::entry::Entry;
use super::matching::Wanted;
use super::positions::Positions;
use super::postings::List;
use super::synonyms::{self, Expression};

/// Where rows have an expression. Empty for those of one word, which have their lists.
#[derive(Default)]
pub(super) struct Phrase {
    list: Vec<Entry>,
    again: Vec<Entry>,
}

impl Phrase {
    pub(super) fn occurrences(&self, moved: u8) -> Occurrences<'_> {
        Occurrences { list: List { entries: &self.list, bitmap: None }, again: &self.again, moved }
    }

    fn put(&mut self, row: u32, mut starts: Positions) {
        let Some(first) = starts.take_first() else { return };
        let entry = Entry::new(row, first);
        self.list.push(if starts.is_empty() { entry } else { entry.repeated() });
        while let Some(start) = starts.take_first() {
            self.again.push(Entry::new(row, start));
        }
    }
}

/// One for each expression of the table.
pub(super) fn of_synonyms(index: &TextIndex) -> Vec<Phrase> {
    synonyms::all().iter().map(|expression| phrase(index, expression)).collect()
}

fn phrase(index: &TextIndex, expression: &Expression) -> Phrase {
    let mut phrase = Phrase::default();
    if let [_, _, ..] = &expression.words[..] {
        let mut wanted = Wanted::default();
        for (place, word) in expression.words.iter().enumerate() {
            if is_stop_word(word) {
                wanted.small_words.push(index.exactly(word, place));
            } else {
                wanted.words.push(index.forms(&index.lexicon.family(&stem(word)), place));
            }
        }
        wanted.phrases().into_iter().for_each(|(row, starts)| phrase.put(row, starts));
    }
    phrase
}
