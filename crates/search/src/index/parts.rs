//! The parts of an index that a snapshot keeps: words and posting lists. Everything else is derived from them.

use std::borrow::Cow;

use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::lists::Lists;
use super::merge_plan::ListEntry;
use super::{Index, room_before};

/// The parts as read from a file. They become an index when the whole file is known to be intact.
#[derive(Debug, Default)]
pub struct IndexParts {
    /// The number of rows.
    pub rows: u32,
    /// All words in alphabetical order, concatenated, and the end of each.
    pub text: String,
    pub word_ends: Vec<u32>,
    /// The entries of all posting lists, and the end of each list.
    pub list_ends: Vec<u64>,
    pub entries: Vec<Entry>,
    /// The further positions of words that a row has several times, in the same form.
    pub again_ends: Vec<u64>,
    pub again: Vec<Entry>,
}

/// Posting lists of an index, to be written to a file. There the first row has number 0.
#[derive(Debug, Clone, Copy)]
pub struct SavedLists<'a> {
    index: &'a Index,
    of: fn(&'a Index, u32) -> Cow<'a, [Entry]>,
}

impl<'a> SavedLists<'a> {
    /// The end of each list among the entries of all.
    pub fn ends(self) -> Vec<u64> {
        let add = |end: &mut u64, list: Cow<'a, [Entry]>| {
            *end += list.len() as u64;
            Some(*end)
        };
        self.lists().scan(0, add).collect()
    }

    /// The entries, list by list.
    pub fn entries(self) -> impl Iterator<Item = Vec<Entry>> {
        let first = self.index.first;
        let saved = move |entry: &Entry| entry.at(entry.row() - first);
        self.lists().map(move |list| list.iter().map(saved).collect())
    }

    fn lists(self) -> impl Iterator<Item = Cow<'a, [Entry]>> {
        (0..self.index.lexicon.len()).map(move |word| (self.of)(self.index, word))
    }
}

impl Index {
    /// All words in alphabetical order, concatenated, and the end of each.
    pub fn words(&self) -> (&str, &[u32]) {
        self.lexicon.parts()
    }

    pub fn saved_lists(&self) -> SavedLists<'_> {
        SavedLists { index: self, of: |index, word| index.lists.of(word).entries() }
    }

    pub fn saved_further_positions(&self) -> SavedLists<'_> {
        SavedLists { index: self, of: |index, word| Cow::Borrowed(index.lists.again(word)) }
    }

    /// Builds an index that rows will be added to, or returns `None` if the parts contradict each other.
    pub fn from_parts(mut parts: IndexParts) -> Option<Self> {
        if !parts.is_consistent() {
            return None;
        }
        let first = room_before(parts.rows);
        let all = parts.entries.iter_mut().chain(&mut parts.again);
        all.for_each(|entry| *entry = entry.at(first + entry.row()));
        let lexicon = Lexicon::new(parts.text, parts.word_ends);
        let lists = Lists::from_parts((&parts.list_ends, &parts.entries), (&parts.again_ends, &parts.again));
        Some(Self::new(first..first + parts.rows, lexicon, lists))
    }
}

impl IndexParts {
    fn is_consistent(&self) -> bool {
        self.rows < MOST_ROWS
            && self.word_ends.len() == self.list_ends.len()
            && self.word_ends.len() == self.again_ends.len()
            && self.words_ascend()
            && rows_ascend(&self.list_ends, &self.entries, |one, next| one.row() < next.row())
            && rows_ascend(&self.again_ends, &self.again, |one, next| *one < *next)
            && self.entries.iter().chain(&self.again).all(|entry| entry.row() < self.rows)
    }

    /// Whether each word is above the one before it, as binary search needs, and none is empty.
    fn words_ascend(&self) -> bool {
        let (mut start, mut before) = (0, "");
        self.word_ends.iter().all(|end| {
            let word = self.text.get(start..*end as usize).unwrap_or("");
            let ascends = before < word;
            (start, before) = (*end as usize, word);
            ascends
        })
    }
}

/// Whether the rows ascend within each list, as reading them needs, and no entry follows the last list.
fn rows_ascend(ends: &[u64], entries: &[Entry], ascends: impl Fn(&Entry, &Entry) -> bool) -> bool {
    let mut start = 0;
    let ordered = ends.iter().all(|end| {
        let list = entries.get(start..*end as usize);
        start = *end as usize;
        list.is_some_and(|list| list.is_sorted_by(&ascends))
    });
    ordered && start == entries.len()
}

#[cfg(test)]
mod tests {
    use super::super::positions::Position;
    use super::*;

    /// The words `ata` and `lucro`, each in two of three rows.
    fn sample() -> IndexParts {
        let entries = [0, 2, 1, 2].map(|row| entry(row, 3)).to_vec();
        IndexParts {
            rows: 3,
            text: "atalucro".to_owned(),
            word_ends: vec![3, 8],
            list_ends: vec![2, 4],
            entries,
            again_ends: vec![0, 2],
            again: vec![entry(1, 5), entry(1, 7)],
        }
    }

    fn entry(row: u32, position: u8) -> Entry {
        Entry::new(row, Position::from_number(position))
    }

    #[test]
    fn parts_out_of_order_are_inconsistent() {
        assert!(sample().is_consistent());
        let spoil: [fn(&mut IndexParts); 12] = [
            |index| index.again.swap(0, 1),
            |index| index.again_ends = vec![0, 1],
            |index| index.again_ends = vec![2],
            |index| index.again[1] = entry(3, 0),
            |index| index.entries.swap(0, 1),
            |index| index.entries[0] = entry(2, 9),
            |index| index.entries[3] = entry(3, 3),
            |index| index.list_ends = vec![5, 4],
            |index| index.text = "pazlucro".to_owned(),
            |index| (index.text, index.word_ends) = ("ataata".to_owned(), vec![3, 6]),
            |index| index.word_ends = vec![0, 8],
            |index| index.word_ends = vec![8, 3],
        ];
        for (number, spoil) in spoil.into_iter().enumerate() {
            let mut spoiled = sample();
            spoil(&mut spoiled);
            assert!(!spoiled.is_consistent(), "{number}");
        }
    }
}
