//! Which rows have the words of a query as a phrase. Only those are looked at that can have it: of common words that stand
//! beside each other in the query, it is known which rows have them so.

use std::borrow::Cow;
use std::ops::Range;

use super::clause::Clause;
use super::judge::Judge;
use super::matching::Wanted;
use super::pairs::PairRows;
use super::postings::List;
use super::row_set::RowSet;
use super::text_rows::TextRows;

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
        let candidates = self.candidates(&(0..end), small_words);
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
            self.candidates(&beside.places, &beside.small_words).try_each(labelled, |row| {
                found.extend((!judge.phrase(row).is_empty()).then_some(row));
                found.len() < needed
            });
        }
        found
    }

    /// Of the phrase at these places of the query, which has these small words.
    fn candidates<'w>(&'w self, places: &Range<usize>, small_words: &'w [Clause<'_>]) -> Candidates<'w> {
        let mut candidates = Candidates::default();
        let is_there = |second: usize| places.start < second && second < places.end;
        for (_, pair) in self.pairs.iter().filter(|(second, _)| is_there(*second)) {
            match pair {
                PairRows::Few(rows) => candidates.put_few(rows.len(), || Cow::Borrowed(rows)),
                PairRows::Many(rows) => candidates.many.push(rows),
            }
        }
        for list in small_words.iter().filter_map(Clause::only_list) {
            match list {
                List::Sparse(entries) => {
                    let rows = entries.iter().map(|entry| entry.row());
                    candidates.put_few(entries.len(), || rows.collect());
                }
                List::Dense(list) => candidates.many.push(list.rows()),
            }
        }
        candidates
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

/// Rows that can have a phrase.
#[derive(Default)]
struct Candidates<'a> {
    /// They are in all of these,
    many: Vec<&'a TextRows>,
    /// and in this one, the shortest of those that are listed.
    few: Option<Cow<'a, [u32]>>,
}

impl<'a> Candidates<'a> {
    fn put_few(&mut self, count: usize, rows: impl FnOnce() -> Cow<'a, [u32]>) {
        if self.few.as_ref().is_none_or(|few| count < few.len()) {
            self.few = Some(rows());
        }
    }

    /// Visits all of them while `visit` wants more.
    fn try_each(&self, rows: &RowSet, visit: impl FnMut(u32) -> bool) {
        match &self.few {
            Some(few) => {
                let is_in_all = |row: u32| self.many.iter().all(|many| many.all().contains(row));
                few.iter().copied().filter(|row| rows.contains(*row) && is_in_all(*row)).all(visit);
            }
            None => {
                let all = self.all();
                rows.try_each_of(|number, rows| in_all(&all, number, rows), visit);
            }
        }
    }

    /// Visits those that can have it in a text of their own; where they are listed, all of them.
    fn try_each_own(&self, rows: &RowSet, visit: impl FnMut(u32) -> bool) {
        if self.few.is_some() {
            self.try_each(rows, visit);
        } else if let Some(own) = self.own() {
            rows.try_each_of(|number, rows| in_all(&own, number, rows), visit);
        }
    }

    /// Visits the others.
    fn try_each_other(&self, rows: &RowSet, visit: impl FnMut(u32) -> bool) {
        if self.few.is_some() {
            return;
        }
        let (all, own) = (self.all(), self.own());
        let is_own = |number, rows| own.as_ref().map_or(0, |own| in_all(own, number, rows));
        rows.try_each_of(|number, rows| in_all(&all, number, rows) & !is_own(number, rows), visit);
    }

    /// Sets that have all rows that can have it.
    fn all(&self) -> Vec<&RowSet> {
        self.many.iter().map(|many| many.all()).collect()
    }

    /// The same for a text of their own, if there can be such rows.
    fn own(&self) -> Option<Vec<&RowSet>> {
        self.many.iter().map(|many| many.own()).collect()
    }
}

/// Those of 64 rows that are in all sets.
fn in_all(sets: &[&RowSet], number: u32, rows: u64) -> u64 {
    sets.iter().fold(rows, |rows, set| rows & set.word(number))
}
