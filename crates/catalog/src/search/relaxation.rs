//! The rows that have the most words of a query, for when none has all.
//!
//! Rows are counted 64 at a time: a number of few binary digits for each of them, the same digit of all 64 in one word of
//! the processor, so that adding one word of the query to a window takes a few instructions for each 64 rows.

use super::clause::{Clause, ClauseReader};
use super::row_set::RowSet;

/// So many rows are counted at a time: their digits fit in the processor's nearest memory.
const WINDOW: u32 = 16_384;

const WORDS: usize = (WINDOW / u64::BITS) as usize;

/// How many of the clauses some row has at most, and which rows have so many.
pub(super) fn rows_with_most(clauses: &[Clause<'_>], rows: u32) -> (usize, RowSet) {
    let mut readers: Vec<ClauseReader<'_>> =
        clauses.iter().filter(|clause| clause.has_rows()).map(ClauseReader::of).collect();
    let mut counts = Counts::up_to(readers.len());
    let mut places = RowSet::below(WINDOW);
    let (mut most, mut best) = (0, RowSet::below(rows));
    let mut start = 0;
    while start < rows {
        let window = start..start.saturating_add(WINDOW);
        counts.clear();
        for reader in &mut readers {
            places.clear();
            reader.add_rows(&window, &mut places);
            counts.add(places.words());
        }
        let count = counts.most();
        if count > most {
            best.clear();
            most = count;
        }
        if count == most && most > 0 {
            let starts = (start..).step_by(u64::BITS as usize);
            starts.zip(counts.having.iter()).for_each(|(start, rows)| best.put_word(start, *rows));
        }
        start = window.end;
    }
    (most, best)
}

/// How many clauses each row of a window has.
struct Counts {
    /// The digits of the counts, the least first.
    digits: Vec<[u64; WORDS]>,
    /// The rows with the greatest count.
    having: Box<[u64; WORDS]>,
    carry: Box<[u64; WORDS]>,
}

impl Counts {
    fn up_to(most: usize) -> Self {
        let digits = usize::BITS - most.leading_zeros();
        Self {
            digits: vec![[0; WORDS]; digits as usize],
            having: Box::new([0; WORDS]),
            carry: Box::new([0; WORDS]),
        }
    }

    fn clear(&mut self) {
        self.digits.fill([0; WORDS]);
    }

    fn add(&mut self, rows: &[u64]) {
        self.carry.iter_mut().zip(rows).for_each(|(carry, rows)| *carry = *rows);
        for digit in &mut self.digits {
            let mut rest = 0;
            for (digit, carry) in digit.iter_mut().zip(self.carry.iter_mut()) {
                let both = *digit & *carry;
                *digit ^= *carry;
                *carry = both;
                rest |= both;
            }
            if rest == 0 {
                break;
            }
        }
    }

    /// The greatest count; the rows that have it are kept.
    fn most(&mut self) -> usize {
        let (having, carry) = (&mut self.having, &mut self.carry);
        having.fill(!0);
        let mut most = 0;
        for (place, digit) in self.digits.iter().enumerate().rev() {
            let mut any = 0;
            for ((with, rows), digit) in carry.iter_mut().zip(having.iter()).zip(digit) {
                *with = rows & digit;
                any |= *with;
            }
            if any != 0 {
                std::mem::swap(having, carry);
                most |= 1 << place;
            }
        }
        most
    }
}
