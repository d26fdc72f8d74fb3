//! The list of a common word: one bit for each row, and a byte for each row that has it, which says where.
//!
//! For each block of 512 rows it is known how many entries stand before it. So the place of a row in the list (its rank, in
//! the words of succinct data structures) is that number and the count of the bits before its own; whether a row is listed,
//! and at which place, is known without searching. Only lists of one row in 64 or more are kept so. That takes less memory
//! than entries with rows from one row in 22 on; below, it is the price of sets that can be combined.

use std::ops::Range;

use super::entry::Entry;
use super::row_set::RowSet;
use super::text_rows::TextRows;

pub(super) struct DenseList {
    rows: TextRows,
    /// How many entries stand before each block.
    before: Vec<u32>,
    /// What the entries say beside their rows.
    places: Box<[u8]>,
}

/// A block has so many words of 64 rows.
const BLOCK: usize = 8;

/// A list is dense if it has one row of so many.
pub(super) const DENSE: usize = 64;

/// Shorter lists are read or searched in no time. Tests have few rows.
pub(super) const SHORTEST: usize = if cfg!(test) { 200 } else { 10_000 };

impl DenseList {
    /// Only of a list that is long and dense.
    pub(super) fn if_dense(list: &[Entry]) -> Option<Self> {
        let last = list.last()?.row();
        (list.len() >= SHORTEST && list.len() * DENSE > last as usize).then(|| Self::of(list))
    }

    fn of(list: &[Entry]) -> Self {
        let rows = set_of(list.iter());
        let mut entries = 0;
        let before = rows.words().chunks(BLOCK).map(|block| {
            let before = entries;
            entries += ones(block);
            before
        });
        let before = before.collect();
        let own = set_of(list.iter().filter(|entry| entry.position().is_own()));
        let places = list.iter().map(|entry| entry.place()).collect();
        Self { before, places, rows: TextRows::new(rows, own) }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn rows(&self) -> &TextRows {
        &self.rows
    }

    /// The entry of a row.
    pub(super) fn find(&self, row: u32) -> Option<Entry> {
        self.rows.all().contains(row).then(|| Entry::from_place(row, self.places[self.rank(row)]))
    }

    /// The entries of a range of rows.
    pub(super) fn within(&self, rows: &Range<u32>) -> impl Iterator<Item = Entry> {
        let places = self.places.get(self.rank(rows.start)..).unwrap_or_default();
        self.rows.all().within(rows).zip(places).map(|(row, place)| Entry::from_place(row, *place))
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.len());
        self.rows.all().try_each(|row| {
            entries.extend(self.places.get(entries.len()).map(|place| Entry::from_place(row, *place)));
            true
        });
        entries
    }

    /// How many entries stand before that of a row.
    fn rank(&self, row: u32) -> usize {
        let (word, own) = ((row / u64::BITS) as usize, 1u64 << (row % u64::BITS));
        let (block, words) = (word / BLOCK, self.rows.all().words());
        let (Some(before), Some(rows)) = (self.before.get(block), words.get(word)) else {
            return self.places.len();
        };
        (before + ones(&words[block * BLOCK..word]) + (rows & (own - 1)).count_ones()) as usize
    }
}

fn ones(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

fn set_of<'a>(list: impl DoubleEndedIterator<Item = &'a Entry> + Clone) -> RowSet {
    let mut rows = RowSet::below(list.clone().next_back().map_or(0, |last| last.row() + 1));
    list.for_each(|entry| rows.insert(entry.row()));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::positions::Position;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_are_kept_as_they_were(
            rows in prop::collection::btree_map(0u32..1400, (0u8..128, any::<bool>()), 1..300),
            (start, length) in (0u32..1500, 0u32..1500),
        ) {
            let entry = |(row, (position, repeated)): (&u32, &(u8, bool))| {
                let entry = Entry::new(*row, Position::from_number(*position));
                if *repeated { entry.repeated() } else { entry }
            };
            let list: Vec<Entry> = rows.iter().map(entry).collect();
            let dense = DenseList::of(&list);
            prop_assert_eq!(dense.len(), list.len());
            prop_assert_eq!(dense.entries(), &list[..]);
            for row in 0..1500 {
                prop_assert_eq!(dense.find(row), list.iter().find(|entry| entry.row() == row).copied());
            }
            let range = start..start + length;
            let within = list.iter().copied().filter(|entry| range.contains(&entry.row()));
            prop_assert!(dense.within(&range).eq(within));
            let own = list.iter().filter(|entry| entry.position().is_own()).map(|entry| entry.row());
            prop_assert_eq!(dense.rows().own().map(RowSet::to_vec).unwrap_or_default(), own.collect::<Vec<_>>());
        }
    }

    #[test]
    fn only_long_lists_of_common_words_are_kept_so() {
        let every = |step: usize| -> Vec<Entry> {
            (0..(2 * SHORTEST * step) as u32)
                .step_by(step)
                .map(|row| Entry::new(row, Position::from_number(1)))
                .collect()
        };
        assert!(DenseList::if_dense(&every(DENSE - 1)).is_some());
        assert!(DenseList::if_dense(&every(DENSE + 1)).is_none());
        assert!(DenseList::if_dense(&every(1)[..SHORTEST - 1]).is_none());
        assert!(DenseList::if_dense(&[]).is_none());
    }
}
