//! Builds an index from rows of texts, given in their order. Words are numbered as they occur and sorted at the end.

use hashbrown::HashMap;

use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::occurrences::{RowWords, WordEntry, lists};
use super::positions::Field;
use super::{Index, TooLarge, room_before};
use crate::text::label::whole_label;
use crate::text::words::for_each_word;

/// A name or label, analyzed once for all rows that have it.
#[derive(Debug, Default)]
pub struct Title {
    words: Vec<u32>,
    /// The word that stands for the whole label.
    whole: Option<u32>,
}

#[derive(Debug, Default)]
pub struct IndexBuilder {
    words: Words,
    /// The words of the rows so far.
    rows: RowWords,
    /// The further positions of words that a row has several times.
    again: Vec<(u32, WordEntry)>,
    /// The row being added.
    row: Vec<WordEntry>,
    has_room: bool,
}

impl IndexBuilder {
    /// Builds an index that rows will be added to: it numbers its rows from [`Index::rows`] on, not from 0.
    pub fn to_be_merged() -> Self {
        Self { has_room: true, ..Self::default() }
    }

    pub fn title(&mut self, text: &str) -> Title {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(self.words.number(word)));
        Title { words, whole: None }
    }

    /// A title that is also indexed as a whole, so that rows with exactly this label can come first.
    pub fn label(&mut self, text: &str) -> Title {
        let whole = self.words.number(&whole_label(text));
        Title { whole: Some(whole), ..self.title(text) }
    }

    /// Adds the next row.
    pub fn push(&mut self, titles: &[(Field, &Title)], body: &str) -> Result<(), TooLarge> {
        let row = self.rows.rows();
        if row >= MOST_ROWS {
            return Err(TooLarge("the number of rows to search"));
        }
        self.row.clear();
        titles.iter().for_each(|(field, title)| self.put_title(*field, title));
        self.put_body(body);
        if self.words.numbers.len() as u64 >= u64::from(MOST_ROWS) {
            return Err(TooLarge("the number of words"));
        }
        self.settle_row(row);
        self.rows.end_row();
        Ok(())
    }

    fn put_title(&mut self, field: Field, title: &Title) {
        let words = title.words.iter().enumerate();
        self.row.extend(words.map(|(nth, word)| Entry::new(*word, field.position(nth))));
        self.row.extend(title.whole.map(|whole| Entry::new(whole, field.position(0))));
    }

    fn put_body(&mut self, body: &str) {
        let mut nth = 0;
        for_each_word(body, |word| {
            let number = self.words.number(word);
            self.row.push(Entry::new(number, Field::Body.position(nth)));
            nth += 1;
        });
    }

    /// Gives each word of the row one entry with its first position, and keeps the others apart.
    fn settle_row(&mut self, row: u32) {
        self.row.sort_unstable();
        self.row.dedup();
        for same in self.row.chunk_by(|a, b| a.row() == b.row()) {
            let Some((first, others)) = same.split_first() else { continue };
            self.rows.push(if others.is_empty() { *first } else { first.repeated() });
            self.again.extend(others.iter().map(|other| (row, *other)));
        }
    }

    pub fn finish(self) -> Result<Index, TooLarge> {
        let Self { words, rows, again, has_room, .. } = self;
        let (lexicon, places) = words.sorted()?;
        let count = rows.rows();
        let first = if has_room { room_before(count) } else { 0 };
        let lists = lists(&places, rows, &again, first);
        Ok(Index::new(first..first + count, lexicon, lists))
    }
}

/// Words in the order of their first occurrence.
#[derive(Debug, Default)]
struct Words {
    numbers: HashMap<Box<str>, u32>,
}

impl Words {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(word.into(), number);
        number
    }

    /// The words in alphabetical order, and the place of each word by its number.
    fn sorted(self) -> Result<(Lexicon, Vec<u32>), TooLarge> {
        let mut words: Vec<(Box<str>, u32)> = self.numbers.into_iter().collect();
        words.sort_unstable();
        let length = words.iter().map(|(word, _)| word.len()).sum();
        u32::try_from(length).map_err(|_| TooLarge("the text of all words"))?;
        let mut text = String::with_capacity(length);
        let mut ends = Vec::with_capacity(words.len());
        let mut places = vec![0; words.len()];
        for (place, (word, number)) in (0..).zip(words) {
            text.push_str(&word);
            ends.push(text.len() as u32);
            places[number as usize] = place;
        }
        Ok((Lexicon::new(text, ends), places))
    }
}
