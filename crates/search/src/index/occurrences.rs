//! The words of rows in the order in which they were added, and how they become the lists of words.
//!
//! There are tens of millions of them, and the lists take as much memory again. So each list is made in its final form
//! from the beginning, and the words are freed while they are read.

use std::sync::Arc;

use super::dense_list::{DenseDraft, is_dense};
use super::entry::Entry;
use super::lists::Lists;

/// A word of a row, as small as an [`Entry`], with the number of the word in place of the row.
pub(super) type WordEntry = Entry;

/// Words in one piece of memory: what is freed at a time. A longer piece would also be copied whenever it grows.
const CHUNK: usize = if cfg!(test) { 1 << 4 } else { 1 << 20 };

/// The words of each row, one row after the other.
#[derive(Debug, Default)]
pub(super) struct RowWords {
    chunks: Vec<Vec<WordEntry>>,
    /// The number of words up to the end of each row.
    ends: Vec<u64>,
    words: u64,
}

impl RowWords {
    pub(super) fn rows(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Adds a word to the current row.
    pub(super) fn push(&mut self, word: WordEntry) {
        self.words += 1;
        match self.chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => chunk.push(word),
            None => self.chunks.push(vec![word]),
        }
    }

    pub(super) fn end_row(&mut self) {
        self.ends.push(self.words);
    }

    fn visit(&self, each: impl FnMut(u32, WordEntry)) {
        visit(self.chunks.iter(), &self.ends, each);
    }

    /// Frees each chunk once it is visited.
    fn drain(self, each: impl FnMut(u32, WordEntry)) {
        visit(self.chunks.into_iter(), &self.ends, each);
    }
}

/// Visits the words of all rows, ascending by row.
fn visit<C: AsRef<[WordEntry]>>(
    chunks: impl Iterator<Item = C>,
    ends: &[u64],
    mut each: impl FnMut(u32, WordEntry),
) {
    let mut rows = (0..).zip(ends);
    let (mut row, mut end, mut visited) = (0, 0, 0);
    for chunk in chunks {
        for word in chunk.as_ref() {
            // A row may have no word.
            while visited == end {
                let Some((next, next_end)) = rows.next() else { return };
                (row, end) = (next, *next_end);
            }
            each(row, *word);
            visited += 1;
        }
    }
}

/// The length of a list, and its last row.
#[derive(Clone, Copy, Default)]
struct Extent {
    length: usize,
    last: u32,
}

/// A list that is being filled.
enum Draft {
    /// The index of the next entry among all entries of such lists.
    Sparse(usize),
    Dense(Box<DenseDraft>),
}

/// The lists of all words: `places` has the place of each word by its number. A row has a word once.
pub(super) fn lists(places: &[u32], words: RowWords, again: &[(u32, WordEntry)], first: u32) -> Lists {
    let mut extents = vec![Extent::default(); places.len()];
    words.visit(|row, word| {
        let extent = &mut extents[places[word.row() as usize] as usize];
        *extent = Extent { length: extent.length + 1, last: first + row };
    });
    let mut total = 0;
    let mut drafts: Vec<Draft> = extents
        .iter()
        .map(|Extent { length, last }| {
            if is_dense(*length, *last) {
                return Draft::Dense(Box::new(DenseDraft::new(*length, *last)));
            }
            total += length;
            Draft::Sparse(total - length)
        })
        .collect();
    let mut entries = vec![EMPTY; total];
    words.drain(|row, word| match &mut drafts[places[word.row() as usize] as usize] {
        Draft::Dense(draft) => draft.push(in_row(first + row, word)),
        Draft::Sparse(next) => {
            entries[*next] = in_row(first + row, word);
            *next += 1;
        }
    });
    finished(drafts, &entries, &repeated_lists(places, again, first))
}

fn finished(drafts: Vec<Draft>, entries: &[Entry], again: &Repeated) -> Lists {
    let mut lists = Lists::builder();
    let (mut start, mut again_start) = (0, 0);
    for (draft, again_end) in drafts.into_iter().zip(&again.ends) {
        let further = &again.entries[again_start..*again_end];
        again_start = *again_end;
        match draft {
            Draft::Sparse(end) => {
                lists.push(&entries[start..end], further);
                start = end;
            }
            Draft::Dense(draft) => lists.push_dense(Arc::new(draft.finish()), further),
        }
    }
    lists.finish()
}

/// The entries of words that a row may have several times, and the end of each word's.
struct Repeated {
    ends: Vec<usize>,
    entries: Vec<Entry>,
}

/// Like [`lists`], for words that a row may have several times, which are few.
fn repeated_lists(places: &[u32], words: &[(u32, WordEntry)], first: u32) -> Repeated {
    // One end more than lists, so that while filling, each end starts as that of the list before.
    let mut ends = vec![0; places.len() + 1];
    let place = |word: WordEntry| places[word.row() as usize] as usize;
    words.iter().for_each(|(_, word)| ends[place(*word) + 1] += 1);
    let mut total = 0;
    for end in &mut ends {
        total += *end;
        *end = total;
    }
    let mut entries = vec![EMPTY; words.len()];
    for (row, word) in words {
        let next = &mut ends[place(*word)];
        entries[*next] = in_row(first + *row, *word);
        *next += 1;
    }
    ends.pop();
    Repeated { ends, entries }
}

const EMPTY: Entry = Entry::from_place(0, 0);

fn in_row(row: u32, word: WordEntry) -> Entry {
    Entry::from_place(row, word.place())
}
