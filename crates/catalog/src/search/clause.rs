//! One word of a query: the lists of rows that satisfy it, and the reading of them.

use std::borrow::Cow;
use std::ops::Range;

use super::entry::Entry;
use super::positions::Positions;
use super::postings::{List, seek};
use super::row_set::RowSet;

/// Rows that satisfy one word of a query, by any of several lists.
#[derive(Clone, Default)]
pub(super) struct Clause<'a> {
    pub lists: Vec<Occurrences<'a>>,
    /// The rows of all of them, where they are known.
    pub union: Option<&'a Union>,
    /// At which places of the query the word stands.
    pub offsets: Vec<usize>,
}

/// All rows of a word that has several lists.
pub(super) struct Union {
    pub rows: RowSet,
    pub count: usize,
}

impl Union {
    pub(super) fn of(rows: RowSet) -> Self {
        Self { count: rows.len(), rows }
    }
}

/// Whose list it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ListId {
    Word(u32),
    /// A word where it is a code.
    Code(u32),
    /// One of the table of synonyms.
    Expression(usize),
}

/// Where rows have a word, or something that means the same.
#[derive(Clone, Copy)]
pub(super) struct Occurrences<'a> {
    pub id: ListId,
    /// Each row once, with the first position.
    pub list: List<'a>,
    /// The further positions of rows that have it several times.
    pub again: &'a [Entry],
    /// By so many words the positions are moved: what stands for a whole expression stands for its second word too.
    pub moved: u8,
}

impl<'a> Clause<'a> {
    /// What stands several times in a query brings the same lists each time.
    pub(super) fn add_lists(&mut self, lists: impl IntoIterator<Item = Occurrences<'a>>) {
        for one in lists {
            if !self.lists.iter().any(|other| (other.id, other.moved) == (one.id, one.moved)) {
                self.lists.push(one);
            }
        }
    }

    /// As if only these places of the query had been asked for, if it is at one of them.
    pub(super) fn within(&self, places: &Range<usize>) -> Option<Self> {
        let there = self.offsets.iter().filter(|place| places.contains(place));
        let offsets: Vec<usize> = there.map(|place| place - places.start).collect();
        (!offsets.is_empty()).then(|| Self { lists: self.lists.clone(), union: self.union, offsets })
    }

    /// No fewer rows than it has.
    pub(super) fn most_rows(&self) -> usize {
        self.lists.iter().map(|one| one.list.len()).sum()
    }

    /// No more rows than it has.
    pub(super) fn least_rows(&self) -> usize {
        self.lists.iter().map(|one| one.list.len()).max().unwrap_or(0)
    }

    /// How many rows it has, of a part that has so many.
    pub(super) fn count(&self, below: u32) -> usize {
        match (self.union, self.only_list()) {
            (Some(union), _) => union.count,
            (_, Some(list)) => list.len(),
            _ => self.rows(below).len(),
        }
    }

    pub(super) fn has_rows(&self) -> bool {
        self.lists.iter().any(|one| !one.list.is_empty())
    }

    /// Its list, unless there are several.
    pub(super) fn only_list(&self) -> Option<List<'a>> {
        match self.lists[..] {
            [] => Some(List::Sparse(&[])),
            [Occurrences { list, .. }] => Some(list),
            _ => None,
        }
    }

    /// The rows of its list, unless there are several.
    fn only_set(&self) -> Option<&'a RowSet> {
        match self.only_list() {
            Some(List::Dense(list)) => Some(list.rows().all()),
            _ => None,
        }
    }

    /// All its rows, of a part that has so many.
    pub(super) fn rows(&self, below: u32) -> Cow<'a, RowSet> {
        if let Some(rows) = self.union.map(|union| &union.rows).or(self.only_set()) {
            return Cow::Borrowed(rows);
        }
        let mut rows = RowSet::below(below);
        self.lists.iter().for_each(|one| one.list.add_rows_to(&mut rows));
        Cow::Owned(rows)
    }

    /// Those that have it in a text of their own.
    pub(super) fn own_rows(&self, below: u32) -> Cow<'a, RowSet> {
        if let Some(List::Dense(list)) = self.only_list()
            && let Some(rows) = list.rows().own()
        {
            return Cow::Borrowed(rows);
        }
        let mut rows = RowSet::below(below);
        self.lists.iter().for_each(|one| one.list.add_own_rows_to(&mut rows));
        Cow::Owned(rows)
    }
}

/// Reads the lists of a clause in the order of the rows.
pub(super) struct ClauseReader<'a> {
    pub clause: &'a Clause<'a>,
    places: Vec<Place>,
}

/// How far a list is read: nothing before these places is asked for again.
#[derive(Clone, Copy, Default)]
struct Place {
    list: usize,
    again: usize,
}

impl<'a> ClauseReader<'a> {
    pub(super) fn of(clause: &'a Clause<'a>) -> Self {
        Self { clause, places: vec![Place::default(); clause.lists.len()] }
    }

    /// Whether a row has the word. Rows are asked for in ascending order.
    pub(super) fn has(&mut self, row: u32) -> bool {
        if let Some(union) = self.clause.union {
            return union.rows.contains(row);
        }
        let lists = self.clause.lists.iter().zip(&mut self.places);
        lists.into_iter().any(|(one, place)| one.list.has(row, &mut place.list))
    }

    /// Where a row has the word; the first position of each list alone, if the others are not wanted. Rows are asked for in
    /// ascending order.
    pub(super) fn look_up(&mut self, row: u32, all: bool) -> Positions {
        let mut at = Positions::default();
        for (one, place) in self.clause.lists.iter().zip(&mut self.places) {
            let Some(entry) = one.list.find(row, &mut place.list) else { continue };
            let mut here = Positions::of(entry.position());
            if all && entry.is_repeated() {
                here.add(again(one, row, &mut place.again));
            }
            at.add(here.later(one.moved));
        }
        at
    }
}

/// The further positions of a row. `from` is a place that is not behind it; it moves on for the rows that follow.
fn again(one: &Occurrences<'_>, row: u32, from: &mut usize) -> Positions {
    *from = seek(one.again, *from, row);
    let mut at = Positions::default();
    let same = one.again.get(*from..).unwrap_or_default().iter().take_while(|entry| entry.row() == row);
    same.for_each(|entry| at.add(Positions::of(entry.position())));
    at
}
