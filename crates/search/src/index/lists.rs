//! Posting lists: for each word the rows that have it, ascending, and the positions in them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::dense_list::{DenseCursor, DenseList};
use super::entry::Entry;
use super::merge_plan::MergePlan;
use super::positions::Positions;
use super::row_set::RowSet;
use super::segments::{Segment, Segments, SegmentsBuilder};

pub(crate) use super::dense_list::{DENSE, Place};

/// The lists of all words.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The lists that are not dense, and the further positions of all words.
    segments: Segments,
    /// The dense lists by word.
    dense: BTreeMap<u32, Arc<DenseList>>,
}

/// The list of one word.
#[derive(Clone, Copy)]
pub(crate) enum List<'a> {
    Sparse(&'a [Entry]),
    Dense(&'a Arc<DenseList>),
}

/// A list outside of [`Lists`].
pub(crate) enum OwnedList {
    Sparse(Vec<Entry>),
    Dense(Arc<DenseList>),
}

impl OwnedList {
    pub(crate) fn of(entries: Vec<Entry>) -> Self {
        DenseList::if_dense(&entries).map_or(Self::Sparse(entries), |list| Self::Dense(Arc::new(list)))
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

    /// Whether a row of the list goes or gets another number.
    pub(crate) fn is_moved(self, plan: &MergePlan) -> bool {
        match self {
            Self::Sparse(entries) => plan.moves(entries),
            Self::Dense(list) => plan.searched().iter().any(|rows| list.rows().has_any_of(rows.clone())),
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
    /// Takes the end of each list and the entries of all, and the same of the further positions. None of the latter
    /// becomes dense.
    pub(crate) fn from_parts(lists: (&[u64], &[Entry]), again: (&[u64], &[Entry])) -> Self {
        let mut builder = ListsBuilder::default();
        let (mut start, mut again_start) = (0, 0);
        for (end, again_end) in lists.0.iter().zip(again.0) {
            let (list, further) = (start..*end as usize, again_start..*again_end as usize);
            (start, again_start) = (list.end, further.end);
            builder.push(&lists.1[list], &again.1[further]);
        }
        builder.finish()
    }

    pub(super) fn builder() -> ListsBuilder {
        ListsBuilder::default()
    }

    pub(crate) fn of(&self, word: u32) -> List<'_> {
        self.dense.get(&word).map_or_else(|| List::Sparse(self.segments.list(word)), List::Dense)
    }

    /// The further positions of a word in rows that have it several times.
    pub(crate) fn again(&self, word: u32) -> &[Entry] {
        self.segments.again(word)
    }

    /// The number of words.
    pub(super) fn len(&self) -> u32 {
        self.segments.words()
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter()
    }

    /// Whether a row in any of these lists gets another number or goes.
    pub(super) fn are_moved(&self, segment: &Segment, plan: &MergePlan) -> bool {
        !plan.moves_none() && segment.words().any(|word| self.of(word).is_moved(plan))
    }

    /// The number of entries in the lists of consecutive words.
    pub(crate) fn entries_of(&self, words: Range<u32>) -> usize {
        let dense = self.dense.range(words.clone()).map(|(_, list)| list.len());
        let sparse = self.segments.lists(words).map(<[Entry]>::len);
        sparse.sum::<usize>() + dense.sum::<usize>()
    }

    /// Adds the rows that have any of some consecutive words.
    pub(crate) fn add_rows_of(&self, words: Range<u32>, rows: &mut RowSet) {
        self.segments.lists(words.clone()).for_each(|entries| rows.insert_all(entries));
        self.dense.range(words).for_each(|(_, list)| rows.unite(list.rows()));
    }
}

/// Makes the lists of all words, in the order of the words.
#[derive(Default)]
pub(super) struct ListsBuilder {
    segments: SegmentsBuilder,
    dense: BTreeMap<u32, Arc<DenseList>>,
}

impl ListsBuilder {
    /// Adds the list of the next word, and its further positions.
    pub(super) fn push(&mut self, list: &[Entry], again: &[Entry]) {
        match DenseList::if_dense(list) {
            Some(list) => self.push_dense(Arc::new(list), again),
            None => self.segments.push(list, again),
        }
    }

    /// Adds the further positions of the next word, whose list is dense.
    pub(super) fn push_dense(&mut self, list: Arc<DenseList>, again: &[Entry]) {
        self.dense.insert(self.segments.words(), list);
        self.segments.push(&[], again);
    }

    /// Adds the words of a segment of other lists as the next words.
    pub(super) fn share(&mut self, lists: &Lists, segment: &Segment) {
        let first = self.segments.words();
        self.segments.share(segment);
        let words = segment.words();
        let dense = lists.dense.range(words.clone());
        self.dense.extend(dense.map(|(word, list)| (word - words.start + first, Arc::clone(list))));
    }

    pub(super) fn finish(self) -> Lists {
        Lists { segments: self.segments.finish(), dense: self.dense }
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
            let ends: Vec<u64> = ends.collect();
            let kept = Lists::from_parts((&ends, &lists.concat()), (&vec![0; lists.len()], &[]));
            for (word, list) in (0..).zip(&lists) {
                prop_assert_eq!(&*kept.of(word).entries(), &list[..]);
            }
            prop_assert_eq!(kept.len() as usize, lists.len());
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
