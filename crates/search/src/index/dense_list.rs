//! The posting list of a common word: one bit for each row, and one byte for each row that has the word.
//!
//! Sets of rows combine 64 rows at a time. The byte of a row is found by its rank, the number of bits before its own,
//! which is known at the start of each block of 512 rows. From one row in 22 on this also takes less memory than
//! entries with row numbers.

use super::entry::Entry;
use super::row_set::RowSet;

#[derive(Debug)]
pub(crate) struct DenseList {
    rows: RowSet,
    own: Subset,
    owner: Subset,
    /// The number of entries before each block.
    before: Vec<u32>,
    /// The bits of each entry beside the row.
    places: Box<[u8]>,
}

/// Some of the rows of a list. Most words are in all rows of one kind of text and in none of the other.
#[derive(Debug)]
enum Subset {
    None,
    All,
    Some(RowSet),
}

/// The texts in which a phrase can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The row's own texts.
    Own,
    /// The texts of the row's owner.
    Owner,
}

/// Words of 64 rows in a block.
const BLOCK: usize = 8;

/// A list is dense if it has one row of this many.
pub(crate) const DENSE: usize = 64;

/// Shorter lists are searched fast enough. Tests have few rows.
const SHORTEST: usize = if cfg!(test) { 200 } else { 10_000 };

/// Whether a list of this length, up to this row, is long and dense enough.
pub(super) fn is_dense(length: usize, last: u32) -> bool {
    length >= SHORTEST && length * DENSE > last as usize
}

/// A dense list that is being filled, which takes no more memory than the list itself.
pub(super) struct DenseDraft {
    rows: RowSet,
    places: Vec<u8>,
}

impl DenseDraft {
    /// A draft for this many entries up to this row.
    pub(super) fn new(length: usize, last: u32) -> Self {
        Self { rows: RowSet::below(last + 1), places: Vec::with_capacity(length) }
    }

    /// Adds the entry of the next row.
    pub(super) fn push(&mut self, entry: Entry) {
        self.rows.insert(entry.row());
        self.places.push(entry.place());
    }

    pub(super) fn finish(self) -> DenseList {
        DenseList::of(&entries(&self.rows, &self.places))
    }
}

impl DenseList {
    /// Makes a dense list, if the list is long and dense enough.
    pub(crate) fn if_dense(list: &[Entry]) -> Option<Self> {
        is_dense(list.len(), list.last()?.row()).then(|| Self::of(list))
    }

    fn of(list: &[Entry]) -> Self {
        let rows = set_of(list, |_| true);
        Self {
            before: entries_before(&rows),
            own: Subset::of(list, is_own),
            owner: Subset::of(list, may_be_owners),
            places: list.iter().map(|entry| entry.place()).collect(),
            rows,
        }
    }

    /// The list with new entries before all others.
    pub(super) fn preceded_by(&self, new: &[Entry]) -> Self {
        let mut rows = self.rows.clone();
        rows.insert_all(new);
        let places: Vec<u8> = new.iter().map(|entry| entry.place()).collect();
        Self {
            before: entries_before(&rows),
            own: self.own.with(new, &self.rows, is_own),
            owner: self.owner.with(new, &self.rows, may_be_owners),
            places: [&places[..], &self.places].concat().into(),
            rows,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn rows(&self) -> &RowSet {
        &self.rows
    }

    /// The rows that have the word in a place, perhaps with some others for [`Place::Owner`]; `None` without any.
    pub(crate) fn rows_in(&self, place: Place) -> Option<&RowSet> {
        let subset = match place {
            Place::Own => &self.own,
            Place::Owner => &self.owner,
        };
        match subset {
            Subset::None => None,
            Subset::All => Some(&self.rows),
            Subset::Some(rows) => Some(rows),
        }
    }

    /// Whether the first position of some row is in a text of its owner.
    pub(crate) fn is_in_owners(&self) -> bool {
        let is_own = |place: &u8| Entry::from_place(0, *place).position().is_own();
        self.rows_in(Place::Owner).is_some() && !self.places.iter().all(is_own)
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        entries(&self.rows, &self.places)
    }
}

/// The number of entries before each block.
fn entries_before(rows: &RowSet) -> Vec<u32> {
    let mut entries = 0;
    let blocks = rows.words().chunks(BLOCK).map(|block| {
        let before = entries;
        entries += ones(block);
        before
    });
    blocks.collect()
}

fn is_own(entry: &Entry) -> bool {
    entry.position().is_own()
}

/// Further positions are not listed here; any of them may be the owner's.
fn may_be_owners(entry: &Entry) -> bool {
    !entry.position().is_own() || entry.is_repeated()
}

fn entries(rows: &RowSet, places: &[u8]) -> Vec<Entry> {
    rows.iter().zip(places).map(|(row, place)| Entry::from_place(row, *place)).collect()
}

impl Subset {
    fn of(list: &[Entry], is_in: impl Fn(&Entry) -> bool) -> Self {
        match list.iter().filter(|entry| is_in(entry)).count() {
            0 => Self::None,
            count if count == list.len() => Self::All,
            _ => Self::Some(set_of(list, is_in)),
        }
    }

    /// The subset of a list of the rows `all` with new entries.
    fn with(&self, new: &[Entry], all: &RowSet, is_in: impl Fn(&Entry) -> bool) -> Self {
        let mut rows = match (self, Self::of(new, &is_in)) {
            (Self::None, Self::None) => return Self::None,
            (Self::All, Self::All) => return Self::All,
            (Self::None, _) => RowSet::below(all.end()),
            (Self::All, _) => all.clone(),
            (Self::Some(rows), _) => rows.clone(),
        };
        rows.insert_all(new.iter().filter(|entry| is_in(entry)));
        Self::Some(rows)
    }
}

/// Finds the entries of ascending rows. Rows close to each other are found fastest.
#[derive(Clone, Copy, Default)]
pub(crate) struct DenseCursor {
    /// A word of 64 rows, and the number of entries before it.
    word: usize,
    before: usize,
}

impl DenseCursor {
    pub(crate) fn find(&mut self, list: &DenseList, row: u32) -> Option<Entry> {
        let (word, bit) = ((row / u64::BITS) as usize, 1u64 << (row % u64::BITS));
        let bits = list.rows.word(word);
        if bits & bit == 0 {
            return None;
        }
        self.move_to(list, word);
        let rank = self.before + (bits & (bit - 1)).count_ones() as usize;
        list.places.get(rank).map(|place| Entry::from_place(row, *place))
    }

    fn move_to(&mut self, list: &DenseList, word: usize) {
        if word / BLOCK != self.word / BLOCK || word < self.word {
            let block = word / BLOCK;
            *self = Self {
                word: block * BLOCK,
                before: list.before.get(block).map_or(0, |before| *before as usize),
            };
        }
        self.before += ones(&list.rows.words()[self.word..word]) as usize;
        self.word = word;
    }
}

fn ones(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

fn set_of(list: &[Entry], is_in: impl Fn(&Entry) -> bool) -> RowSet {
    let mut rows = RowSet::below(list.last().map_or(0, |last| last.row() + 1));
    rows.insert_all(list.iter().filter(|entry| is_in(entry)));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::positions::Position;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_dense_list_keeps_its_entries(
            rows in prop::collection::btree_map(0u32..1400, (0u8..128, any::<bool>()), 1..300),
            asked in prop::collection::btree_set(0u32..1500, 0..200),
        ) {
            let entry = |(row, (position, repeated)): (&u32, &(u8, bool))| {
                let entry = Entry::new(*row, Position::from_number(*position));
                if *repeated { entry.repeated() } else { entry }
            };
            let list: Vec<Entry> = rows.iter().map(entry).collect();
            let mut draft = DenseDraft::new(list.len(), list.last().unwrap().row());
            list.iter().for_each(|entry| draft.push(*entry));
            let dense = draft.finish();
            prop_assert_eq!(dense.len(), list.len());
            prop_assert_eq!(dense.entries(), &list[..]);
            let mut cursor = DenseCursor::default();
            for row in asked.iter().copied().chain([0]) {
                prop_assert_eq!(cursor.find(&dense, row), list.iter().find(|entry| entry.row() == row).copied());
            }
            let own = list.iter().filter(|entry| entry.position().is_own()).map(|entry| entry.row());
            let found: Vec<u32> = dense.rows_in(Place::Own).map(|rows| rows.iter().collect()).unwrap_or_default();
            prop_assert_eq!(own.collect::<Vec<_>>(), found);
        }
    }

    #[test]
    fn only_long_lists_of_common_words_are_dense() {
        let every = |step: usize| -> Vec<Entry> {
            let rows = (0..(2 * SHORTEST * step) as u32).step_by(step);
            rows.map(|row| Entry::new(row, Position::from_number(1))).collect()
        };
        assert!(DenseList::if_dense(&every(DENSE - 1)).is_some());
        assert!(DenseList::if_dense(&every(DENSE + 1)).is_none());
        assert!(DenseList::if_dense(&every(1)[..SHORTEST - 1]).is_none());
        assert!(DenseList::if_dense(&[]).is_none());
    }
}
