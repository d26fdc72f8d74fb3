//! A bitmap with rank: whether a row is in a long list, and at which place, without searching.
//!
//! One bit for each row, and for each block of 64 rows how many entries stand before it. The place of a row (its rank, in
//! the words of succinct data structures) is that number and the count of the bits before its own. Only lists as dense
//! as those of the commonest words get one.

use std::ops::Range;

use super::entry::Entry;
use super::row_set::RowSet;

pub(super) struct RankBitmap {
    /// Which rows of each block are listed.
    rows: Vec<u64>,
    /// How many entries stand before each block.
    before: Vec<u32>,
}

const BLOCK: u32 = u64::BITS;

/// A list is dense if it has one row of so many.
const DENSE: usize = 32;

/// Shorter lists are read or searched in no time.
const SHORTEST: usize = 10_000;

impl RankBitmap {
    /// Only of a list that is long and dense.
    pub(super) fn if_dense(list: &[Entry]) -> Option<Self> {
        let last = list.last()?.row();
        (list.len() >= SHORTEST && list.len() * DENSE > last as usize).then(|| Self::of(list))
    }

    pub(super) fn of(list: &[Entry]) -> Self {
        let rows = list.last().map_or(0, |entry| entry.row() + 1);
        let mut bits = vec![0u64; rows.div_ceil(BLOCK) as usize];
        for entry in list {
            bits[(entry.row() / BLOCK) as usize] |= 1 << (entry.row() % BLOCK);
        }
        let mut entries = 0;
        let before = bits.iter().map(|block| {
            let before = entries;
            entries += block.count_ones();
            before
        });
        Self { before: before.collect(), rows: bits }
    }

    /// Adds the rows of a window to a set of the window's places. It starts at a multiple of 64.
    pub(super) fn add_to(&self, window: &Range<u32>, places: &mut RowSet) {
        places.add_words(self.rows.get((window.start / BLOCK) as usize..).unwrap_or_default());
    }

    /// The place of a row in the list, if it is listed.
    pub(super) fn rank(&self, row: u32) -> Option<usize> {
        let block = (row / BLOCK) as usize;
        let (rows, own) = (self.rows.get(block)?, 1u64 << (row % BLOCK));
        (rows & own != 0).then(|| (self.before[block] + (rows & (own - 1)).count_ones()) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::positions::Position;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_row_is_found_where_it_stands(rows in prop::collection::btree_set(0u32..400, 0..120)) {
            let list: Vec<Entry> = rows.iter().map(|row| Entry::new(*row, Position::from_number(3))).collect();
            let bitmap = RankBitmap::of(&list);
            for row in 0..500 {
                prop_assert_eq!(bitmap.rank(row), list.iter().position(|entry| entry.row() == row));
            }
        }
    }

    #[test]
    fn only_long_and_dense_lists_have_a_bitmap() {
        let every = |step: usize| -> Vec<Entry> {
            (0..20_000 * step as u32)
                .step_by(step)
                .map(|row| Entry::new(row, Position::from_number(1)))
                .collect()
        };
        assert!(RankBitmap::if_dense(&every(31)).is_some());
        assert!(RankBitmap::if_dense(&every(33)).is_none());
        assert!(RankBitmap::if_dense(&every(1)[..9_999]).is_none());
        assert!(RankBitmap::if_dense(&[]).is_none());
    }
}
