//! The rows that have a code. A code is a number, and numbers stand in texts too: years, days, amounts.

use hashbrown::HashMap;

use super::clause::{ListId, Occurrences};
use super::entry::Entry;
use super::positions::Field;
use super::postings::List;
use super::word_lists::WordLists;

/// Of all words that are the code of some row.
#[derive(Default)]
pub(super) struct Codes {
    by_word: HashMap<u32, CodeRows>,
}

enum CodeRows {
    /// Those of the word, which stands nowhere else.
    OfWord,
    Some(Box<[Entry]>),
}

impl Codes {
    pub(super) fn of(lists: &WordLists) -> Self {
        let is_number = |word: &u32| lists.lexicon.word(*word).bytes().all(|byte| byte.is_ascii_digit());
        let numbers = (0..lists.lexicon.len()).filter(is_number);
        Self { by_word: numbers.filter_map(|word| Some((word, CodeRows::of(lists, word)?))).collect() }
    }

    /// The rows that have a word for their code, some words further on.
    pub(super) fn occurrences<'a>(
        &'a self,
        lists: &'a WordLists,
        code: &str,
        moved: u8,
    ) -> Option<Occurrences<'a>> {
        let word = lists.lexicon.find(code)?;
        let list = match self.by_word.get(&word)? {
            CodeRows::OfWord => lists.lists.of(word),
            CodeRows::Some(entries) => List::Sparse(entries),
        };
        Some(Occurrences { id: ListId::Code(word), list, again: &[], moved })
    }
}

impl CodeRows {
    fn of(lists: &WordLists, word: u32) -> Option<Self> {
        let position = Field::Code.position(0);
        let all = lists.occurrences_of(word, 0);
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
