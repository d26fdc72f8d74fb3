//! What tells at a glance that a word cannot be near another: its letters and its length, in 32 bits.

use super::analyzer::is_stop_word;
use super::label::is_whole_label;

/// The letters of a word, one bit each, and its length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signature(u32);

const LETTERS: u32 = 26;
const ALL_LETTERS: u32 = (1 << LETTERS) - 1;
const LONGEST: usize = (1 << (u32::BITS - LETTERS)) - 1;

impl Signature {
    /// Codes, labels and small words are what nobody means by another word: they have no length.
    pub(super) fn of(word: &str) -> Self {
        let is_meant =
            !word.bytes().any(|b| b.is_ascii_digit()) && !is_whole_label(word) && !is_stop_word(word);
        let length = if is_meant { word.chars().count().min(LONGEST) } else { 0 };
        Self((length as u32) << LETTERS | letters(word))
    }

    pub(super) fn length(self) -> usize {
        (self.0 >> LETTERS) as usize
    }

    pub(super) fn letters(self) -> u32 {
        self.0 & ALL_LETTERS
    }
}

/// The letters of a word, one bit each.
pub(super) fn letters(word: &str) -> u32 {
    let places = word.bytes().filter(u8::is_ascii_lowercase).map(|letter| letter - b'a');
    places.fold(0, |letters, place| letters | 1 << place)
}
