//! An entry of a word's list: a row, and how much the word counts in it.

use crate::merge_plan::ListEntry;

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

    pub(super) fn to_bits(self) -> u32 {
        self.0
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

impl ListEntry for Entry {
    fn row(self) -> u32 {
        Self::row(self)
    }

    /// The same weight in another row.
    fn at(self, row: u32) -> Self {
        Self(row << WEIGHT_BITS | self.0 & u32::from(HEAVIEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_entry_keeps_both(row in 0..MOST_ROWS, weight in 0..=HEAVIEST) {
            let entry = Entry::new(row, weight);
            prop_assert_eq!((entry.row(), entry.weight()), (row, u16::from(weight)));
        }
    }
}
