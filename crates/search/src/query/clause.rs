//! One word of a query: the posting lists of the rows that satisfy it.

use std::borrow::Cow;
use std::ops::Range;

use crate::index::Index;
use crate::index::lists::{Cursor, List, Occurrences, Place};
use crate::index::positions::Positions;
use crate::index::row_set::RowSet;

/// A row satisfies a clause if any of its lists has the row.
#[derive(Clone, Default)]
pub(super) struct Clause<'a> {
    pub lists: Vec<Occurrences<'a>>,
    /// The places of the word in the query.
    pub offsets: Vec<usize>,
}

impl<'a> Clause<'a> {
    /// A clause for the numbered words, at a place of the query.
    pub(super) fn of_words(index: &'a Index, words: &[u32], place: usize) -> Self {
        let lists = words.iter().map(|word| index.occurrences(*word, 0)).collect();
        Self { lists, offsets: vec![place] }
    }

    /// A clause for all forms of a word.
    pub(super) fn forms(index: &'a Index, word: &str, place: usize) -> Self {
        Self::of_words(index, &index.lexicon.forms(word), place)
    }

    /// A clause for a word without its other forms.
    pub(super) fn exactly(index: &'a Index, word: &str, place: usize) -> Self {
        Self::of_words(index, index.lexicon.find(word).as_slice(), place)
    }

    /// Adds lists, each only once: a repeated expression brings the same lists each time.
    pub(super) fn add_lists(&mut self, lists: impl IntoIterator<Item = Occurrences<'a>>) {
        for one in lists {
            if !self.lists.iter().any(|other| (other.id, other.shift) == (one.id, one.shift)) {
                self.lists.push(one);
            }
        }
    }

    /// The same clause for some places of the query only, counted from the first of them. `None` if it is at none.
    pub(super) fn within(&self, places: &Range<usize>) -> Option<Self> {
        let there = self.offsets.iter().filter(|place| places.contains(place));
        let offsets: Vec<usize> = there.map(|place| place - places.start).collect();
        (!offsets.is_empty()).then(|| Self { lists: self.lists.clone(), offsets })
    }

    /// An upper bound for the number of rows.
    pub(super) fn max_rows(&self) -> usize {
        self.lists.iter().map(|one| one.list.len()).sum()
    }

    pub(super) fn has_rows(&self) -> bool {
        self.lists.iter().any(|one| !one.list.is_empty())
    }

    /// Whether some row has the word in a text of its owner.
    pub(super) fn is_in_owners(&self) -> bool {
        self.lists
            .iter()
            .any(|one| one.list.is_in_owners() || one.again.iter().any(|entry| !entry.position().is_own()))
    }

    /// All rows, in an index of `below` rows.
    pub(super) fn rows(&self, below: u32) -> Cow<'a, RowSet> {
        if let [Occurrences { list: List::Dense(list), .. }] = self.lists[..] {
            return Cow::Borrowed(list.rows());
        }
        let mut rows = RowSet::below(below);
        for (number, one) in self.lists.iter().enumerate() {
            // A synonym of several words brings the same list for each word, with another shift.
            if !self.lists[..number].iter().any(|other| other.id == one.id) {
                one.list.add_rows_to(&mut rows);
            }
        }
        Cow::Owned(rows)
    }

    /// The rows that have the word in a place; for [`Place::Owner`] perhaps some others.
    pub(super) fn rows_in(&self, place: Place, below: u32) -> Cow<'a, RowSet> {
        if let [Occurrences { list: List::Dense(list), .. }] = self.lists[..]
            && let Some(rows) = list.rows_in(place)
        {
            return Cow::Borrowed(rows);
        }
        let mut rows = RowSet::below(below);
        self.lists.iter().for_each(|one| one.list.add_rows_in_to(place, &mut rows));
        Cow::Owned(rows)
    }
}

/// Reads the lists of a clause for ascending rows.
pub(super) struct ClauseCursor<'a> {
    offsets: &'a [usize],
    lists: Vec<Cursor<'a>>,
}

impl<'a> ClauseCursor<'a> {
    pub(super) fn of(clause: &'a Clause<'a>) -> Self {
        let lists = clause.lists.iter().map(|one| Cursor::of(*one)).collect();
        Self { offsets: &clause.offsets, lists }
    }

    pub(super) fn has(&mut self, row: u32) -> bool {
        self.lists.iter_mut().any(|list| list.has(row))
    }

    /// The positions in a row; only the first of each list, if not `all` are needed.
    pub(super) fn positions(&mut self, row: u32, all: bool) -> Positions {
        let mut positions = Positions::default();
        self.lists.iter_mut().for_each(|list| positions.add(list.positions(row, all)));
        positions
    }

    /// Keeps the starts of phrases that have the word at one of these positions.
    pub(super) fn narrow(&self, starts: Positions, positions: Positions) -> Positions {
        self.offsets.iter().fold(starts, |starts, nth| starts.and(positions.starts(*nth)))
    }
}
