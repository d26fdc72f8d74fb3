//! For each word the rows that have it, ascending, and where in them it stands.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::dense_list::DenseList;
use super::entry::Entry;
use super::row_set::RowSet;

/// The lists of all words.
#[derive(Default)]
pub(super) struct Lists {
    /// The lists that are not dense behind each other, in the order of the words.
    entries: Vec<Entry>,
    /// Where each of them ends; it starts where the one before it ends. That of a word with a dense list is empty.
    ends: Vec<u64>,
    /// By word.
    dense: BTreeMap<u32, DenseList>,
}

/// The list of one word.
#[derive(Clone, Copy)]
pub(super) enum List<'a> {
    Sparse(&'a [Entry]),
    Dense(&'a DenseList),
}

/// One that stands alone.
pub(super) enum OwnedList {
    Sparse(Vec<Entry>),
    Dense(DenseList),
}

impl OwnedList {
    pub(super) fn of(entries: Vec<Entry>) -> Self {
        DenseList::if_dense(&entries).map_or(Self::Sparse(entries), Self::Dense)
    }

    pub(super) fn as_list(&self) -> List<'_> {
        match self {
            Self::Sparse(entries) => List::Sparse(entries),
            Self::Dense(list) => List::Dense(list),
        }
    }
}

impl<'a> List<'a> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Sparse(entries) => entries.len(),
            Self::Dense(list) => list.len(),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub(super) fn entries(self) -> Cow<'a, [Entry]> {
        match self {
            Self::Sparse(entries) => Cow::Borrowed(entries),
            Self::Dense(list) => Cow::Owned(list.entries()),
        }
    }

    /// The entry of a row. `from` is a place in a sparse list that is not behind it; it moves on for the rows that follow.
    pub(super) fn find(self, row: u32, from: &mut usize) -> Option<Entry> {
        match self {
            Self::Dense(list) => list.find(row),
            Self::Sparse(entries) => {
                *from = seek(entries, *from, row);
                entries.get(*from).copied().filter(|entry| entry.row() == row)
            }
        }
    }

    /// Whether a row is listed, in the same way.
    pub(super) fn has(self, row: u32, from: &mut usize) -> bool {
        match self {
            Self::Dense(list) => list.rows().all().contains(row),
            Self::Sparse(_) => self.find(row, from).is_some(),
        }
    }

    pub(super) fn add_rows_to(self, rows: &mut RowSet) {
        match self {
            Self::Sparse(entries) => rows.insert_all(entries),
            Self::Dense(list) => rows.add_all(list.rows().all()),
        }
    }

    /// Only those that have the word in a text of their own.
    pub(super) fn add_own_rows_to(self, rows: &mut RowSet) {
        match self {
            Self::Sparse(entries) => {
                rows.insert_all(entries.iter().filter(|entry| entry.position().is_own()));
            }
            Self::Dense(list) => list.rows().own().into_iter().for_each(|own| rows.add_all(own)),
        }
    }
}

impl Lists {
    /// Of where each list ends, and the entries of all.
    pub(super) fn from_parts((mut ends, mut entries): (Vec<u64>, Vec<Entry>)) -> Self {
        let mut dense = BTreeMap::new();
        let (mut start, mut kept) = (0, 0);
        for (word, end) in (0..).zip(&mut ends) {
            let list = start..*end as usize;
            start = list.end;
            match DenseList::if_dense(&entries[list.clone()]) {
                Some(list) => _ = dense.insert(word, list),
                None => {
                    // What stays moves to the front, so that no second copy of all is needed.
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

    /// Lists in which a row may stand several times.
    pub(super) fn of_repeated((ends, entries): (Vec<u64>, Vec<Entry>)) -> Self {
        Self { entries, ends, dense: BTreeMap::new() }
    }

    pub(super) fn of(&self, word: u32) -> List<'_> {
        self.dense.get(&word).map_or_else(|| List::Sparse(self.sparse(word..word + 1)), List::Dense)
    }

    /// Of all words, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = List<'_>> {
        (0..self.ends.len() as u32).map(|word| self.of(word))
    }

    /// How many entries the lists of consecutive words have in all.
    pub(super) fn entries_of(&self, words: Range<u32>) -> usize {
        let dense = self.dense.range(words.clone()).map(|(_, list)| list.len());
        self.sparse(words).len() + dense.sum::<usize>()
    }

    /// Adds the rows that have some of consecutive words.
    pub(super) fn add_rows_of(&self, words: Range<u32>, rows: &mut RowSet) {
        rows.insert_all(self.sparse(words.clone()));
        self.dense.range(words).for_each(|(_, list)| rows.add_all(list.rows().all()));
    }

    /// The entries of those of consecutive words whose lists are not dense.
    pub(super) fn sparse(&self, words: Range<u32>) -> &[Entry] {
        let end_of = |end: u32| end.checked_sub(1).map_or(0, |last| self.ends[last as usize] as usize);
        &self.entries[end_of(words.start)..end_of(words.end)]
    }
}

/// The first place at or after `from` whose row is not below `row`. Near places are found fastest.
pub(super) fn seek(list: &[Entry], from: usize, row: u32) -> usize {
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
        fn seeking_finds_the_first_row_that_is_not_below(
            rows in prop::collection::btree_set(0u32..200, 0..60), from in 0usize..70, row in 0u32..210,
        ) {
            let list: Vec<Entry> = rows.iter().map(|row| entry(*row)).collect();
            let from = from.min(list.len());
            let expected = (from..list.len()).find(|at| list[*at].row() >= row).unwrap_or(list.len());
            prop_assert_eq!(seek(&list, from, row), expected);
        }

        #[test]
        fn lists_are_the_same_however_they_are_kept(
            lists in prop::collection::vec((0u32..600, 1usize..200), 0..9), from in 0u32..9, length in 0u32..9,
        ) {
            let lists: Vec<Vec<Entry>> =
                lists.iter().map(|(rows, step)| (0..*rows).step_by(*step).map(entry).collect()).collect();
            let ends = lists.iter().scan(0, |end, list| {
                *end += list.len() as u64;
                Some(*end)
            });
            let kept = Lists::from_parts((ends.collect(), lists.concat()));
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
            prop_assert_eq!(all.to_vec(), expected.to_vec());
        }
    }
}
