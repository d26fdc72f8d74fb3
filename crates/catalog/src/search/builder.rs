//! Building an index: the rows come one by one in their order, each as texts; words are numbered as they are met and
//! put in alphabetical order at the end.

use hashbrown::HashMap;

use super::TextIndex;
use super::analyzer::{for_each_word, is_stop_word, stem};
use super::lexicon::Lexicon;
use super::postings::{Entry, HEAVIEST, Lists, MOST_ROWS};
use crate::BuildError;

/// How many words a text may have until each of them counts one less: the greater a word's share of a text, the more
/// the text is about it.
const SHARES: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/// Names and labels say what a row is, prose what else it touches.
const LIGHTER_IN_PROSE: u8 = 4;

/// A name or label, analyzed once for all rows that bear it.
#[derive(Default)]
pub(crate) struct Title(Vec<Token>);

#[derive(Clone, Copy)]
struct Token {
    word: u32,
    weight: u8,
}

#[derive(Default)]
pub(crate) struct IndexBuilder {
    words: Words,
    /// What the rows so far have, and where each row ends.
    tokens: Vec<WordEntry>,
    ends: Vec<u64>,
    /// The row being added.
    row: Vec<Token>,
}

/// A token of a finished row, as small as an [`Entry`]: the word stands where the row will.
type WordEntry = Entry;

impl IndexBuilder {
    pub(crate) fn title(&mut self, text: &str) -> Title {
        let mut tokens = Vec::new();
        self.words.append(text, HEAVIEST, &mut tokens);
        Title(tokens)
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
        self.ends.push(self.tokens.len() as u64);
        Ok(())
    }

    /// A word counts once in a row, and all forms of a word in it count as the weightiest of them.
    fn settle_row(&mut self) {
        let stems = &self.words.stems;
        self.row.sort_unstable_by_key(|token| (stems[token.word as usize], token.word));
        for family in self.row.chunk_by(|a, b| stems[a.word as usize] == stems[b.word as usize]) {
            let weight = family.iter().map(|token| token.weight).max().unwrap_or(0);
            let forms = family.chunk_by(|a, b| a.word == b.word).filter_map(|form| form.first());
            self.tokens.extend(forms.map(|form| Entry::new(form.word, weight)));
        }
    }

    pub(crate) fn finish(self) -> Result<TextIndex, BuildError> {
        let rows = self.ends.len() as u32;
        let (lexicon, places) = self.words.sorted()?;
        let lists = lists(&self.tokens, &self.ends, &places);
        drop((self.tokens, self.ends));
        Ok(TextIndex::new(rows, lexicon, lists))
    }
}

/// The lists of the words, each of which has its place in `places`.
fn lists(tokens: &[WordEntry], row_ends: &[u64], places: &[u32]) -> Lists {
    let place = |token: &WordEntry| places[token.row() as usize] as usize;
    // One list end too many, so that while filling, each end can start as that of the list before.
    let mut ends = vec![0u64; places.len() + 1];
    tokens.iter().for_each(|token| ends[place(token) + 1] += 1);
    let mut total = 0;
    for end in &mut ends {
        total += *end;
        *end = total;
    }
    let mut entries = vec![Entry::new(0, 0); tokens.len()];
    let mut start = 0;
    for (row, end) in (0..).zip(row_ends) {
        for token in &tokens[start as usize..*end as usize] {
            let next = &mut ends[place(token)];
            entries[*next as usize] = Entry::new(row, token.weight() as u8);
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
    telling: Vec<bool>,
    stem_numbers: HashMap<String, u32>,
}

impl Words {
    /// Appends the words of a text, of which a single one would count as `heaviest`.
    fn append(&mut self, text: &str, heaviest: u8, tokens: &mut Vec<Token>) {
        let start = tokens.len();
        let mut telling = 0;
        for_each_word(text, |word| {
            let word = self.number(word);
            telling += usize::from(self.telling[word as usize]);
            tokens.push(Token { word, weight: 0 });
        });
        let steps = SHARES.partition_point(|words| *words < telling) as u8;
        tokens[start..].iter_mut().for_each(|token| token.weight = heaviest - steps);
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.stems.len() as u32;
        let next_stem = self.stem_numbers.len() as u32;
        self.stems.push(*self.stem_numbers.entry(stem(word)).or_insert(next_stem));
        self.telling.push(!is_stop_word(word));
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
