//! Rows that come first because a query names a range of rows: `ago 2024` prefers the rows of that year.

use super::clause::{Clause, ClauseCursor};
use super::context::RowRange;
use crate::index::Index;
use crate::index::row_set::RowSet;
use crate::text::is_stop_word;

/// The ranges of a query, whose words no row needs to have.
#[derive(Default)]
pub(super) struct Preference<'a> {
    ranges: Vec<RowRange>,
    /// The words of the ranges.
    words: Vec<Clause<'a>>,
}

/// The fit of a row to the ranges; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    InRange,
    /// Outside, but with all words of the ranges.
    Mentioned,
    Elsewhere,
}

impl<'a> Preference<'a> {
    pub(super) fn new(index: &'a Index, words: &[String], ranges: Vec<RowRange>) -> Self {
        let of_ranges = ranges.iter().flat_map(|range| words.get(range.words.clone()).unwrap_or_default());
        let telling = of_ranges.filter(|word| !is_stop_word(word));
        Self { words: telling.map(|word| Clause::forms(index, word, 0)).collect(), ranges }
    }

    pub(super) fn into_ranges(self) -> Vec<RowRange> {
        self.ranges
    }

    fn is_in_range(&self, row: u32) -> bool {
        self.ranges.iter().any(|range| range.rows.contains(&row))
    }

    /// The rows of each [`Fit`], the best first.
    pub(super) fn groups(&self, rows: &RowSet, below: u32) -> [RowSet; 3] {
        let mut in_range = RowSet::below(below);
        self.ranges.iter().for_each(|range| in_range.insert_range(range.rows.clone()));
        in_range.intersect(rows);
        let mut elsewhere = rows.clone();
        elsewhere.subtract(&in_range);
        let mut mentioned = elsewhere.clone();
        self.words.iter().for_each(|word| mentioned.intersect(&word.rows(below)));
        elsewhere.subtract(&mentioned);
        [in_range, mentioned, elsewhere]
    }
}

/// Determines the fit of ascending rows.
pub(super) struct FitCursor<'a> {
    preference: &'a Preference<'a>,
    words: Vec<ClauseCursor<'a>>,
}

impl<'a> FitCursor<'a> {
    pub(super) fn of(preference: &'a Preference<'a>) -> Self {
        Self { words: preference.words.iter().map(ClauseCursor::of).collect(), preference }
    }

    pub(super) fn fit(&mut self, row: u32) -> Fit {
        match () {
            () if self.preference.is_in_range(row) => Fit::InRange,
            () if self.words.iter_mut().all(|word| word.has(row)) => Fit::Mentioned,
            () => Fit::Elsewhere,
        }
    }
}
