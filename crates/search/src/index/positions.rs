//! Positions of words in a row, so that posting lists alone show phrases.
//!
//! A row has 128 positions. Each field has a range of them with gaps between, so that no phrase spans two fields. Words
//! that do not fit into a field's range share one position after it: they are found, but are part of no phrase.

use std::ops::Range;

/// A text of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// A short text shared by many rows, such as a category.
    Label,
    /// A second label.
    Sublabel,
    Body,
    /// The name of the row's owner, which says nothing about the row itself.
    Owner,
    /// A code of the owner. Names that the row does not contain can stand for it.
    Code,
}

impl Field {
    /// The first position, and the number of words with a position of their own.
    const fn range(self) -> (u8, u8) {
        match self {
            Self::Label => (0, 13),
            Self::Sublabel => (16, 13),
            Self::Body => (32, 68),
            Self::Owner => (103, 14),
            Self::Code => (120, 1),
        }
    }

    /// The position of the n-th word.
    pub(crate) fn position(self, nth: usize) -> Position {
        let (start, room) = self.range();
        match u8::try_from(nth) {
            Ok(nth) if nth < room => Position(start + nth),
            // The positions before and after it stay empty.
            _ => Position(start + room + 1),
        }
    }
}

/// The first position of each field, and the end of the last field.
const BOUNDS: [u8; 6] = [
    Field::Label.range().0,
    Field::Sublabel.range().0,
    Field::Body.range().0,
    Field::Owner.range().0,
    Field::Code.range().0,
    POSITIONS,
];
/// The number of positions in a row.
pub(super) const POSITIONS: u8 = 128;
/// A shift past the end of every field.
pub(crate) const NOWHERE: u8 = POSITIONS;
/// The maximum number of words in a name that a code stands for: as many positions follow it.
pub const LONGEST_NAME: usize = (POSITIONS - Field::Code.range().0) as usize;

/// Positions from here on belong to the owner.
const OWNER: u8 = Field::Owner.range().0;
/// Positions before this belong to the labels.
const BODY: u8 = Field::Body.range().0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position(u8);

impl Position {
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// Whether it is in a text of the row itself, not of its owner.
    pub(crate) fn is_own(self) -> bool {
        self.0 < OWNER
    }

    pub(crate) fn from_number(number: u8) -> Self {
        Self(number)
    }
}

/// A set of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Positions(u128);

impl Positions {
    pub(crate) const ALL: Self = Self(u128::MAX);
    const OWN: Self = Self((1 << OWNER) - 1);

    pub(crate) fn of(position: Position) -> Self {
        Self(1u128.checked_shl(u32::from(position.0)).unwrap_or(0))
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of them is in a text of the row itself.
    pub(crate) fn has_own(self) -> bool {
        self.0 & Self::OWN.0 != 0
    }

    /// The positions in the labels.
    #[must_use]
    pub(crate) fn in_labels(self) -> Self {
        Self(self.0 & ((1 << BODY) - 1))
    }

    pub(crate) fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }

    #[must_use]
    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Shifts the positions by some words within their fields. Positions shifted past the end of a field become the shared
    /// position of words that did not fit.
    #[must_use]
    pub(crate) fn shifted(self, words: u8) -> Self {
        if words == 0 {
            return self;
        }
        let fields = BOUNDS.windows(2).map(|field| self.shifted_in(field[0]..field[1], words));
        fields.fold(Self::default(), |all, field| Self(all.0 | field.0))
    }

    fn shifted_in(self, field: Range<u8>, words: u8) -> Self {
        let (shared, last) = (1 << (field.end - 2), 1 << (field.end - 1));
        let positions: u128 = (last | (last - 1)) & (u128::MAX << field.start);
        let here = self.0 & positions;
        // Words that did not fit have no known position to shift.
        let later = (here & !shared).checked_shl(u32::from(words)).unwrap_or(0) & positions;
        let are_all_there = here.count_ones() == later.count_ones();
        Self(if are_all_there { later } else { later | shared })
    }

    /// The starts of phrases that have their n-th word at one of these positions.
    #[must_use]
    pub(crate) fn starts(self, nth: usize) -> Self {
        Self(u32::try_from(nth).ok().and_then(|nth| self.0.checked_shr(nth)).unwrap_or(0))
    }

    /// Removes and returns the first position.
    pub(crate) fn take_first(&mut self) -> Option<Position> {
        let first = (!self.is_empty()).then(|| Position(self.0.trailing_zeros() as u8));
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [Field; 5] = [Field::Label, Field::Sublabel, Field::Body, Field::Owner, Field::Code];

    #[test]
    fn words_of_different_fields_are_never_adjacent() {
        let mut texts: Vec<Vec<u8>> =
            FIELDS.iter().map(|field| (0..300).map(|nth| field.position(nth).number()).collect()).collect();
        for text in &mut texts {
            text.dedup();
            assert!(text.is_sorted() && text.iter().all(|position| *position < 128));
        }
        for pair in texts.windows(2) {
            assert!(pair[0].last().unwrap() + 1 < pair[1][0]);
        }
    }

    #[test]
    fn words_that_do_not_fit_are_part_of_no_phrase() {
        for field in FIELDS {
            let (_, room) = field.range();
            let last = field.position(usize::from(room) - 1).number();
            assert!(field.position(usize::from(room)).number() > last + 1, "{field:?}");
            assert_eq!(field.position(usize::from(room)), field.position(usize::MAX));
        }
    }

    #[test]
    fn shifted_positions_stay_in_their_field() {
        for field in FIELDS {
            let (first, room) = field.range();
            let at = |position: u8| Positions::of(Position(position));
            assert_eq!(at(first).shifted(3), at(first + 3), "{field:?}");
            if field == Field::Code {
                assert_eq!(at(first).shifted(LONGEST_NAME as u8 - 1), at(POSITIONS - 1));
                continue;
            }
            let shared = Positions::of(field.position(usize::MAX));
            assert_eq!(at(first + room - 1).shifted(9), shared, "{field:?}");
            assert_eq!((at(first).shifted(NOWHERE), shared.shifted(1)), (shared, shared), "{field:?}");
        }
    }
}
