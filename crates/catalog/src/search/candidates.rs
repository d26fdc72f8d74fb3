//! Which rows can have a phrase: of common words that stand beside each other in the query, it is known which rows have them
//! so.

use std::borrow::Cow;

use super::clause::Clause;
use super::dense_list::DENSE;
use super::positions::NOWHERE;
use super::postings::List;
use super::row_set::RowSet;
use super::text_rows::TextRows;

/// The rows that have two words beside each other.
#[derive(Clone, Copy)]
pub(super) enum PairRows<'a> {
    /// Ascending.
    Few(&'a [u32]),
    Many(&'a TextRows),
}

/// The rows that have two neighbours of the query beside each other.
pub(super) struct KnownPair<'a> {
    /// The place of the second one.
    pub second: usize,
    pub rows: PairRows<'a>,
    /// Rows that satisfy one of them in another way, which may be a phrase too.
    pub others: Vec<List<'a>>,
}

#[derive(Default)]
pub(super) struct Candidates<'a> {
    /// How many rows there are in all.
    below: u32,
    /// They are in all of these,
    many: Vec<Cow<'a, TextRows>>,
    /// and in this one, the shortest of those that are listed.
    few: Option<Cow<'a, [u32]>>,
    /// They are in all of these too.
    any: Vec<AnyOf<'a>>,
}

/// Rows that are in one of several.
struct AnyOf<'a> {
    pair: PairRows<'a>,
    lists: Vec<List<'a>>,
}

/// Of so many of these all rows are gathered for one phrase.
const MOST_UNITED: usize = 4;

impl<'a> Candidates<'a> {
    pub(super) fn below(rows: u32) -> Self {
        Self { below: rows, ..Self::default() }
    }

    pub(super) fn put_pair(&mut self, pair: &KnownPair<'a>) {
        match pair.rows {
            rows if !pair.others.is_empty() => self.put_any(AnyOf { pair: rows, lists: pair.others.clone() }),
            PairRows::Few(rows) => self.put_few(rows.len(), || Cow::Borrowed(rows)),
            PairRows::Many(rows) => self.many.push(Cow::Borrowed(rows)),
        }
    }

    /// Of a word that all rows have, but perhaps in a way that makes no phrase.
    pub(super) fn put_word(&mut self, word: &Clause<'a>) {
        if word.lists.iter().any(|one| one.moved == NOWHERE) {
            let in_phrases = word.lists.iter().filter(|one| one.moved != NOWHERE);
            let lists = in_phrases.map(|one| one.list).collect();
            self.put_any(AnyOf { pair: PairRows::Few(&[]), lists });
        }
    }

    /// Of a word that rows need not have.
    pub(super) fn put_small_word(&mut self, word: &Clause<'a>) {
        match word.only_list() {
            Some(List::Sparse(entries)) => {
                let rows = entries.iter().map(|entry| entry.row());
                self.put_few(entries.len(), || rows.collect());
            }
            Some(List::Dense(list)) => self.many.push(Cow::Borrowed(list.rows())),
            None => {}
        }
    }

    fn put_any(&mut self, any: AnyOf<'a>) {
        match any.most_rows() {
            Some(count) if count < self.below as usize / DENSE => {
                self.put_few(count, || Cow::Owned(any.to_vec()));
            }
            _ => self.any.push(any),
        }
    }

    fn put_few(&mut self, count: usize, rows: impl FnOnce() -> Cow<'a, [u32]>) {
        if self.few.as_ref().is_none_or(|few| count < few.len()) {
            self.few = Some(rows());
        }
    }

    /// Where they are not listed, it pays to gather more sets.
    pub(super) fn finish(mut self) -> Self {
        if self.few.is_none() {
            let any = self.any.drain(..).take(MOST_UNITED);
            self.many.extend(any.map(|any| Cow::Owned(any.united(self.below))));
        }
        self
    }

    /// Visits all of them while `visit` wants more.
    pub(super) fn try_each(&self, rows: &RowSet, visit: impl FnMut(u32) -> bool) {
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
    pub(super) fn try_each_own(&self, rows: &RowSet, visit: impl FnMut(u32) -> bool) {
        if self.few.is_some() {
            self.try_each(rows, visit);
        } else if let Some(own) = self.own() {
            rows.try_each_of(|number, rows| in_all(&own, number, rows), visit);
        }
    }

    /// Visits the others.
    pub(super) fn try_each_other(&self, rows: &RowSet, visit: impl FnMut(u32) -> bool) {
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

impl AnyOf<'_> {
    /// No fewer rows than there are, unless there are very many.
    fn most_rows(&self) -> Option<usize> {
        match self.pair {
            PairRows::Few(rows) => Some(rows.len() + self.lists.iter().map(|list| list.len()).sum::<usize>()),
            PairRows::Many(_) => None,
        }
    }

    fn to_vec(&self) -> Vec<u32> {
        let mut rows = match self.pair {
            PairRows::Few(rows) => rows.to_vec(),
            PairRows::Many(rows) => rows.all().to_vec(),
        };
        for list in &self.lists {
            rows.extend(list.entries().iter().map(|entry| entry.row()));
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// All rows; where it is not known which of the few have the pair in a text of their own, all may.
    fn united(&self, below: u32) -> TextRows {
        let (mut all, mut own) = (RowSet::below(below), RowSet::below(below));
        match self.pair {
            PairRows::Few(rows) => rows.iter().for_each(|row| {
                all.insert(*row);
                own.insert(*row);
            }),
            PairRows::Many(rows) => {
                all.add_all(rows.all());
                rows.own().into_iter().for_each(|rows| own.add_all(rows));
            }
        }
        for list in &self.lists {
            list.add_rows_to(&mut all);
            list.add_own_rows_to(&mut own);
        }
        TextRows::new(all, own)
    }
}

/// Those of 64 rows that are in all sets.
fn in_all(sets: &[&RowSet], number: u32, rows: u64) -> u64 {
    sets.iter().fold(rows, |rows, set| rows & set.word(number))
}
