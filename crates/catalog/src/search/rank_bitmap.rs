//! A bitmap with rank: whether a row is in a long list, and at which place, without searching.
//!
//! One bit for each row, and for each block of 32 rows how many entries stand before it. The place of a row (its rank, in
//! the words of succinct data structures) is that number and the count of the bits before its own. Only lists as dense
//! as those of the commonest words get one.

use std::ops::Range;

use super::entry::Entry;
use super::row_set::RowSet;

pub(super) struct RankBitmap {
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Default)]
struct Block {
    /// Which of the block's rows are listed.
    rows: u32,
    /// How many entries stand before the block.
    before: u32,
}

const BLOCK: u32 = u32::BITS;

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
        let mut blocks = vec![Block::default(); rows.div_ceil(BLOCK) as usize];
        for entry in list {
            blocks[(entry.row() / BLOCK) as usize].rows |= 1 << (entry.row() % BLOCK);
        }
        let mut before = 0;
        for block in &mut blocks {
            block.before = before;
            before += block.rows.count_ones();
        }
        Self { blocks }
    }

    /// Adds the rows of a window to a set of the window's places. It starts at a multiple of 64.
    pub(super) fn add_to(&self, window: &Range<u32>, places: &mut RowSet) {
        let blocks = self.blocks.get((window.start / BLOCK) as usize..).unwrap_or_default();
        let length = (window.len() as u32 / BLOCK) as usize;
        places.add_blocks(blocks.iter().take(length).map(|block| block.rows));
    }

    /// The place of a row in the list, if it is listed.
    pub(super) fn rank(&self, row: u32) -> Option<usize> {
        let block = self.blocks.get((row / BLOCK) as usize)?;
        let own = 1 << (row % BLOCK);
        (block.rows & own != 0).then(|| (block.before + (block.rows & (own - 1)).count_ones()) as usize)
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
