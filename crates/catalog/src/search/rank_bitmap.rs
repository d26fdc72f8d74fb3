//! A bitmap with rank: whether a row is in a long list, and at which place, without searching.
//!
//! One bit for each row, and for each block of 512 rows how many entries stand before it. The place of a row (its rank, in
//! the words of succinct data structures) is that number and the count of the bits before its own. Only lists as dense
//! as those of the commonest words get one.

use super::entry::Entry;
use super::row_set::RowSet;

pub(super) struct RankBitmap {
    rows: RowSet,
    /// How many entries stand before each block.
    before: Vec<u32>,
    own: Own,
}

/// Which of the rows have the word in a text of their own, not only in the name of the company.
enum Own {
    All,
    None,
    Some(RowSet),
}

/// A block has so many words of 64 rows.
const BLOCK: usize = 8;

/// A list is dense if it has one row of so many.
pub(super) const DENSE: usize = 64;

/// Shorter lists are read or searched in no time. Tests have few rows.
pub(super) const SHORTEST: usize = if cfg!(test) { 200 } else { 10_000 };

impl RankBitmap {
    /// Only of a list that is long and dense.
    pub(super) fn if_dense(list: &[Entry]) -> Option<Self> {
        let last = list.last()?.row();
        (list.len() >= SHORTEST && list.len() * DENSE > last as usize).then(|| Self::of(list))
    }

    pub(super) fn of(list: &[Entry]) -> Self {
        let rows = set_of(list.iter());
        let mut entries = 0;
        let before = rows.words().chunks(BLOCK).map(|block| {
            let before = entries;
            entries += ones(block);
            before
        });
        Self { before: before.collect(), own: Own::of(list), rows }
    }

    pub(super) fn rows(&self) -> &RowSet {
        &self.rows
    }

    /// The rows that have the word in a text of their own, if there are any.
    pub(super) fn own_rows(&self) -> Option<&RowSet> {
        match &self.own {
            Own::All => Some(&self.rows),
            Own::None => None,
            Own::Some(rows) => Some(rows),
        }
    }

    /// The place of a row in the list, if it is listed.
    pub(super) fn rank(&self, row: u32) -> Option<usize> {
        let (word, own) = ((row / u64::BITS) as usize, 1u64 << (row % u64::BITS));
        let words = self.rows.words();
        let rows = *words.get(word)?;
        if rows & own == 0 {
            return None;
        }
        let block = word / BLOCK;
        let place = self.before[block] + ones(&words[block * BLOCK..word]) + (rows & (own - 1)).count_ones();
        Some(place as usize)
    }
}

fn ones(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

impl Own {
    fn of(list: &[Entry]) -> Self {
        let own = || list.iter().filter(|entry| entry.position().is_own());
        match own().count() {
            0 => Self::None,
            count if count == list.len() => Self::All,
            _ => Self::Some(set_of(own())),
        }
    }
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
        fn a_row_is_found_where_it_stands(rows in prop::collection::btree_set(0u32..1400, 0..300)) {
            let list: Vec<Entry> = rows.iter().map(|row| Entry::new(*row, Position::from_number(3))).collect();
            let bitmap = RankBitmap::of(&list);
            for row in 0..1500 {
                prop_assert_eq!(bitmap.rank(row), list.iter().position(|entry| entry.row() == row));
            }
        }
    }

    #[test]
    fn only_long_and_dense_lists_have_a_bitmap() {
        let every = |step: usize| -> Vec<Entry> {
            (0..(2 * SHORTEST * step) as u32)
                .step_by(step)
                .map(|row| Entry::new(row, Position::from_number(1)))
                .collect()
        };
        assert!(RankBitmap::if_dense(&every(DENSE - 1)).is_some());
        assert!(RankBitmap::if_dense(&every(DENSE + 1)).is_none());
        assert!(RankBitmap::if_dense(&every(1)[..SHORTEST - 1]).is_none());
        assert!(RankBitmap::if_dense(&[]).is_none());
    }
}
