//! Building an index: the rows come one by one in their order, each as texts; words are numbered as they are met and
//! put in alphabetical order at the end.

use hashbrown::HashMap;

use super::TextIndex;
use super::analyzer::{for_each_word, is_stop_word, stem};
use super::entry::{Entry, HEAVIEST, MOST_ROWS};
use super::lexicon::Lexicon;
use super::postings::Lists;
use crate::BuildError;

/// How many words a text may have until each of them counts one less: the greater a word's share of a text, the more
/// the text is about it.
const SHARES: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/// Names and labels say what a row is, prose what else it touches.
const LIGHTER_IN_PROSE: u8 = 4;

/// A name or label, analyzed once for all rows that bear it.
#[derive(Default)]
pub(crate) struct Title(Vec<Occurrence>);

#[derive(Clone, Copy)]
struct Occurrence {
    word: u32,
    weight: u8,
}

#[derive(Default)]
pub(crate) struct IndexBuilder {
    words: Words,
    /// The words of the rows so far, and where each row ends.
    entries: Vec<WordEntry>,
    ends: Vec<u64>,
    /// The row being added.
    row: Vec<Occurrence>,
}

/// A word of a finished row, as small as an [`Entry`]: the word stands where the row will.
type WordEntry = Entry;

impl IndexBuilder {
    pub(crate) fn title(&mut self, text: &str) -> Title {
        let mut occurrences = Vec::new();
        self.words.append(text, HEAVIEST, &mut occurrences);
        Title(occurrences)
    }

    /// Adds the next row.
    pub(crate) fn push(&mut self, titles: &[&Title], prose: &str) -> Result<(), BuildError> {
        if self.ends.len() as u64 >= u64::from(MOST_ROWS) {
            return Err(BuildError::TooLarge("the number of rows to search"));
        }
        self.row.clear();
        titles.iter().for_each(|title| self.row.extend_from_slice(&title.0));
        self.words.append(prose, HEAVIEST - LIGHTER_IN_PROSE, &mut self.row);
        if self.words.stems.len() as u64 >= u64::from(MOST_ROWS) {
            return Err(BuildError::TooLarge("the number of words"));
        }
        self.settle_row();
        self.ends.push(self.entries.len() as u64);
        Ok(())
    }

    /// A word counts once in a row, and all forms of a word in it count as the weightiest of them.
    fn settle_row(&mut self) {
        let stems = &self.words.stems;
        self.row.sort_unstable_by_key(|occurrence| (stems[occurrence.word as usize], occurrence.word));
        for family in self.row.chunk_by(|a, b| stems[a.word as usize] == stems[b.word as usize]) {
            let weight = family.iter().map(|occurrence| occurrence.weight).max().unwrap_or(0);
            let forms = family.chunk_by(|a, b| a.word == b.word).filter_map(|form| form.first());
            self.entries.extend(forms.map(|form| Entry::new(form.word, weight)));
        }
    }

    pub(crate) fn finish(self) -> Result<TextIndex, BuildError> {
        let rows = self.ends.len() as u32;
        let (lexicon, places) = self.words.sorted()?;
        let lists = lists(&self.entries, &self.ends, &places);
        drop((self.entries, self.ends));
        Ok(TextIndex::new(rows, lexicon, lists))
    }
}

/// The lists of the words, each of which has its place in `places`.
fn lists(occurrences: &[WordEntry], row_ends: &[u64], places: &[u32]) -> Lists {
    let place = |occurrence: &WordEntry| places[occurrence.row() as usize] as usize;
    // One list end too many, so that while filling, each end can start as that of the list before.
    let mut ends = vec![0u64; places.len() + 1];
    occurrences.iter().for_each(|occurrence| ends[place(occurrence) + 1] += 1);
    let mut total = 0;
    for end in &mut ends {
        total += *end;
        *end = total;
    }
    let mut entries = vec![Entry::new(0, 0); occurrences.len()];
    let mut start = 0;
    for (row, end) in (0..).zip(row_ends) {
        for occurrence in &occurrences[start as usize..*end as usize] {
            let next = &mut ends[place(occurrence)];
            entries[*next as usize] = Entry::new(row, occurrence.weight() as u8);
            *next += 1;
        }
        start = *end;
    }
    ends.pop();
    Lists::from_parts(ends, entries)
}

/// Words as they are met.
#[derive(Default)]
struct Words {
    numbers: HashMap<Box<str>, u32>,
    /// The number of each word's stem.
    stems: Vec<u32>,
    /// Whether each word is more than a stop word.
    is_content: Vec<bool>,
    stem_numbers: HashMap<String, u32>,
}

impl Words {
    /// Appends the words of a text, of which a single one would count as `heaviest`.
    fn append(&mut self, text: &str, heaviest: u8, occurrences: &mut Vec<Occurrence>) {
        let start = occurrences.len();
        let mut content_words = 0;
        for_each_word(text, |word| {
            let word = self.number(word);
            content_words += usize::from(self.is_content[word as usize]);
            occurrences.push(Occurrence { word, weight: 0 });
        });
        let steps = SHARES.partition_point(|words| *words < content_words) as u8;
        occurrences[start..].iter_mut().for_each(|occurrence| occurrence.weight = heaviest - steps);
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.stems.len() as u32;
        let next_stem = self.stem_numbers.len() as u32;
        self.stems.push(*self.stem_numbers.entry(stem(word)).or_insert(next_stem));
        self.is_content.push(!is_stop_word(word));
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
