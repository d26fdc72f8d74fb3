//! For each word the rows that have it, ascending, and how much the word counts there.

use std::ops::Range;

use hashbrown::HashMap;

use super::places::Places;

/// A row and a weight in 32 bits: two million filings have more than forty million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry(u32);

const WEIGHT_BITS: u32 = 4;

/// More rows than this do not fit beside a weight.
pub(super) const MOST_ROWS: u32 = 1 << (u32::BITS - WEIGHT_BITS);

/// The greatest weight.
pub(super) const HEAVIEST: u8 = (1 << WEIGHT_BITS) - 1;

impl Entry {
    pub(super) fn new(row: u32, weight: u8) -> Self {
        Self(row << WEIGHT_BITS | u32::from(weight))
    }

    pub(super) fn row(self) -> u32 {
        self.0 >> WEIGHT_BITS
    }

    pub(super) fn weight(self) -> u16 {
        (self.0 & u32::from(HEAVIEST)) as u16
    }

    /// The same weight in another row.
    pub(super) fn at(self, row: u32) -> Self {
        Self(row << WEIGHT_BITS | self.0 & u32::from(HEAVIEST))
    }

    pub(super) fn to_bits(self) -> u32 {
        self.0
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The lists of all words behind each other, in the order of the words.
#[derive(Default)]
pub(super) struct Lists {
    /// Where each list ends; it starts where the one before it ends.
    ends: Vec<u64>,
    entries: Vec<Entry>,
    /// Of the longest lists, by word.
    places: HashMap<u32, Places>,
}

/// The list of one word.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub entries: &'a [Entry],
    pub places: Option<&'a Places>,
}

impl List<'_> {
    /// The entry of a row. `from` is a place that is not behind it, and is brought nearer for rows that follow.
    pub(super) fn find(&self, row: u32, from: &mut usize) -> Option<Entry> {
        *from = match self.places {
            Some(places) => places.of(row)?,
            None => seek(self.entries, *from, row),
        };
        self.entries.get(*from).copied().filter(|entry| entry.row() == row)
    }
}

impl Lists {
    pub(super) fn from_parts(ends: Vec<u64>, entries: Vec<Entry>) -> Self {
        let mut lists = Self { ends, entries, places: HashMap::new() };
        let words = 0..lists.ends.len() as u32;
        lists.places = words.filter_map(|word| Some((word, Places::worth_having(lists.of(word))?))).collect();
        lists
    }

    pub(super) fn parts(&self) -> (&[u64], &[Entry]) {
        (&self.ends, &self.entries)
    }

    pub(super) fn of(&self, word: u32) -> &[Entry] {
        &self.entries[self.span(word)]
    }

    /// The list with all that is known of it.
    pub(super) fn list(&self, word: u32) -> List<'_> {
        List { entries: self.of(word), places: self.places.get(&word) }
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
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn seeking_finds_the_first_row_that_is_not_below(
            rows in prop::collection::btree_set(0u32..200, 0..60), from in 0usize..70, row in 0u32..210,
        ) {
            let list: Vec<Entry> = rows.iter().map(|row| Entry::new(*row, 3)).collect();
            let from = from.min(list.len());
            let expected = (from..list.len()).find(|at| list[*at].row() >= row).unwrap_or(list.len());
            prop_assert_eq!(seek(&list, from, row), expected);
        }

        #[test]
        fn an_entry_keeps_both(row in 0..MOST_ROWS, weight in 0..=HEAVIEST) {
            let entry = Entry::new(row, weight);
            prop_assert_eq!((entry.row(), entry.weight()), (row, u16::from(weight)));
        }
    }
}
