//! Which rows have the words of a query as a phrase. Only those are looked at that can have it.

use std::ops::Range;

use super::candidates::{Candidates, KnownPair};
use super::clause::Clause;
use super::judge::Judge;
use super::matching::Wanted;
use super::row_set::RowSet;

/// Rows that have a phrase, ascending.
#[derive(Default)]
pub(super) struct PhraseRows {
    pub own: Vec<u32>,
    pub of_company: Vec<u32>,
}

impl Wanted<'_> {
    /// Those of the rows that have the words as a phrase: all, or the first ones, as many as are needed. The words stand
    /// before this place of the query.
    pub(super) fn phrases(
        &self,
        rows: &RowSet,
        words: &[Clause<'_>],
        end: usize,
        needed: usize,
    ) -> PhraseRows {
        let mut found = PhraseRows::default();
        let small_words = self.small_words_before(end);
        let judge = || Judge::of(words, small_words);
        let candidates = self.candidates(&(0..end), words, small_words);
        let mut own_judge = judge();
        candidates.try_each_own(rows, |row| {
            found.look_at(row, &mut own_judge);
            found.own.len() < needed
        });
        if found.own.len() < needed {
            // Of the rows that count, what was met before is not among these, and comes as well.
            let enough = found.of_company.len().saturating_add(needed - found.own.len());
            let mut other_judge = judge();
            candidates.try_each_other(rows, |row| {
                found.look_at(row, &mut other_judge);
                found.of_company.len() < enough
            });
            found.of_company.sort_unstable();
        }
        found
    }

    /// Those of the labelled rows that have what was asked for beside the label as a phrase; as many as are needed.
    pub(super) fn phrases_beside_label(&self, labelled: &RowSet, needed: usize) -> Vec<u32> {
        let mut found = Vec::new();
        if let Some(beside) = &self.beside_label {
            let mut judge = Judge::of(&beside.words, &beside.small_words);
            let candidates = self.candidates(&beside.places, &beside.words, &beside.small_words);
            candidates.try_each(labelled, |row| {
                found.extend((!judge.phrase(row).is_empty()).then_some(row));
                found.len() < needed
            });
        }
        found
    }

    /// Of the phrase at these places of the query, which has these words.
    fn candidates<'w>(
        &'w self,
        places: &Range<usize>,
        words: &'w [Clause<'_>],
        small_words: &'w [Clause<'_>],
    ) -> Candidates<'w> {
        let mut candidates = Candidates::below(self.rows);
        let is_there = |pair: &&KnownPair<'_>| places.start < pair.second && pair.second < places.end;
        self.pairs.iter().filter(is_there).for_each(|pair| candidates.put_pair(pair));
        words.iter().for_each(|word| candidates.put_word(word));
        small_words.iter().for_each(|word| candidates.put_small_word(word));
        candidates.finish()
    }

    /// The small words before a place of the query.
    fn small_words_before(&self, end: usize) -> &[Clause<'_>] {
        let is_before = |word: &Clause<'_>| word.offsets.iter().all(|place| *place < end);
        let count = self.small_words.iter().take_while(|word| is_before(word)).count();
        &self.small_words[..count]
    }
}

impl PhraseRows {
    fn look_at(&mut self, row: u32, judge: &mut Judge<'_>) {
        let starts = judge.phrase(row);
        if starts.has_own() {
            self.own.push(row);
        } else if !starts.is_empty() {
            self.of_company.push(row);
        }
    }
}
