//! Posting lists: for each word the rows that have it, ascending, and the positions in them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::dense_list::{DenseCursor, DenseList};
use super::entry::Entry;
use super::positions::Positions;
use super::row_set::RowSet;

pub(crate) use super::dense_list::{DENSE, Place};

/// The lists of all words.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The lists that are not dense, concatenated in the order of the words.
    entries: Vec<Entry>,
    /// The end of each list. A word with a dense list has an empty one.
    ends: Vec<u64>,
    /// The dense lists by word.
    dense: BTreeMap<u32, DenseList>,
}

/// The list of one word.
#[derive(Clone, Copy)]
pub(crate) enum List<'a> {
    Sparse(&'a [Entry]),
    Dense(&'a DenseList),
}

/// A list outside of [`Lists`].
pub(crate) enum OwnedList {
    Sparse(Vec<Entry>),
    Dense(DenseList),
}

impl OwnedList {
    pub(crate) fn of(entries: Vec<Entry>) -> Self {
        DenseList::if_dense(&entries).map_or(Self::Sparse(entries), Self::Dense)
    }

    pub(crate) fn as_list(&self) -> List<'_> {
        match self {
            Self::Sparse(entries) => List::Sparse(entries),
            Self::Dense(list) => List::Dense(list),
        }
    }
}

impl<'a> List<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Sparse(entries) => entries.len(),
            Self::Dense(list) => list.len(),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub(crate) fn entries(self) -> Cow<'a, [Entry]> {
        match self {
            Self::Sparse(entries) => Cow::Borrowed(entries),
            Self::Dense(list) => Cow::Owned(list.entries()),
        }
    }

    /// Whether the first position of some row is in a text of its owner.
    pub(crate) fn is_in_owners(self) -> bool {
        match self {
            Self::Sparse(entries) => entries.iter().any(|entry| !entry.position().is_own()),
            Self::Dense(list) => list.is_in_owners(),
        }
    }

    pub(crate) fn add_rows_to(self, rows: &mut RowSet) {
        match self {
            Self::Sparse(entries) => rows.insert_all(entries),
            Self::Dense(list) => rows.unite(list.rows()),
        }
    }

    /// Adds the rows that have the word in a place; for [`Place::Owner`] perhaps some others.
    pub(crate) fn add_rows_in_to(self, place: Place, rows: &mut RowSet) {
        let is_there = |entry: &&Entry| match place {
            Place::Own => entry.position().is_own(),
            Place::Owner => !entry.position().is_own() || entry.is_repeated(),
        };
        match self {
            Self::Sparse(entries) => rows.insert_all(entries.iter().filter(is_there)),
            Self::Dense(list) => list.rows_in(place).into_iter().for_each(|there| rows.unite(there)),
        }
    }
}

impl Lists {
    /// Takes the end of each list and the entries of all.
    pub(crate) fn from_parts(mut ends: Vec<u64>, mut entries: Vec<Entry>) -> Self {
        let mut dense = BTreeMap::new();
        let (mut start, mut kept) = (0, 0);
        for (word, end) in (0..).zip(&mut ends) {
            let list = start..*end as usize;
            start = list.end;
            match DenseList::if_dense(&entries[list.clone()]) {
                Some(list) => _ = dense.insert(word, list),
                None => {
                    // Sparse lists move to the front, so that no second copy of all entries is needed.
                    entries.copy_within(list.clone(), kept);
                    kept += list.len();
                }
            }
            *end = kept as u64;
        }
        entries.truncate(kept);
        entries.shrink_to_fit();
        Self { entries, ends, dense }
    }

    /// Takes the entries of the sparse lists with their ends, and the dense lists by word.
    pub(super) fn new(entries: Vec<Entry>, ends: Vec<u64>, dense: BTreeMap<u32, DenseList>) -> Self {
        Self { entries, ends, dense }
    }

    /// Takes lists in which a row may occur several times. None of them becomes dense.
    pub(crate) fn of_repeated(ends: Vec<u64>, entries: Vec<Entry>) -> Self {
        Self { entries, ends, dense: BTreeMap::new() }
    }

    pub(crate) fn of(&self, word: u32) -> List<'_> {
        self.dense.get(&word).map_or_else(|| List::Sparse(self.sparse(word..word + 1)), List::Dense)
    }

    /// The lists of all words, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = List<'_>> {
        (0..self.ends.len() as u32).map(|word| self.of(word))
    }

    /// The number of entries in the lists of consecutive words.
    pub(crate) fn entries_of(&self, words: Range<u32>) -> usize {
        let dense = self.dense.range(words.clone()).map(|(_, list)| list.len());
        self.sparse(words).len() + dense.sum::<usize>()
    }

    /// Adds the rows that have any of some consecutive words.
    pub(crate) fn add_rows_of(&self, words: Range<u32>, rows: &mut RowSet) {
        rows.insert_all(self.sparse(words.clone()));
        self.dense.range(words).for_each(|(_, list)| rows.unite(list.rows()));
    }

    /// The entries of the sparse lists of consecutive words.
    pub(crate) fn sparse(&self, words: Range<u32>) -> &[Entry] {
        let end_of = |end: u32| end.checked_sub(1).map_or(0, |last| self.ends[last as usize] as usize);
        &self.entries[end_of(words.start)..end_of(words.end)]
    }
}

/// Identifies a list, so that the same one is not read twice for a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListId {
    Word(u32),
    /// A word used as a code.
    Code(u32),
    /// An expression of the table of synonyms.
    Expression(usize),
}

/// The rows and positions of a word, or of something with the same meaning.
#[derive(Clone, Copy)]
pub(crate) struct Occurrences<'a> {
    pub id: ListId,
    /// Each row once, with the first position.
    pub list: List<'a>,
    /// The further positions of rows that have it several times.
    pub again: &'a [Entry],
    /// Added to the positions: one word that stands for an expression also stands for its second word.
    pub shift: u8,
}

/// Reads the positions of ascending rows.
pub(crate) struct Cursor<'a> {
    occurrences: Occurrences<'a>,
    dense: DenseCursor,
    /// Indexes into the sparse list and the further positions. Entries before them are not read again.
    list: usize,
    again: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn of(occurrences: Occurrences<'a>) -> Self {
        Self { occurrences, dense: DenseCursor::default(), list: 0, again: 0 }
    }

    /// Whether a row is in the list.
    pub(crate) fn has(&mut self, row: u32) -> bool {
        match self.occurrences.list {
            List::Dense(list) => list.rows().contains(row),
            List::Sparse(_) => self.find(row).is_some(),
        }
    }

    /// The positions in a row; only the first, if not `all` are needed.
    pub(crate) fn positions(&mut self, row: u32, all: bool) -> Positions {
        let Some(entry) = self.find(row) else { return Positions::default() };
        let mut positions = Positions::of(entry.position());
        if all && entry.is_repeated() {
            positions.add(self.further_positions(row));
        }
        positions.shifted(self.occurrences.shift)
    }

    fn find(&mut self, row: u32) -> Option<Entry> {
        match self.occurrences.list {
            List::Dense(list) => self.dense.find(list, row),
            List::Sparse(entries) => {
                self.list = seek(entries, self.list, row);
                entries.get(self.list).copied().filter(|entry| entry.row() == row)
            }
        }
    }

    fn further_positions(&mut self, row: u32) -> Positions {
        let again = self.occurrences.again;
        self.again = seek(again, self.again, row);
        let mut positions = Positions::default();
        let same = again.get(self.again..).unwrap_or_default().iter().take_while(|entry| entry.row() == row);
        same.for_each(|entry| positions.add(Positions::of(entry.position())));
        positions
    }
}

/// The first index at or after `from` whose row is not below `row`. Near ones are found fastest.
fn seek(list: &[Entry], from: usize, row: u32) -> usize {
    let rest = &list[from.min(list.len())..];
    let mut reach = 1;
    while reach < rest.len() && rest[reach - 1].row() < row {
        reach *= 2;
    }
    let (near, far) = (reach / 2, reach.min(rest.len()));
    from + near + rest[near..far].partition_point(|entry| entry.row() < row)
}

#[cfg(test)]
mod tests {
    use super::super::positions::Position;
    use super::*;
    use proptest::prelude::*;

    fn entry(row: u32) -> Entry {
        Entry::new(row, Position::from_number((row % 128) as u8))
    }

    proptest! {
        #[test]
        fn seek_finds_the_first_row_not_below(
            rows in prop::collection::btree_set(0u32..200, 0..60), from in 0usize..70, row in 0u32..210,
        ) {
            let list: Vec<Entry> = rows.iter().map(|row| entry(*row)).collect();
            let from = from.min(list.len());
            let expected = (from..list.len()).find(|at| list[*at].row() >= row).unwrap_or(list.len());
            prop_assert_eq!(seek(&list, from, row), expected);
        }

        #[test]
        fn dense_and_sparse_lists_read_the_same(
            lists in prop::collection::vec((0u32..600, 1usize..200), 0..9), from in 0u32..9, length in 0u32..9,
        ) {
            let lists: Vec<Vec<Entry>> =
                lists.iter().map(|(rows, step)| (0..*rows).step_by(*step).map(entry).collect()).collect();
            let ends = lists.iter().scan(0, |end, list| {
                *end += list.len() as u64;
                Some(*end)
            });
            let kept = Lists::from_parts(ends.collect(), lists.concat());
            for (word, list) in (0..).zip(&lists) {
                prop_assert_eq!(&*kept.of(word).entries(), &list[..]);
            }
            prop_assert_eq!(kept.iter().flat_map(|list| list.entries().into_owned()).collect::<Vec<_>>(), lists.concat());
            let from = from.min(lists.len() as u32);
            let words = from..(from + length).min(lists.len() as u32);
            let some = lists[words.start as usize..words.end as usize].concat();
            prop_assert_eq!(kept.entries_of(words.clone()), some.len());
            let (mut all, mut expected) = (RowSet::below(600), RowSet::below(600));
            kept.add_rows_of(words, &mut all);
            expected.insert_all(&some);
            prop_assert!(all.iter().eq(expected.iter()));
        }
    }
}
