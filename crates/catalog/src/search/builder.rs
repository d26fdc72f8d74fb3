//! Building an index: the rows come one by one in their order, each as texts; words are numbered as they are met and
//! put in alphabetical order at the end.

use hashbrown::HashMap;

use super::TextIndex;
use super::analyzer::for_each_word;
use super::entry::{Entry, MOST_ROWS};
use super::label::whole_label;
use super::lexicon::Lexicon;
use super::positions::{Field, Position};
use super::postings::Lists;
use super::word_lists::WordLists;
use crate::BuildError;

/// A name or label, analyzed once for all rows that bear it.
#[derive(Default)]
pub(crate) struct Title {
    words: Vec<u32>,
    /// Stands for the label as a whole.
    whole: Option<u32>,
}

#[derive(Default)]
pub(crate) struct IndexBuilder {
    words: Words,
    /// The words of the rows so far, and where each row ends.
    entries: Vec<WordEntry>,
    ends: Vec<u64>,
    /// Where rows have the same word again.
    again: Vec<(u32, WordEntry)>,
    /// The row being added.
    row: Vec<WordEntry>,
}

/// A word of a finished row, as small as an [`Entry`]: the word stands where the row will.
type WordEntry = Entry;

impl IndexBuilder {
    pub(crate) fn title(&mut self, text: &str) -> Title {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(self.words.number(word)));
        Title { words, whole: None }
    }

    /// A title that is also known as a whole, so that rows which bear just this can come first.
    pub(crate) fn label(&mut self, text: &str) -> Title {
        let whole = self.words.number(&whole_label(text));
        Title { whole: Some(whole), ..self.title(text) }
    }

    /// Adds the next row.
    pub(crate) fn push(&mut self, titles: &[(Field, &Title)], prose: &str) -> Result<(), BuildError> {
        let row = self.ends.len() as u32;
        if row >= MOST_ROWS {
            return Err(BuildError::TooLarge("the number of rows to search"));
        }
        self.row.clear();
        titles.iter().for_each(|(field, title)| self.put_title(*field, title));
        self.put_prose(prose);
        if self.words.numbers.len() as u64 >= u64::from(MOST_ROWS) {
            return Err(BuildError::TooLarge("the number of words"));
        }
        self.settle_row(row);
        self.ends.push(self.entries.len() as u64);
        Ok(())
    }

    fn put_title(&mut self, field: Field, title: &Title) {
        let words = title.words.iter().enumerate();
        self.row.extend(words.map(|(nth, word)| Entry::new(*word, field.position(nth))));
        self.row.extend(title.whole.map(|whole| Entry::new(whole, field.position(0))));
    }

    fn put_prose(&mut self, prose: &str) {
        let mut nth = 0;
        for_each_word(prose, |word| {
            let number = self.words.number(word);
            self.row.push(Entry::new(number, Field::Description.position(nth)));
            nth += 1;
        });
    }

    /// A word has one entry in a row, with its first position; the others are kept aside.
    fn settle_row(&mut self, row: u32) {
        self.row.sort_unstable();
        self.row.dedup();
        for same in self.row.chunk_by(|a, b| a.row() == b.row()) {
            let Some((first, others)) = same.split_first() else { continue };
            self.entries.push(if others.is_empty() { *first } else { first.repeated() });
            self.again.extend(others.iter().map(|other| (row, *other)));
        }
    }

    pub(crate) fn finish(self) -> Result<TextIndex, BuildError> {
        let rows = self.ends.len() as u32;
        let (lexicon, places) = self.words.sorted()?;
        let again = lists(&places, || self.again.iter().copied());
        let lists = lists(&places, || by_row(&self.entries, &self.ends));
        drop((self.entries, self.ends, self.again));
        let (lists, again) = (Lists::from_parts(lists), Lists::of_repeated(again));
        Ok(TextIndex::new(WordLists { rows, lexicon, lists, again }))
    }
}

/// The words of all rows, each with its row.
fn by_row<'a>(
    entries: &'a [WordEntry],
    row_ends: &'a [u64],
) -> impl Iterator<Item = (u32, WordEntry)> + use<'a> {
    let mut start = 0;
    (0..).zip(row_ends).flat_map(move |(row, end)| {
        let words = &entries[start as usize..*end as usize];
        start = *end;
        words.iter().map(move |word| (row, *word))
    })
}

/// The lists of the words, each of which has its place in `places`: where they end, and their entries.
fn lists<I: Iterator<Item = (u32, WordEntry)>>(
    places: &[u32],
    occurrences: impl Fn() -> I,
) -> (Vec<u64>, Vec<Entry>) {
    let place = |occurrence: WordEntry| places[occurrence.row() as usize] as usize;
    // One list end too many, so that while filling, each end can start as that of the list before.
    let mut ends = vec![0u64; places.len() + 1];
    occurrences().for_each(|(_, occurrence)| ends[place(occurrence) + 1] += 1);
    let mut total = 0;
    for end in &mut ends {
        total += *end;
        *end = total;
    }
    let mut entries = vec![Entry::new(0, Position::from_number(0)); total as usize];
    for (row, occurrence) in occurrences() {
        let next = &mut ends[place(occurrence)];
        let entry = Entry::new(row, occurrence.position());
        entries[*next as usize] = if occurrence.is_repeated() { entry.repeated() } else { entry };
        *next += 1;
    }
    ends.pop();
    (ends, entries)
}

/// Words as they are met.
#[derive(Default)]
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

    /// The words in alphabetical order, and the place there of each by its number.
    fn sorted(self) -> Result<(Lexicon, Vec<u32>), BuildError> {
        let mut words: Vec<(Box<str>, u32)> = self.numbers.into_iter().collect();
        words.sort_unstable();
        let length = words.iter().map(|(word, _)| word.len()).sum();
        u32::try_from(length).map_err(|_| BuildError::TooLarge("the text of all words"))?;
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
