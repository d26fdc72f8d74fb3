//! An index in a snapshot: its words and lists. What is made of them is made again.

use std::io::{self, Read, Write};

use super::TextIndex;
use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::postings::{List, Lists};
use super::word_lists::WordLists;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

/// What was read. It becomes an index when the checksum of the whole snapshot is known to be right.
pub(crate) struct IndexSnapshot {
    rows: u32,
    text: String,
    word_ends: Vec<u32>,
    list_ends: Vec<u64>,
    entries: Vec<Entry>,
    again_ends: Vec<u64>,
    again: Vec<Entry>,
}

impl TextIndex {
    pub(crate) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        let (text, word_ends) = self.words.lexicon.parts();
        snapshot.column(&[self.words.rows], |rows| *rows)?;
        snapshot.text(text)?;
        snapshot.column(word_ends, |end| *end)?;
        save_lists(&self.words.lists, snapshot)?;
        save_lists(&self.words.again, snapshot)
    }

    pub(crate) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<IndexSnapshot, SnapshotError> {
        let rows: Vec<u32> = snapshot.column(|rows: u32| rows)?;
        let [rows] = *rows else { return Err(SnapshotError::Damaged) };
        let read = IndexSnapshot {
            rows,
            text: snapshot.text()?,
            word_ends: snapshot.column(|end: u32| end)?,
            list_ends: snapshot.column(|end: u64| end)?,
            entries: snapshot.column(Entry::from_bits)?,
            again_ends: snapshot.column(|end: u64| end)?,
            again: snapshot.column(Entry::from_bits)?,
        };
        ensure(read.is_consistent())?;
        Ok(read)
    }
}

/// However they are kept: where each ends, and the entries of all.
fn save_lists<W: Write>(lists: &Lists, snapshot: &mut Writer<W>) -> io::Result<()> {
    let (mut ends, mut end) = (Vec::new(), 0);
    for list in lists.iter() {
        end += list.len();
        ends.push(end as u64);
    }
    snapshot.column(&ends, |end| *end)?;
    snapshot.column_in_parts(end, lists.iter().map(List::entries), |entry| entry.to_bits())
}

impl IndexSnapshot {
    pub(crate) fn len(&self) -> u32 {
        self.rows
    }

    pub(crate) fn into_index(self) -> TextIndex {
        let lexicon = Lexicon::new(self.text, self.word_ends);
        let again = Lists::of_repeated((self.again_ends, self.again));
        let lists = Lists::from_parts((self.list_ends, self.entries));
        TextIndex::new(WordLists { rows: self.rows, lexicon, lists, again })
    }

    fn is_consistent(&self) -> bool {
        self.rows < MOST_ROWS
            && self.word_ends.len() == self.list_ends.len()
            && self.word_ends.len() == self.again_ends.len()
            && self.words_ascend()
            && rows_ascend(&self.list_ends, &self.entries, |one, next| one.row() < next.row())
            && rows_ascend(&self.again_ends, &self.again, |one, next| *one < *next)
            && self.entries.iter().chain(&self.again).all(|entry| entry.row() < self.rows)
    }

    /// Words are found by halving, so each must be above the one before it; none is empty.
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

/// Lists are read in one pass, so within each the rows must ascend; and there is nothing behind the last.
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

    /// Of the words `ata` and `lucro`, each in two of three rows.
    fn sample() -> IndexSnapshot {
        let entries = [0, 2, 1, 2].map(|row| entry(row, 3)).to_vec();
        IndexSnapshot {
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
    fn what_is_out_of_order_is_not_consistent() {
        assert!(sample().is_consistent());
        let spoil: [fn(&mut IndexSnapshot); 12] = [
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
