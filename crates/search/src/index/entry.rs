//! An entry of a posting list: a row and the position of the word in it.

use super::merge_plan::ListEntry;
use super::positions::Position;

/// A row and a position in 32 bits: an index of two million rows has more than forty million entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u32);

const PLACE_BITS: u32 = 8;
/// Set if the row has the word at further positions.
const REPEATED: u32 = 1 << (PLACE_BITS - 1);
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// The row number must fit beside a position.
pub(super) const MOST_ROWS: u32 = 1 << (u32::BITS - PLACE_BITS);

impl Entry {
    pub(crate) fn new(row: u32, position: Position) -> Self {
        Self(row << PLACE_BITS | u32::from(position.number()))
    }

    #[must_use]
    pub(crate) fn repeated(self) -> Self {
        Self(self.0 | REPEATED)
    }

    pub(crate) fn row(self) -> u32 {
        self.0 >> PLACE_BITS
    }

    pub(crate) fn position(self) -> Position {
        Position::from_number((self.0 & (PLACE & !REPEATED)) as u8)
    }

    pub(crate) fn is_repeated(self) -> bool {
        self.0 & REPEATED != 0
    }

    /// All bits except the row.
    pub(super) fn place(self) -> u8 {
        (self.0 & PLACE) as u8
    }

    pub(super) const fn from_place(row: u32, place: u8) -> Self {
        Self(row << PLACE_BITS | place as u32)
    }

    pub fn to_bits(self) -> u32 {
        self.0
    }

    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

impl ListEntry for Entry {
    fn row(self) -> u32 {
        Self::row(self)
    }

    /// The same position in another row.
    fn at(self, row: u32) -> Self {
        Self(row << PLACE_BITS | self.0 & PLACE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_entry_keeps_row_and_position(row in 0..MOST_ROWS, position in 0u8..128, repeated: bool) {
            let position = Position::from_number(position);
            let entry = Entry::new(row, position);
            let entry = if repeated { entry.repeated() } else { entry };
            prop_assert_eq!((entry.row(), entry.position(), entry.is_repeated()), (row, position, repeated));
            prop_assert_eq!(entry.at(7), if repeated { Entry::new(7, position).repeated() } else { Entry::new(7, position) });
        }
    }
}
