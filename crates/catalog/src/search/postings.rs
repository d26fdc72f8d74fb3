//! For each word the rows that have it, ascending, and where in them it stands.

use std::ops::Range;

use hashbrown::HashMap;

use super::entry::Entry;
use super::rank_bitmap::RankBitmap;

/// The lists of all words behind each other, in the order of the words.
#[derive(Default)]
pub(super) struct Lists {
    /// Where each list ends; it starts where the one before it ends.
    ends: Vec<u64>,
    entries: Vec<Entry>,
    /// Of the longest lists, by word.
    bitmaps: HashMap<u32, RankBitmap>,
}

/// The list of one word.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub entries: &'a [Entry],
    pub bitmap: Option<&'a RankBitmap>,
}

impl List<'_> {
    /// The entry of a row. `from` is a place in the list that is not behind it; it moves on for the rows that follow.
    pub(super) fn find(&self, row: u32, from: &mut usize) -> Option<Entry> {
        *from = match self.bitmap {
            Some(bitmap) => bitmap.rank(row)?,
            None => seek(self.entries, *from, row),
        };
        self.entries.get(*from).copied().filter(|entry| entry.row() == row)
    }
}

impl Lists {
    /// Of where each list ends, and the entries of all.
    pub(super) fn from_parts(parts: (Vec<u64>, Vec<Entry>)) -> Self {
        let mut lists = Self::without_bitmaps(parts);
        let words = 0..lists.ends.len() as u32;
        lists.bitmaps =
            words.filter_map(|word| Some((word, RankBitmap::if_dense(lists.of(word))?))).collect();
        lists
    }

    /// Lists in which a row may stand several times.
    pub(super) fn without_bitmaps((ends, entries): (Vec<u64>, Vec<Entry>)) -> Self {
        Self { ends, entries, bitmaps: HashMap::new() }
    }

    pub(super) fn parts(&self) -> (&[u64], &[Entry]) {
        (&self.ends, &self.entries)
    }

    pub(super) fn of(&self, word: u32) -> &[Entry] {
        &self.entries[self.span(word)]
    }

    /// The list, with its bitmap if it has one.
    pub(super) fn list(&self, word: u32) -> List<'_> {
        List { entries: self.of(word), bitmap: self.bitmaps.get(&word) }
    }

    /// How many entries the lists of consecutive words have in all.
    pub(super) fn entries_of(&self, words: Range<u32>) -> usize {
        if words.is_empty() { 0 } else { self.span(words.end - 1).end - self.span(words.start).start }
    }

    fn span(&self, word: u32) -> Range<usize> {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        start as usize..self.ends[word as usize] as usize
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

    proptest! {
        #[test]
        fn seeking_finds_the_first_row_that_is_not_below(
            rows in prop::collection::btree_set(0u32..200, 0..60), from in 0usize..70, row in 0u32..210,
        ) {
            let list: Vec<Entry> = rows.iter().map(|row| Entry::new(*row, Position::from_number(3))).collect();
            let from = from.min(list.len());
            let expected = (from..list.len()).find(|at| list[*at].row() >= row).unwrap_or(list.len());
            prop_assert_eq!(seek(&list, from, row), expected);
        }
    }
}
