//! Where words stand in a row, so that phrases are known from the lists alone.
//!
//! A row has 128 positions. Each of its texts has a stretch of them, with gaps between, so that no phrase reaches from
//! one text into the next. What does not fit into a text's stretch shares one position behind it: such words are found
//! like all others and are part of no phrase.

use std::ops::Range;

use super::row_set::ones;

/// A text of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Category,
    Kind,
    Description,
    /// The name of the company, which says nothing of the row itself.
    Company,
    Code,
}

impl Field {
    /// The first position, and how many words have one of their own.
    const fn stretch(self) -> (u8, u8) {
        match self {
            Self::Category => (0, 13),
            Self::Kind => (16, 13),
            Self::Description => (32, 68),
            Self::Company => (103, 14),
            Self::Code => (120, 1),
        }
    }

    /// The position of the n-th word.
    pub(super) fn position(self, nth: usize) -> Position {
        let (start, room) = self.stretch();
        match u8::try_from(nth) {
            Ok(nth) if nth < room => Position(start + nth),
            // Between two positions that nothing stands at.
            _ => Position(start + room + 1),
        }
    }
}

/// Where each text starts, and where the last one ends.
const BOUNDS: [u8; 6] = [
    Field::Category.stretch().0,
    Field::Kind.stretch().0,
    Field::Description.stretch().0,
    Field::Company.stretch().0,
    Field::Code.stretch().0,
    POSITIONS,
];
/// A row has so many.
pub(super) const POSITIONS: u8 = 128;
/// By more words than any text has.
pub(super) const NOWHERE: u8 = POSITIONS;
/// A code stands for a name of so many words: behind it there are as many positions.
pub(crate) const LONGEST_NAME: usize = (POSITIONS - Field::Code.stretch().0) as usize;

/// From here on the positions are of the company.
const COMPANY: u8 = Field::Company.stretch().0;
/// Before here they are of the category and the type.
const DESCRIPTION: u8 = Field::Description.stretch().0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position(u8);

impl Position {
    pub(super) fn number(self) -> u8 {
        self.0
    }

    /// Whether it is in a text of the row itself.
    pub(super) fn is_own(self) -> bool {
        self.0 < COMPANY
    }

    /// Of a number below 128.
    pub(super) fn from_number(number: u8) -> Self {
        Self(number)
    }
}

/// A set of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Positions(u128);

impl Positions {
    pub(super) const ALL: Self = Self(u128::MAX);
    const OWN: Self = Self((1 << COMPANY) - 1);

    pub(super) fn of(position: Position) -> Self {
        Self(1u128.checked_shl(u32::from(position.0)).unwrap_or(0))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of them is in a text of the row itself.
    pub(super) fn has_own(self) -> bool {
        self.0 & Self::OWN.0 != 0
    }

    /// Those in the category or the type.
    #[must_use]
    pub(super) fn in_labels(self) -> Self {
        Self(self.0 & ((1 << DESCRIPTION) - 1))
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Position> {
        let halves = [(0, self.0 as u64), (u64::BITS, (self.0 >> u64::BITS) as u64)];
        let places = halves.into_iter().flat_map(|(start, half)| ones(half).map(move |bit| start + bit));
        places.map(|place| Position(place as u8))
    }

    pub(super) fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }

    #[must_use]
    pub(super) fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The positions so many words later, but in the same text: what would be behind its end shares the position of the words
    /// that did not fit, and is part of no phrase.
    #[must_use]
    pub(super) fn later(self, words: u8) -> Self {
        if words == 0 {
            return self;
        }
        let texts = BOUNDS.windows(2).map(|text| self.later_in(text[0]..text[1], words));
        texts.fold(Self::default(), |all, text| Self(all.0 | text.0))
    }

    fn later_in(self, text: Range<u8>, words: u8) -> Self {
        let (behind, last) = (1 << (text.end - 2), 1 << (text.end - 1));
        let positions: u128 = (last | (last - 1)) & (u128::MAX << text.start);
        let here = self.0 & positions;
        // What did not fit has no place to be counted from.
        let later = (here & !behind).checked_shl(u32::from(words)).unwrap_or(0) & positions;
        let are_all_there = here.count_ones() == later.count_ones();
        Self(if are_all_there { later } else { later | behind })
    }

    /// Where a phrase starts that has one of these at its n-th word.
    #[must_use]
    pub(super) fn starts(self, nth: usize) -> Self {
        Self(u32::try_from(nth).ok().and_then(|nth| self.0.checked_shr(nth)).unwrap_or(0))
    }

    /// Takes the least one out.
    pub(super) fn take_first(&mut self) -> Option<Position> {
        let first = (!self.is_empty()).then(|| Position(self.0.trailing_zeros() as u8));
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [Field; 5] =
        [Field::Category, Field::Kind, Field::Description, Field::Company, Field::Code];

    #[test]
    fn no_two_words_of_different_texts_stand_beside_each_other() {
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
    fn words_beyond_a_texts_room_are_part_of_no_phrase() {
        for field in FIELDS {
            let (_, room) = field.stretch();
            let last = field.position(usize::from(room) - 1).number();
            assert!(field.position(usize::from(room)).number() > last + 1, "{field:?}");
            assert_eq!(field.position(usize::from(room)), field.position(usize::MAX));
        }
    }

    #[test]
    fn what_stands_for_several_words_stays_in_its_text() {
        for field in FIELDS {
            let (first, room) = field.stretch();
            let at = |position: u8| Positions::of(Position(position));
            assert_eq!(at(first).later(3), at(first + 3), "{field:?}");
            if field == Field::Code {
                assert_eq!(at(first).later(LONGEST_NAME as u8 - 1), at(POSITIONS - 1));
                continue;
            }
            let shared = Positions::of(field.position(usize::MAX));
            assert_eq!(at(first + room - 1).later(9), shared, "{field:?}");
            assert_eq!((at(first).later(NOWHERE), shared.later(1)), (shared, shared), "{field:?}");
        }
    }
}
