//! The words of all rows: a lexicon, and for each word the rows and positions that have it.

mod builder;
mod codes;
mod dense_list;
pub(crate) mod entry;
pub(crate) mod lexicon;
pub(crate) mod lists;
mod merge;
mod merge_plan;
mod occurrences;
mod parts;
pub(crate) mod positions;
mod prefixes;
pub(crate) mod row_set;
mod segments;

use std::borrow::Cow;
use std::ops::Range;

use codes::Codes;
use lexicon::Lexicon;
use lists::{ListId, Lists, Occurrences};
use prefixes::Prefixes;
use row_set::RowSet;

pub use builder::{IndexBuilder, Title};
pub use entry::Entry;
pub use merge_plan::{ListEntry, MergePlan, Origin};
pub use parts::{IndexParts, SavedLists};
pub use positions::{Field, LONGEST_NAME};

/// An index has more rows, words or letters than its numbers can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is too large")]
pub struct TooLarge(pub &'static str);

/// Every so many rows leave room for one more. Without any left, a merge gives every row another number, which takes as
/// long as reading the index from a file.
const ROWS_FOR_ROOM: u32 = 32;

/// The number of the first of these rows.
fn room_before(rows: u32) -> u32 {
    (rows / ROWS_FOR_ROOM).min(entry::MOST_ROWS.saturating_sub(rows))
}

/// The numbers that an index to be merged gives to so many rows.
pub fn numbers_with_room(rows: u32) -> Range<u32> {
    let first = room_before(rows);
    first..first.saturating_add(rows)
}

/// An immutable inverted index. The default one is empty.
#[derive(Debug, Default)]
pub struct Index {
    /// The number of the first row. There is room before it for the numbers of rows that a merge adds.
    first: u32,
    /// No row reaches this number.
    pub(crate) rows: u32,
    pub(crate) lexicon: Lexicon,
    /// For each word the rows that have it, with the first position, and the further positions.
    pub(crate) lists: Lists,
    prefixes: Prefixes,
    codes: Codes,
}

impl Index {
    fn new(rows: Range<u32>, lexicon: Lexicon, lists: Lists) -> Self {
        let prefixes = Prefixes::heaviest(rows.clone(), &lexicon, &lists);
        let (first, rows) = (rows.start, rows.end);
        let mut index = Self { first, rows, lexicon, lists, prefixes, codes: Codes::default() };
        index.codes = Codes::of(&index);
        index
    }

    /// The number of rows.
    pub fn len(&self) -> u32 {
        self.rows - self.first
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the rows, in their order.
    pub fn rows(&self) -> Range<u32> {
        self.first..self.rows
    }

    /// The rows that have a word, as if it stood `shift` words later.
    pub(crate) fn occurrences(&self, word: u32, shift: u8) -> Occurrences<'_> {
        let (list, again) = (self.lists.of(word), self.lists.again(word));
        Occurrences { id: ListId::Word(word), list, again, shift }
    }

    /// The rows that have a word as their code, as if it stood `shift` words later.
    pub(crate) fn code_occurrences(&self, code: &str, shift: u8) -> Option<Occurrences<'_>> {
        self.codes.occurrences(self, code, shift)
    }

    /// The rows that have one of the consecutive `words`, which all start with `prefix`.
    pub(crate) fn rows_with_prefix(&self, prefix: &str, words: Range<u32>) -> Cow<'_, RowSet> {
        self.prefixes.rows(prefix, self.rows, &self.lists, words)
    }

    /// Whether some row has the word, in any form or as a prefix.
    pub(crate) fn knows(&self, word: &str) -> bool {
        !self.lexicon.starting_with(word).is_empty() || !self.lexicon.forms(word).is_empty()
    }
}
