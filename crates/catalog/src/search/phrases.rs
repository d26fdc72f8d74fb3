//! The rows that have the expressions of several words that the table of synonyms knows, found when the index is built.

use super::TextIndex;
use super::analyzer::is_stop_word;
use super::clause::{Clause, Occurrences};
use super::entry::Entry;
use super::judge::Judge;
use super::matching::Wanted;
use super::positions::Positions;
use super::postings::List;
use super::rank_bitmap::RankBitmap;
use super::synonyms::{self, Expression};

/// Where rows have an expression. Empty for those of one word, which have their lists.
#[derive(Default)]
pub(super) struct Phrase {
    list: Vec<Entry>,
    again: Vec<Entry>,
    bitmap: Option<RankBitmap>,
}

impl Phrase {
    pub(super) fn occurrences(&self, moved: u8) -> Occurrences<'_> {
        Occurrences { list: List { entries: &self.list, bitmap: self.bitmap.as_ref() }, again: &self.again, moved }
    }

    /// The words as a phrase, or all of them in the category and the type: the minutes of a board are filed as `Reunião da
    /// Administração`, `Conselho de Administração`.
    fn gather(&mut self, index: &TextIndex, words: &[Clause<'_>], small: &[Clause<'_>]) {
        let wanted = Wanted { rows: index.rows, words: words.to_vec(), ..Wanted::default() };
        let (mut phrases, mut labels) = (Judge::of(words, small, &[]), Judge::of(words, &[], &[]));
        let several = words.len() > 1;
        for row in wanted.all() {
            let mut starts = phrases.phrase(row);
            starts.add(labels.in_labels(row).filter(|_| several).unwrap_or_default());
            self.put(row, starts);
        }
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
        let (small, telling): (Vec<_>, Vec<_>) =
            expression.words.iter().enumerate().partition(|(_, word)| is_stop_word(word));
        let small: Vec<Clause<'_>> = small.into_iter().map(|(place, word)| index.exactly(word, place)).collect();
        let words: Vec<Clause<'_>> = telling.into_iter().map(|(place, word)| index.forms(word, place)).collect();
        phrase.gather(index, &words, &small);
    }
    phrase.bitmap = RankBitmap::if_dense(&phrase.list);
    phrase
}
