//! An index in a snapshot: its words and lists. What is prepared of them is prepared again.

use std::io::{self, Read, Write};

use super::TextIndex;
use super::lexicon::Lexicon;
use super::postings::{Entry, Lists, MOST_ROWS};
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

/// What was read, to be trusted when the checksum is known to be right.
pub struct KeptIndex {
    rows: u32,
    text: String,
    word_ends: Vec<u32>,
    list_ends: Vec<u64>,
    entries: Vec<Entry>,
}

impl TextIndex {
    pub fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        let (text, word_ends) = self.lexicon.parts();
        let (list_ends, entries) = self.lists.parts();
        snapshot.column(&[self.rows], |rows| *rows)?;
        snapshot.text(text)?;
        snapshot.column(word_ends, |end| *end)?;
        snapshot.column(list_ends, |end| *end)?;
        snapshot.column(entries, |entry| entry.to_bits())
    }

    pub fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<KeptIndex, SnapshotError> {
        let rows: Vec<u32> = snapshot.column(|rows: u32| rows)?;
        let [rows] = *rows else { return Err(SnapshotError::Damaged) };
        let kept = KeptIndex {
            rows,
            text: snapshot.text()?,
            word_ends: snapshot.column(|end: u32| end)?,
            list_ends: snapshot.column(|end: u64| end)?,
            entries: snapshot.column(Entry::from_bits)?,
        };
        ensure(kept.is_consistent())?;
        Ok(kept)
    }
}

impl KeptIndex {
    pub fn len(&self) -> u32 {
        self.rows
    }

    pub fn ready(self) -> TextIndex {
        let lexicon = Lexicon::new(self.text, self.word_ends);
        TextIndex::new(self.rows, lexicon, Lists::from_parts(self.list_ends, self.entries))
    }

    fn is_consistent(&self) -> bool {
        let (words, lists) = (&self.word_ends, &self.list_ends);
        self.rows < MOST_ROWS
            && words.len() == lists.len()
            && words.is_sorted()
            && words.iter().all(|end| self.text.is_char_boundary(*end as usize))
            && lists.is_sorted()
            && lists.last().map_or(0, |end| *end as usize) == self.entries.len()
            && self.entries.iter().all(|entry| entry.row() < self.rows)
    }
}
