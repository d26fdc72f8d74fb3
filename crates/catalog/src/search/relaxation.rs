//! The rows that have the most words of a query, for when none has all.
//!
//! Rows are counted 64 at a time: a number of few binary digits for each of them, the same digit of all 64 in one word of
//! the processor, so that adding one word of the query to a window takes a few instructions for each 64 rows.

use std::borrow::Cow;

use super::clause::{Clause, Occurrences};
use super::entry::Entry;
use super::matching::Wanted;
use super::postings::{List, seek};
use super::reading::Outcome;
use super::row_set::{RowSet, ones};
use crate::page::Page;

/// So many words of 64 rows are counted at a time: all that is known of them fits in the processor's nearer memory.
const WORDS: usize = 128;
const WINDOW: u32 = WORDS as u32 * u64::BITS;
/// So many of them are one step: 256 bits, in two registers.
const LANES: usize = 4;
/// A query has fewer words than this takes digits for.
const DIGITS: usize = 7;
/// So many words of the query are added at once.
const AT_ONCE: usize = 4;
/// In place of the words that are missing for that.
static NOTHING: [u64; WORDS] = [0; WORDS];

type Lanes = [u64; LANES];

impl Wanted<'_> {
    /// Where no row has all words, those with the most of them: first what has the rarest, each in the order of the part.
    pub(super) fn relaxed(&self, page: Page) -> Outcome {
        let sources = self.sources();
        if sources.len() > 2 {
            return self.counted(sources).outcome(&self.with_rarest(), page);
        }
        let most = self.one_or_two(sources.into_iter().map(|source| source.all(self.rows)));
        Outcome::relaxed(most, &self.with_rarest(), page)
    }

    /// The rows of the word that the fewest have, but for those that none has; of several the first.
    pub(super) fn with_rarest(&self) -> Cow<'_, RowSet> {
        let mut words: Vec<usize> = (0..self.words.len()).filter(|word| self.is_had(*word)).collect();
        words.sort_by_key(|word| self.words[*word].least_rows());
        let mut rarest = None;
        for word in words {
            if rarest.is_some_and(|(fewest, _)| self.words[word].least_rows() > fewest) {
                break;
            }
            let one = (self.count(word), word);
            rarest = Some(rarest.map_or(one, |other: (usize, usize)| other.min(one)));
        }
        rarest.map(|(_, word)| self.source(word).all(self.rows)).unwrap_or_default()
    }

    /// How many rows have a word.
    fn count(&self, word: usize) -> usize {
        match self.longer_than(word) {
            Some(_) => self.source(word).all(self.rows).len(),
            None => self.words[word].count(self.rows),
        }
    }

    fn is_had(&self, word: usize) -> bool {
        self.words[word].has_rows() || self.longer_than(word).is_some()
    }

    fn source(&self, word: usize) -> Source<'_> {
        Source::of(&self.words[word], self.longer_than(word))
    }

    /// The rows with the most words, of which there are more than two.
    pub(super) fn with_most(&self) -> Most {
        self.counted(self.sources())
    }

    fn counted(&self, mut sources: Vec<Source<'_>>) -> Most {
        let mut most = Most::default();
        for start in (0..self.rows).step_by(WINDOW as usize) {
            let mut inputs = Vec::with_capacity(sources.len() + AT_ONCE);
            inputs.extend(sources.iter_mut().map(|source| source.read(start)));
            count(inputs, start, &mut most);
        }
        most
    }

    /// Of no more than two words nothing need be counted.
    fn one_or_two<'a>(&self, sets: impl Iterator<Item = Cow<'a, RowSet>>) -> RowSet {
        let sets: Vec<Cow<'a, RowSet>> = sets.collect();
        let mut either = RowSet::below(self.rows);
        sets.iter().for_each(|set| either.add_all(set));
        let mut all = either.clone();
        sets.iter().for_each(|set| all.keep_all(set));
        if all.is_empty() { either } else { all }
    }

    /// Of the words that some row has.
    fn sources(&self) -> Vec<Source<'_>> {
        let words = (0..self.words.len()).filter(|word| self.is_had(*word));
        words.map(|word| self.source(word)).collect()
    }
}

/// The rows of one word, window by window.
struct Source<'a> {
    clause: &'a Clause<'a>,
    longer: Option<&'a RowSet>,
    sets: Vec<&'a RowSet>,
    /// What of other lists was not read yet.
    lists: Vec<&'a [Entry]>,
    rows: Box<[u64; WORDS]>,
}

impl<'a> Source<'a> {
    fn of(clause: &'a Clause<'a>, longer: Option<&'a RowSet>) -> Self {
        let (sets, lists) = match clause.union {
            Some(union) => (longer.into_iter().chain([&union.rows]).collect(), Vec::new()),
            None => Self::sets_and_lists(clause, longer),
        };
        Self { clause, longer, sets, lists, rows: Box::new([0; WORDS]) }
    }

    fn sets_and_lists(
        clause: &'a Clause<'a>,
        longer: Option<&'a RowSet>,
    ) -> (Vec<&'a RowSet>, Vec<&'a [Entry]>) {
        let (mut sets, mut lists): (Vec<&RowSet>, Vec<&[Entry]>) = (longer.into_iter().collect(), Vec::new());
        for (number, one) in clause.lists.iter().enumerate() {
            // Expressions that mean the same bring the same list, moved by some words.
            let is_same = |other: &Occurrences<'_>| other.id == one.id;
            match one.list {
                _ if clause.lists[..number].iter().any(is_same) => {}
                List::Dense(list) => sets.push(list.rows().all()),
                List::Sparse(entries) => lists.push(entries),
            }
        }
        (sets, lists)
    }

    /// All rows at once.
    fn all(self, below: u32) -> Cow<'a, RowSet> {
        let Some(longer) = self.longer else { return self.clause.rows(below) };
        let mut rows = longer.clone();
        rows.add_all(&self.clause.rows(below));
        Cow::Owned(rows)
    }

    #[inline]
    fn read(&mut self, start: u32) -> &[u64; WORDS] {
        if let (&[set], []) = (&self.sets[..], &self.lists[..])
            && let Some(rows) = set.words_from(start).first_chunk()
        {
            return rows;
        }
        self.rows.fill(0);
        for set in &self.sets {
            add_rows(set.words_from(start), &mut self.rows);
        }
        for list in &mut self.lists {
            move_rows(list, start, &mut self.rows);
        }
        &self.rows
    }
}

#[inline]
fn add_rows(words: &[u64], rows: &mut [u64; WORDS]) {
    match words.first_chunk::<WORDS>() {
        Some(words) => {
            for (own, other) in rows.iter_mut().zip(words) {
                *own |= other;
            }
        }
        None => rows.iter_mut().zip(words).for_each(|(own, other)| *own |= other),
    }
}

/// Takes the rows of a window off the beginning of a list.
#[inline]
fn move_rows(list: &mut &[Entry], start: u32, rows: &mut [u64; WORDS]) {
    let (here, later) = list.split_at(seek(list, 0, start.saturating_add(WINDOW)));
    for entry in here {
        let place = (entry.row() - start) as usize;
        rows[place / u64::BITS as usize % WORDS] |= 1 << (place % u64::BITS as usize);
    }
    *list = later;
}

/// The rows that have the most words, as far as they are counted.
#[derive(Default)]
pub(super) struct Most {
    /// How many words these are.
    pub words: usize,
    /// Of each 64 rows, counted by their number, those that have so many; 64 among which there is none are left out.
    rows: Vec<(u32, u64)>,
}

impl Most {
    /// Rows that have so many words, and no fewer than those that are known.
    fn add(&mut self, words: usize, number: u32, rows: Lanes) {
        if words > self.words {
            self.words = words;
            self.rows.clear();
        }
        self.rows.extend((number..).zip(rows).filter(|(_, rows)| *rows != 0));
    }

    /// A page of them, first those that are in a set.
    pub(super) fn outcome(&self, first: &RowSet, page: Page) -> Outcome {
        let total = self.rows.iter().map(|(_, rows)| rows.count_ones() as usize).sum();
        let places = page.of(total);
        let with = self.each(|number, rows| rows & first.word(number));
        let all = with.chain(self.each(|number, rows| rows & !first.word(number)));
        Outcome { total, rows: all.skip(places.start).take(places.len()).collect(), relaxed: true }
    }

    /// Those that `some` leaves of each 64.
    fn each(&self, some: impl Fn(u32, u64) -> u64) -> impl Iterator<Item = u32> {
        let left = self.rows.iter().map(move |(number, rows)| (*number, some(*number, *rows)));
        left.flat_map(|(number, rows)| ones(rows).map(move |bit| number * u64::BITS + bit))
    }

    pub(super) fn to_set(&self, below: u32) -> RowSet {
        let mut set = RowSet::below(below);
        self.rows.iter().for_each(|(number, rows)| set.put_words(number * u64::BITS, &[*rows]));
        set
    }
}

/// Counts a window's rows, each input being the rows of one word, and adds those that have the most.
#[inline]
fn count(mut inputs: Vec<&[u64; WORDS]>, start: u32, most: &mut Most) {
    let digits = DIGITS.min((usize::BITS - inputs.len().max(1).leading_zeros()) as usize);
    inputs.resize(inputs.len().next_multiple_of(AT_ONCE), &NOTHING);
    let (inputs, _) = inputs.as_chunks();
    for (number, at) in (start / u64::BITS..).step_by(LANES).zip((0..WORDS).step_by(LANES)) {
        let counted = counted(inputs, at, digits);
        let reaching = at_least(most.words.max(1), &counted[..digits]);
        if reaching != [0; LANES] {
            let (words, rows) = greatest(&counted[..digits], reaching);
            most.add(words, number, rows);
        }
    }
}

/// How many inputs each row of one step has, as digits, the least first. Four inputs are added at once: three full adders
/// make one carry of them, so that the digits above are seldom touched.
#[inline]
fn counted(inputs: &[[&[u64; WORDS]; AT_ONCE]], at: usize, digits: usize) -> [Lanes; DIGITS] {
    let lanes = |input: &[u64; WORDS]| -> Lanes { input[at..].first_chunk().copied().unwrap_or_default() };
    let (mut counted, mut ones, mut twos) = ([[0; LANES]; DIGITS], [0; LANES], [0; LANES]);
    for four in inputs {
        let [one, two, three, four] = four.map(lanes);
        let carries = [add_two(&mut ones, one, two), add_two(&mut ones, three, four)];
        let carry = add_two(&mut twos, carries[0], carries[1]);
        add(carry, &mut counted[digits.min(2)..digits]);
    }
    counted[..2].copy_from_slice(&[ones, twos]);
    counted
}

/// Adds two digits to one, and gives what is carried.
#[inline]
fn add_two(sum: &mut Lanes, one: Lanes, two: Lanes) -> Lanes {
    let mut carry = [0; LANES];
    for lane in 0..LANES {
        let either = sum[lane] ^ one[lane];
        carry[lane] = (sum[lane] & one[lane]) | (either & two[lane]);
        sum[lane] = either ^ two[lane];
    }
    carry
}

#[inline]
fn add(mut carry: Lanes, digits: &mut [Lanes]) {
    for digit in digits {
        for (digit, carry) in digit.iter_mut().zip(&mut carry) {
            let both = *digit & *carry;
            *digit ^= *carry;
            *carry = both;
        }
    }
}

/// The rows that have no fewer than this number.
#[inline]
fn at_least(number: usize, digits: &[Lanes]) -> Lanes {
    let (mut more, mut equal) = ([0; LANES], [!0; LANES]);
    for (place, digit) in digits.iter().enumerate().rev() {
        let wanted = if number & (1 << place) == 0 { 0 } else { !0 };
        for lane in 0..LANES {
            more[lane] |= equal[lane] & digit[lane] & !wanted;
            equal[lane] &= !(digit[lane] ^ wanted);
        }
    }
    std::array::from_fn(|lane| more[lane] | equal[lane])
}

/// The greatest number of some rows of a step, and those of them that have it.
#[inline]
fn greatest(digits: &[Lanes], mut having: Lanes) -> (usize, Lanes) {
    let mut most = 0;
    for (place, digit) in digits.iter().enumerate().rev() {
        let with = std::array::from_fn(|lane| having[lane] & digit[lane]);
        if with != [0; LANES] {
            having = with;
            most |= 1 << place;
        }
    }
    (most, having)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_counted_as_one_counts_them_one_by_one(seed: u64, words in 0usize..40) {
            let random = &mut fastrand::Rng::with_seed(seed);
            let inputs: Vec<[u64; WORDS]> =
                (0..words).map(|_| std::array::from_fn(|_| random.u64(..) & random.u64(..) & random.u64(..))).collect();
            let counts: Vec<usize> = (0..WORDS * 64)
                .map(|row| inputs.iter().filter(|input| input[row / 64] & (1 << (row % 64)) != 0).count())
                .collect();
            // Twice, so that the second window has rows that have as many as those that are known.
            let mut most = Most::default();
            count(inputs.iter().collect(), 0, &mut most);
            count(inputs.iter().rev().collect(), WINDOW, &mut most);
            let expected = counts.iter().copied().max().unwrap_or(0);
            prop_assert_eq!(most.words, expected);
            let rows = most.to_set(2 * WINDOW);
            let having = |row: u32| expected > 0 && counts[(row % WINDOW) as usize] == expected;
            prop_assert!((0..2 * WINDOW).all(|row| rows.contains(row) == having(row)));
            let page = Page { limit: 9, offset: 2 };
            let outcome = most.outcome(&RowSet::default(), page);
            prop_assert_eq!(outcome.total, rows.len());
            prop_assert_eq!(outcome.rows, rows.page(page.offset, page.limit).0);
            let mut first = RowSet::below(WINDOW);
            (0..WINDOW).filter(|_| random.bool()).for_each(|row| first.insert(row));
            let mut expected = rows.to_vec();
            expected.sort_by_key(|row| !first.contains(*row));
            prop_assert_eq!(most.outcome(&first, Page { limit: usize::MAX, offset: 0 }).rows, expected);
        }
    }
}
