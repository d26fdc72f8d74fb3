//! Which rows have two common words beside each other.
//!
//! Common words are found together in very many rows, of which few may have them as a phrase. So the rows of such pairs are
//! gathered when the index is built.

use std::ops::Range;

use hashbrown::HashMap;

use super::candidates::PairRows;
use super::clause::Occurrences;
use super::dense_list::{DENSE, SHORTEST};
use super::entry::Entry;
use super::label::is_whole_label;
use super::phrases::{Phrase, expression};
use super::positions::{Position, Positions};
use super::postings::{List, seek};
use super::row_set::RowSet;
use super::synonyms::{self, meaning};
use super::text_rows::TextRows;
use super::word_lists::WordLists;

#[derive(Default)]
pub(super) struct Pairs {
    /// The number of a common word by what its forms and all words that mean the same have in common.
    numbers: HashMap<Box<str>, u8>,
    /// Of those that occur.
    pairs: HashMap<(u8, u8), Pair>,
}

/// The rows that have a pair.
enum Pair {
    Few(Box<[u32]>),
    Many(TextRows),
    Unknown,
}

/// More words than this have no number; the commonest come first.
const MOST_WORDS: usize = u8::MAX as usize;
/// A pair has many rows if more than one of so many has it.
const MANY: usize = 64;
/// Sets take memory; of more pairs with many rows these are not known.
const MOST_SETS: usize = if cfg!(test) { 40 } else { 256 };

impl Pairs {
    pub(super) fn of(lists: &WordLists, phrases: &[Option<Phrase>]) -> Self {
        let common = common_words(lists, phrases);
        let mut gathered = Gathered::of(lists.rows);
        let mut window = Window::default();
        for start in (0..lists.rows).step_by(WINDOW as usize).take_while(|_| !common.is_empty()) {
            window.clear(start);
            for (word, number) in common.iter().zip(1..=u8::MAX) {
                word.lists.iter().for_each(|list| window.put(list, number));
                word.expressions.iter().for_each(|list| window.put_expression(list, number));
            }
            window.pairs(|row, one, other, is_own| gathered.add(row, one, other, is_own));
        }
        let numbers = common.into_iter().zip(1..=u8::MAX).map(|(word, number)| (word.meaning, number));
        Self { numbers: numbers.collect(), pairs: gathered.into_pairs() }
    }

    /// The rows that have two words beside each other, if these are common.
    pub(super) fn rows(&self, one: &str, other: &str) -> Option<PairRows<'_>> {
        let number = |word: &str| self.numbers.get(&*meaning(word)).copied();
        Some(match self.pairs.get(&(number(one)?, number(other)?)) {
            Some(Pair::Few(rows)) => PairRows::Few(rows),
            Some(Pair::Many(rows)) => PairRows::Many(rows),
            Some(Pair::Unknown) => return None,
            None => PairRows::Few(&[]),
        })
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
        self.lists.iter().chain(&self.expressions).map(|one| one.list.len()).sum()
    }
}

fn common_words<'a>(lists: &'a WordLists, phrases: &'a [Option<Phrase>]) -> Vec<CommonWord<'a>> {
    let mut words = HashMap::<String, Vec<Occurrences<'_>>>::new();
    for number in 0..lists.lexicon.len() {
        let word = lists.lexicon.word(number);
        if !is_whole_label(word) {
            words.entry(meaning(word)).or_default().push(lists.occurrences_of(number, 0));
        }
    }
    // No row need have the very word, if rows have what means the same.
    for expression in synonyms::all().iter().filter(|expression| expression.words.len() == 1) {
        words.entry(meaning(&expression.words[0])).or_default();
    }
    let mut common: Vec<CommonWord<'_>> = words
        .into_iter()
        .map(|(meaning, of_word)| {
            let same = synonyms::beyond_words(&meaning);
            let expressions = same.flat_map(|number| expression(lists, phrases, number, 0)).collect();
            CommonWord { meaning: meaning.into(), lists: of_word, expressions }
        })
        .filter(|word| word.most_rows() >= SHORTEST.max(lists.rows as usize / DENSE))
        .collect();
    common.sort_by(|one, other| {
        other.most_rows().cmp(&one.most_rows()).then_with(|| one.meaning.cmp(&other.meaning))
    });
    common.truncate(MOST_WORDS);
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
    /// At which positions each row has one.
    taken: Vec<Positions>,
    /// Expressions may begin where a word stands: the place of the cell, and the number.
    expressions: Vec<(usize, u8)>,
}

impl Window {
    fn clear(&mut self, start: u32) {
        self.start = start;
        self.cells.clear();
        self.cells.resize(WINDOW as usize * POSITIONS, 0);
        self.taken.clear();
        self.taken.resize(WINDOW as usize, Positions::default());
        self.expressions.clear();
    }

    fn put(&mut self, list: &Occurrences<'_>, number: u8) {
        each_of(list, self.start, |row, position| {
            self.cells[row * POSITIONS + usize::from(position.number())] = number;
            self.taken[row].add(Positions::of(position));
        });
    }

    fn put_expression(&mut self, list: &Occurrences<'_>, number: u8) {
        each_of(list, self.start, |row, position| {
            self.expressions.push((row * POSITIONS + usize::from(position.number()), number));
        });
    }

    /// Visits the pairs in the order of the rows, and says of each whether it stands in a text of the row itself.
    fn pairs(&mut self, mut visit: impl FnMut(u32, u8, u8, bool)) {
        self.expressions.sort_unstable();
        let mut expressions = self.expressions.iter().peekable();
        let is_own = |place: usize| Position::from_number((place % POSITIONS) as u8).is_own();
        for (number, (cells, taken)) in self.cells.chunks_exact(POSITIONS).zip(&self.taken).enumerate() {
            let row = self.start + number as u32;
            for position in taken.and(taken.starts(1)).iter() {
                let place = usize::from(position.number());
                visit(row, cells[place], cells[place + 1], position.is_own());
            }
            while let Some((place, expression)) =
                expressions.next_if(|(place, _)| place / POSITIONS == number)
            {
                for other in self.at(place + 1) {
                    visit(row, *expression, other, is_own(*place));
                }
                for other in place.checked_sub(1).into_iter().flat_map(|before| self.at(before)) {
                    visit(row, other, *expression, is_own(*place));
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

/// Visits where rows from `start` on have something; they are counted from there.
fn each_of(list: &Occurrences<'_>, start: u32, mut visit: impl FnMut(usize, Position)) {
    let rows = start..start + WINDOW;
    let mut look = |entry: Entry| visit((entry.row() - start) as usize, entry.position());
    match list.list {
        List::Sparse(entries) => within(entries, &rows).iter().copied().for_each(&mut look),
        List::Dense(list) => list.within(&rows).for_each(&mut look),
    }
    within(list.again, &rows).iter().copied().for_each(look);
}

/// The entries of a range of rows.
fn within<'a>(entries: &'a [Entry], rows: &Range<u32>) -> &'a [Entry] {
    let first = seek(entries, 0, rows.start);
    &entries[first..seek(entries, first, rows.end)]
}

/// The rows of pairs as they are met.
struct Gathered {
    /// How many rows there are in all.
    below: u32,
    /// By the numbers of both words.
    pairs: Vec<GatheredPair>,
    /// How many of them are sets.
    sets: usize,
}

#[derive(Clone)]
enum GatheredPair {
    /// Twice the row, and one more if it has the pair in a text of its own.
    Few(Vec<u32>),
    /// All rows, and those that have it so.
    Many(RowSet, RowSet),
    Unknown,
}

impl Gathered {
    fn of(below: u32) -> Self {
        Self { below, pairs: vec![GatheredPair::Few(Vec::new()); 1 << 16], sets: 0 }
    }

    fn add(&mut self, row: u32, one: u8, other: u8, is_own: bool) {
        let pair = &mut self.pairs[usize::from(one) << 8 | usize::from(other)];
        pair.add(row, is_own);
        if let GatheredPair::Few(few) = pair
            && few.len() > self.below as usize / MANY
        {
            self.sets += 1;
            let is_known = self.sets <= MOST_SETS;
            *pair = if is_known { GatheredPair::many(few, self.below) } else { GatheredPair::Unknown };
        }
    }

    fn into_pairs(self) -> HashMap<(u8, u8), Pair> {
        let numbers = (0..=u8::MAX).flat_map(|one| (0..=u8::MAX).map(move |other| (one, other)));
        numbers.zip(self.pairs).filter_map(|(numbers, pair)| Some((numbers, pair.finish()?))).collect()
    }
}

impl GatheredPair {
    fn many(few: &[u32], below: u32) -> Self {
        let mut many = Self::Many(RowSet::below(below), RowSet::below(below));
        few.iter().for_each(|twice| many.add(twice / 2, twice % 2 == 1));
        many
    }

    fn add(&mut self, row: u32, is_own: bool) {
        match self {
            Self::Few(few) => match few.last_mut().filter(|last| **last / 2 == row) {
                Some(last) => *last |= u32::from(is_own),
                None => few.push(row * 2 + u32::from(is_own)),
            },
            Self::Many(rows, own) => {
                rows.insert(row);
                if is_own {
                    own.insert(row);
                }
            }
            Self::Unknown => {}
        }
    }

    /// Nothing, if the pair does not occur.
    fn finish(self) -> Option<Pair> {
        match self {
            Self::Few(few) if few.is_empty() => None,
            Self::Few(few) => Some(Pair::Few(few.into_iter().map(|twice| twice / 2).collect())),
            Self::Many(rows, own) => Some(Pair::Many(TextRows::new(rows, own))),
            Self::Unknown => Some(Pair::Unknown),
        }
    }
}
