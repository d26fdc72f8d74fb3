//! The rows that have a code. A code is a number, and numbers occur in texts too: years, days, amounts.

use hashbrown::HashMap;

use super::Index;
use super::entry::Entry;
use super::lists::{List, ListId, Occurrences};
use super::positions::Field;

/// The rows of all words that are the code of some row.
#[derive(Debug, Default)]
pub(super) struct Codes {
    by_word: HashMap<u32, CodeRows>,
}

#[derive(Debug)]
enum CodeRows {
    /// The rows of the word, which occurs only as a code.
    OfWord,
    Some(Box<[Entry]>),
}

impl Codes {
    pub(super) fn of(index: &Index) -> Self {
        let is_number = |word: &u32| index.lexicon.word(*word).bytes().all(|byte| byte.is_ascii_digit());
        let numbers = (0..index.lexicon.len()).filter(is_number);
        Self { by_word: numbers.filter_map(|word| Some((word, CodeRows::of(index, word)?))).collect() }
    }

    /// The rows that have a word as their code, as if it stood `shift` words later.
    pub(super) fn occurrences<'a>(
        &'a self,
        index: &'a Index,
        code: &str,
        shift: u8,
    ) -> Option<Occurrences<'a>> {
        let word = index.lexicon.find(code)?;
        let list = match self.by_word.get(&word)? {
            CodeRows::OfWord => index.lists.of(word),
            CodeRows::Some(entries) => List::Sparse(entries),
        };
        Some(Occurrences { id: ListId::Code(word), list, again: &[], shift })
    }
}

impl CodeRows {
    fn of(index: &Index, word: u32) -> Option<Self> {
        let position = Field::Code.position(0);
        let all = index.occurrences(word, 0);
        let entries = all.list.entries();
        let at_code = entries.iter().chain(all.again).filter(|entry| entry.position() == position);
        let mut rows: Vec<u32> = at_code.map(|entry| entry.row()).collect();
        if rows.is_empty() {
            return None;
        }
        if entries.iter().all(|entry| entry.position() == position) {
            return Some(Self::OfWord);
        }
        rows.sort_unstable();
        Some(Self::Some(rows.into_iter().map(|row| Entry::new(row, position)).collect()))
    }
}
