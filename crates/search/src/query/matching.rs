//! The rows that have all words of a query.
//!
//! If some word is rare, each of its rows is looked up in the lists of the others. Otherwise whole sets of rows are
//! intersected.

use super::clause::ClauseCursor;
use super::phrase::{self, Phrase};
use super::plan::QueryPlan;
use super::row_filter::RowFilter;
use crate::index::lists::DENSE;
use crate::index::row_set::RowSet;

/// The rows that have all words, or a longer one than the last.
pub(super) enum Matches {
    /// In ascending order.
    Few(Vec<u32>),
    Many {
        /// The rows that have the last word itself.
        exact: RowSet,
        /// The rows that only have a longer one.
        longer: Option<RowSet>,
    },
}

/// Sets beat single rows for a query of one word from one row in this many on.
const DENSE_ALONE: usize = if cfg!(test) { 16 } else { 1024 };

impl Matches {
    pub(super) fn of(plan: &QueryPlan<'_>) -> Self {
        if plan.words.is_empty() || (0..plan.words.len()).any(|word| !plan.has_rows(word)) {
            return Self::Few(Vec::new());
        }
        let mut words: Vec<usize> = (0..plan.words.len()).collect();
        words.sort_by_cached_key(|word| max_rows(plan, *word));
        let dense = if words.len() == 1 { DENSE_ALONE } else { DENSE };
        let mut matches = if max_rows(plan, words[0]) < plan.rows as usize / dense {
            Self::few(plan, &words)
        } else {
            Self::many(plan)
        };
        if let Some(RowFilter(within)) = plan.within {
            matches.retain(within);
        }
        matches.keep_rows_with(&plan.quoted);
        matches
    }

    fn retain(&mut self, within: &RowSet) {
        match self {
            Self::Few(rows) => rows.retain(|row| within.contains(*row)),
            Self::Many { exact, longer } => {
                exact.intersect(within);
                longer.iter_mut().for_each(|rows| rows.intersect(within));
            }
        }
    }

    fn keep_rows_with(&mut self, phrases: &[Phrase<'_>]) {
        match self {
            Self::Few(rows) => {
                for phrase in phrases {
                    let mut cursor = phrase.cursor();
                    rows.retain(|row| !cursor.starts(*row).is_empty());
                }
            }
            Self::Many { exact, longer } => {
                phrase::keep_rows_with(phrases, exact);
                longer.iter_mut().for_each(|rows| phrase::keep_rows_with(phrases, rows));
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(rows) => rows.len(),
            Self::Many { exact, longer } => exact.len() + longer.as_ref().map_or(0, RowSet::len),
        }
    }

    /// All rows in ascending order.
    pub(super) fn into_rows(self, below: u32) -> Vec<u32> {
        match self {
            Self::Few(rows) => rows,
            Self::Many { exact, longer } => {
                let mut all = RowSet::below(below);
                all.unite(&exact);
                longer.iter().for_each(|rows| all.unite(rows));
                all.iter().collect()
            }
        }
    }

    /// Looks the rows of the first word up in the lists of the others.
    fn few(plan: &QueryPlan<'_>, words: &[usize]) -> Self {
        let mut rows = listed_rows(plan, words[0]);
        for word in &words[1..] {
            let (mut cursor, longer) = (ClauseCursor::of(&plan.words[*word]), plan.longer_than(*word));
            rows.retain(|row| cursor.has(*row) || longer.is_some_and(|longer| longer.contains(*row)));
        }
        Self::Few(rows)
    }

    fn many(plan: &QueryPlan<'_>) -> Self {
        let last = plan.words.len() - 1;
        let mut all = plan.rows_of(last).into_owned();
        for word in 0..last {
            if all.is_empty() {
                break;
            }
            all.intersect(&plan.words[word].rows(plan.rows));
        }
        if plan.longer.is_none() {
            return Self::Many { exact: all, longer: None };
        }
        let mut exact = all.clone();
        exact.intersect(&plan.words[last].rows(plan.rows));
        all.subtract(&exact);
        Self::Many { exact, longer: Some(all) }
    }
}

/// An upper bound for the number of rows that have a word or a longer one.
fn max_rows(plan: &QueryPlan<'_>, word: usize) -> usize {
    plan.words[word].max_rows() + plan.longer_than(word).map_or(0, RowSet::len)
}

/// The rows of a rare word in ascending order.
fn listed_rows(plan: &QueryPlan<'_>, word: usize) -> Vec<u32> {
    let (lists, longer) = (&plan.words[word].lists, plan.longer_than(word));
    let mut rows: Vec<u32> = Vec::new();
    for one in lists {
        rows.extend(one.list.entries().iter().map(|entry| entry.row()));
    }
    rows.extend(longer.into_iter().flat_map(RowSet::iter));
    if longer.is_some() || lists.len() > 1 {
        rows.sort_unstable();
        rows.dedup();
    }
    rows
}
