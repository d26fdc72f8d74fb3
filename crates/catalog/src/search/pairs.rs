//! Which rows have two common words beside each other.
//!
//! Common words are found together in very many rows, of which few may have them as a phrase. So the rows of such pairs are
//! listed when the index is built. Pairs that very many rows have are not: their rows are met soon enough.

use std::ops::Range;

use hashbrown::HashMap;

use super::clause::Occurrences;
use super::dense_list::{DENSE, SHORTEST};
use super::entry::Entry;
use super::label::is_whole_label;
use super::phrases::{Phrase, expression};
use super::postings::{List, seek};
use super::synonyms::{self, meaning};
use super::word_lists::WordLists;

#[derive(Default)]
pub(super) struct Pairs {
    /// The number of a common word by what its forms and all words that mean the same have in common.
    numbers: HashMap<Box<str>, u8>,
    /// Of pairs that occur, the rows, or nothing if there are very many.
    rows: HashMap<(u8, u8), Option<Box<[u32]>>>,
}

/// More words than this have no number; the commonest come first.
const MOST_WORDS: usize = u8::MAX as usize;
/// A pair has very many rows if more than one of so many has it.
const SOON: usize = 128;

impl Pairs {
    pub(super) fn of(lists: &WordLists, phrases: &[Phrase]) -> Self {
        let common = common_words(lists, phrases);
        let mut gathered = Gathered::up_to(lists.rows as usize / SOON);
        let mut window = Window::default();
        for start in (0..lists.rows).step_by(WINDOW as usize).take_while(|_| !common.is_empty()) {
            window.clear(start);
            for (word, number) in common.iter().zip(1..) {
                word.lists.iter().for_each(|list| window.put(list, number));
                word.expressions.iter().for_each(|list| window.put_expression(list, number));
            }
            window.pairs(|row, one, other| gathered.add(row, one, other));
        }
        let numbers = common.into_iter().zip(1..).map(|(word, number)| (word.meaning, number));
        Self { numbers: numbers.collect(), rows: gathered.into_rows() }
    }

    /// The rows that have two words beside each other, ascending, if these are known.
    pub(super) fn rows(&self, one: &str, other: &str) -> Option<&[u32]> {
        let number = |word: &str| self.numbers.get(&*meaning(word)).copied();
        match self.rows.get(&(number(one)?, number(other)?)) {
            Some(rows) => rows.as_deref(),
            None => Some(&[]),
        }
    }
}

/// Where rows have a common word, or something that means the same.
struct CommonWord<'a> {
    meaning: Box<str>,
    lists: Vec<Occurrences<'a>>,
    /// The same of expressions of several words.
    expressions: Vec<Occurrences<'a>>,
}

impl CommonWord<'_> {
    fn most_rows(&self) -> usize {
        self.lists.iter().map(|one| one.list.len()).sum()
    }
}

fn common_words<'a>(lists: &'a WordLists, phrases: &'a [Phrase]) -> Vec<CommonWord<'a>> {
    let mut words = HashMap::<String, Vec<Occurrences<'_>>>::new();
    for number in 0..lists.lexicon.len() {
        let word = lists.lexicon.word(number);
        if !is_whole_label(word) {
            words.entry(meaning(word)).or_default().push(lists.occurrences_of(number, 0));
        }
    }
    let mut common: Vec<CommonWord<'_>> = words
        .into_iter()
        .map(|(meaning, lists)| CommonWord { meaning: meaning.into(), lists, expressions: Vec::new() })
        .filter(|word| word.most_rows() >= SHORTEST.max(lists.rows as usize / DENSE))
        .collect();
    common.sort_by(|one, other| {
        other.most_rows().cmp(&one.most_rows()).then_with(|| one.meaning.cmp(&other.meaning))
    });
    common.truncate(MOST_WORDS);
    for word in &mut common {
        let same = synonyms::beyond_words(&word.meaning);
        word.expressions = same.flat_map(|number| expression(lists, phrases, number, 0)).collect();
    }
    common
}

/// So many rows are looked at together.
const WINDOW: u32 = 1024;
/// A row has so many positions.
const POSITIONS: usize = 128;

/// Which common words rows have at which positions.
#[derive(Default)]
struct Window {
    start: u32,
    cells: Vec<u8>,
    /// Expressions may begin where a word stands: the place of the cell, and the number.
    expressions: Vec<(usize, u8)>,
}

impl Window {
    fn clear(&mut self, start: u32) {
        self.start = start;
        self.cells.clear();
        self.cells.resize(WINDOW as usize * POSITIONS, 0);
        self.expressions.clear();
    }

    fn put(&mut self, list: &Occurrences<'_>, number: u8) {
        for place in self.places(list) {
            self.cells[place] = number;
        }
    }

    fn put_expression(&mut self, list: &Occurrences<'_>, number: u8) {
        let places = self.places(list);
        self.expressions.extend(places.into_iter().map(|place| (place, number)));
    }

    fn places(&self, list: &Occurrences<'_>) -> Vec<usize> {
        let rows = self.start..self.start + WINDOW;
        let place = |entry: Entry| {
            (entry.row() - self.start) as usize * POSITIONS + usize::from(entry.position().number())
        };
        let mut places: Vec<usize> = match list.list {
            List::Sparse(entries) => within(entries, &rows).iter().copied().map(place).collect(),
            List::Dense(list) => list.within(&rows).map(place).collect(),
        };
        places.extend(within(list.again, &rows).iter().copied().map(place));
        places
    }

    /// Visits the pairs in the order of the rows.
    fn pairs(&mut self, mut visit: impl FnMut(u32, u8, u8)) {
        self.expressions.sort_unstable();
        let mut expressions = self.expressions.iter().peekable();
        for (number, cells) in self.cells.chunks_exact(POSITIONS).enumerate() {
            let row = self.start + number as u32;
            for two in cells.windows(2).filter(|two| two[0] != 0 && two[1] != 0) {
                visit(row, two[0], two[1]);
            }
            while let Some((place, expression)) =
                expressions.next_if(|(place, _)| place / POSITIONS == number)
            {
                for other in self.at(place + 1) {
                    visit(row, *expression, other);
                }
                for other in place.checked_sub(1).into_iter().flat_map(|before| self.at(before)) {
                    visit(row, other, *expression);
                }
            }
        }
    }

    /// What stands at a place.
    fn at(&self, place: usize) -> impl Iterator<Item = u8> {
        let first = self.expressions.partition_point(|(other, _)| *other < place);
        let expressions = self.expressions[first..].iter().take_while(move |(other, _)| *other == place);
        let word = self.cells.get(place).copied().filter(|number| *number != 0);
        expressions.map(|(_, number)| *number).chain(word)
    }
}

/// The entries of a range of rows.
fn within<'a>(entries: &'a [Entry], rows: &Range<u32>) -> &'a [Entry] {
    let first = seek(entries, 0, rows.start);
    &entries[first..seek(entries, first, rows.end)]
}

/// The rows of pairs as they are met.
struct Gathered {
    /// More rows are very many.
    most: usize,
    /// By the numbers of both words.
    rows: Vec<Vec<u32>>,
}

impl Gathered {
    fn up_to(most: usize) -> Self {
        Self { most, rows: vec![Vec::new(); 1 << 16] }
    }

    fn add(&mut self, row: u32, one: u8, other: u8) {
        let rows = &mut self.rows[usize::from(one) << 8 | usize::from(other)];
        if rows.len() <= self.most && rows.last() != Some(&row) {
            rows.push(row);
        }
    }

    fn into_rows(self) -> HashMap<(u8, u8), Option<Box<[u32]>>> {
        let numbers = (0..=u8::MAX).flat_map(|one| (0..=u8::MAX).map(move |other| (one, other)));
        let occurring = numbers.zip(self.rows).filter(|(_, rows)| !rows.is_empty());
        occurring.map(|(pair, rows)| (pair, (rows.len() <= self.most).then(|| rows.into()))).collect()
    }
}
