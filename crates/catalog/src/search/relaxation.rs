//! The rows that have the most words of a query, for when none has all.
//!
//! Rows are counted 64 at a time: a number of few binary digits for each of them, the same digit of all 64 in one word of
//! the processor, so that adding one word of the query to a window takes a few instructions for each 64 rows.

use super::clause::{Clause, ClauseReader};
use super::row_set::RowSet;

/// So many rows are counted at a time: their digits fit in the processor's nearest memory.
const WINDOW: u32 = 16_384;

/// Digits of a count: a query has fewer words than 128.
const DIGITS: usize = 7;
const WORDS: usize = (WINDOW / u64::BITS) as usize;

/// How many of the clauses some row has at most, and which rows have so many.
pub(super) fn rows_with_most(clauses: &[Clause<'_>], rows: u32) -> (usize, RowSet) {
    let mut readers: Vec<ClauseReader<'_>> = clauses.iter().map(ClauseReader::of).collect();
    let mut counts = Counts::default();
    let mut places = RowSet::below(WINDOW);
    let (mut most, mut best) = (0, RowSet::below(rows));
    let mut start = 0;
    while start < rows {
        let window = start..start.saturating_add(WINDOW);
        counts.digits.fill([0; DIGITS]);
        for reader in &mut readers {
            places.clear();
            reader.add_rows(&window, &mut places);
            counts.add(places.words());
        }
        let (count, having) = counts.most();
        if count > most {
            best.clear();
            most = count;
        }
        if count == most && most > 0 {
            let starts = (start..).step_by(u64::BITS as usize);
            starts.zip(having).for_each(|(start, rows)| best.put_word(start, rows));
        }
        start = window.end;
    }
    (most, best)
}

/// How many clauses each row of a window has, least digit first.
struct Counts {
    digits: Box<[[u64; DIGITS]; WORDS]>,
}

impl Default for Counts {
    fn default() -> Self {
        Self { digits: Box::new([[0; DIGITS]; WORDS]) }
    }
}

impl Counts {
    fn add(&mut self, rows: &[u64]) {
        for (digits, rows) in self.digits.iter_mut().zip(rows) {
            let mut carry = *rows;
            for digit in digits {
                if carry == 0 {
                    break;
                }
                let both = *digit & carry;
                *digit ^= carry;
                carry = both;
            }
        }
    }

    /// The greatest count, and the rows that have it.
    fn most(&self) -> (usize, Vec<u64>) {
        let mut having = vec![!0; WORDS];
        let mut most = 0;
        for digit in (0..DIGITS).rev() {
            let with = || having.iter().zip(self.digits.iter()).map(|(rows, digits)| rows & digits[digit]);
            if with().any(|rows| rows != 0) {
                having = with().collect();
                most |= 1 << digit;
            }
        }
        (most, having)
    }
}
