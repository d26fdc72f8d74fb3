//! One word of a query: the lists of rows that satisfy it, and the reading of them.

use std::ops::Range;

use super::entry::Entry;
use super::positions::Positions;
use super::postings::{List, seek};
use super::row_set::RowSet;

/// Rows that satisfy one word of a query, by any of several lists.
#[derive(Clone, Default)]
pub(super) struct Clause<'a> {
    pub lists: Vec<Occurrences<'a>>,
    /// Further rows, of which it is not known where they have it.
    pub set: Option<&'a RowSet>,
    /// At which places of the query the word stands.
    pub offsets: Vec<usize>,
}

/// Where rows have a word, or something that means the same.
#[derive(Clone, Copy)]
pub(super) struct Occurrences<'a> {
    /// Each row once, with the first position.
    pub list: List<'a>,
    /// The further positions of rows that have it several times.
    pub again: &'a [Entry],
    /// By so many words the positions are moved: what stands for a whole expression stands for its second word too.
    pub moved: u8,
}

/// In entries read, what it costs to see that the next entry of a list is not the one.
const LOOK_COST: usize = 2;
/// In entries read, what it costs to seek an entry in a list.
const SEEK_COST: usize = 14;

impl Clause<'_> {
    /// No fewer rows than it has.
    pub(super) fn most_rows(&self) -> usize {
        let listed: usize = self.lists.iter().map(|one| one.list.entries.len()).sum();
        listed + self.set.map_or(0, RowSet::len)
    }

    pub(super) fn has_rows(&self) -> bool {
        self.set.is_some() || self.lists.iter().any(|one| !one.list.entries.is_empty())
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

    /// The first row from `start` on that is in a list or in the set.
    pub(super) fn next_row(&self, start: u32) -> Option<u32> {
        let first = |(one, place): (&Occurrences<'_>, &Place)| {
            let entries = one.list.entries;
            entries.get(seek(entries, place.list, start)).map(|entry| entry.row())
        };
        let listed = self.clause.lists.iter().zip(&self.places).filter_map(first);
        listed.chain(self.clause.set.and_then(|set| set.next(start))).min()
    }

    /// Whether looking so many rows of a window up costs less than reading the lists there.
    pub(super) fn prefers_look_up(&mut self, window: &Range<u32>, rows: usize) -> bool {
        let (mut reading, mut looking) = (0, 0);
        for (one, place) in self.clause.lists.iter().zip(&mut self.places) {
            let entries = one.list.entries;
            place.list = seek(entries, place.list, window.start);
            let within = seek(entries, place.list, window.end) - place.list;
            let sought = if one.list.bitmap.is_some() { 0 } else { rows.min(within) };
            reading += within;
            looking += rows * LOOK_COST + sought * SEEK_COST;
        }
        looking <= reading
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

    /// Visits the entries of a window, with their places in it and where they have the word.
    pub(super) fn read(&mut self, window: &Range<u32>, mut visit: impl FnMut(u32, Positions)) {
        for (one, place) in self.clause.lists.iter().zip(&mut self.places) {
            let mut visit_all = |entries: &[Entry], from: &mut usize| {
                let start = seek(entries, *from, window.start);
                let end = seek(entries, start, window.end);
                entries[start..end].iter().for_each(|entry| {
                    visit(entry.row() - window.start, Positions::of(entry.position()).later(one.moved));
                });
                *from = end;
            };
            visit_all(one.list.entries, &mut place.list);
            visit_all(one.again, &mut place.again);
        }
    }

    /// Whether its rows are those of one list.
    pub(super) fn visits_each_row_once(&self) -> bool {
        self.clause.lists.len() == 1 && self.clause.set.is_none()
    }

    /// Visits the rows of a window, if they are those of one list, with all positions.
    pub(super) fn visit_rows(&mut self, window: &Range<u32>, mut visit: impl FnMut(u32, Positions)) {
        let ([one], [place]) = (&self.clause.lists[..], &mut self.places[..]) else { return };
        let entries = one.list.entries;
        let start = seek(entries, place.list, window.start);
        place.list = seek(entries, start, window.end);
        for entry in &entries[start..place.list] {
            let mut at = Positions::of(entry.position());
            if entry.is_repeated() {
                at.add(again(one, entry.row(), &mut place.again));
            }
            visit(entry.row(), at.later(one.moved));
        }
    }

    /// Adds the rows of a window to a set of the window's places.
    pub(super) fn add_rows(&mut self, window: &Range<u32>, rows: &mut RowSet) {
        for (one, place) in self.clause.lists.iter().zip(&mut self.places) {
            if let Some(bitmap) = one.list.bitmap {
                bitmap.add_to(window, rows);
                continue;
            }
            let entries = one.list.entries;
            let start = seek(entries, place.list, window.start);
            let end = seek(entries, start, window.end);
            entries[start..end].iter().for_each(|entry| rows.insert(entry.row() - window.start));
            place.list = end;
        }
        if let Some(set) = self.clause.set {
            rows.add_from(set, window.start);
        }
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
