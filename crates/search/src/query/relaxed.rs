//! The rows that have the most words of a query, for queries without a row that has all.

use std::borrow::Cow;

use super::hits::{Hits, Interpretation};
use super::page::{Page, Pager};
use super::phrase;
use super::plan::QueryPlan;
use super::row_filter::RowFilter;
use crate::index::row_set::RowSet;

/// Binary digits of a count of words: a query has fewer words than 2^7.
const DIGITS: usize = 7;

/// A page of the rows with the most words: first those with the rarest word, each in the order of the index.
pub(super) fn hits(plan: &QueryPlan<'_>, page: Page) -> Hits {
    let words = (0..plan.words.len()).filter(|word| plan.has_rows(*word));
    let quoted = (!plan.quoted.is_empty()).then(|| phrase::rows_with_all(&plan.quoted, plan.rows));
    let rows_of = |word: usize| match &quoted {
        Some(quoted) => {
            let mut rows = plan.rows_of(word).into_owned();
            rows.intersect(quoted);
            Cow::Owned(rows)
        }
        None => plan.rows_of(word),
    };
    let mut sets: Vec<Cow<'_, RowSet>> = words.map(rows_of).collect();
    if let Some(RowFilter(within)) = plan.within {
        sets.iter_mut().for_each(|set| set.to_mut().intersect(within));
    }
    sets.retain(|set| !set.is_empty());
    let Some(rarest) = sets.iter().min_by_key(|set| set.len()).filter(|_| plan.words.len() > 1) else {
        return Hits::default();
    };
    let mut others = with_most(&sets, plan.rows);
    let total = others.len();
    let mut with_rarest = others.clone();
    with_rarest.intersect(rarest);
    others.subtract(rarest);
    let mut pager = Pager::of(page);
    for rows in [with_rarest, others] {
        match &plan.preference {
            Some(preference) => preference.groups(&rows, plan.rows).iter().for_each(|rows| pager.add(rows)),
            None => pager.add(&rows),
        }
    }
    let interpretation = Interpretation { relaxed: total > 0, ..Interpretation::default() };
    Hits { total, rows: pager.into_rows(), interpretation }
}

/// The rows that are in the most sets. 64 rows are counted at a time: each digit of their counts is one machine word.
fn with_most(sets: &[Cow<'_, RowSet>], rows: u32) -> RowSet {
    let (mut most, mut best) = (RowSet::below(rows), 1);
    for number in 0..most.words().len() {
        let mut counts = [0u64; DIGITS];
        sets.iter().for_each(|set| add(set.word(number), &mut counts));
        let (count, having) = greatest(&counts);
        if count > best {
            most.clear();
            best = count;
        }
        if count == best {
            most.set_word(number, having);
        }
    }
    most
}

/// Adds one to the counts of some of 64 rows.
fn add(rows: u64, counts: &mut [u64; DIGITS]) {
    let mut carry = rows;
    for digit in counts {
        if carry == 0 {
            return;
        }
        (*digit, carry) = (*digit ^ carry, *digit & carry);
    }
}

/// The greatest of the counts of 64 rows, and the rows that have it.
fn greatest(counts: &[u64; DIGITS]) -> (usize, u64) {
    let (mut count, mut having) = (0, u64::MAX);
    for (place, digit) in counts.iter().enumerate().rev() {
        if having & digit != 0 {
            having &= digit;
            count |= 1 << place;
        }
    }
    (count, having)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_in_the_most_sets_are_those_counted_one_by_one(
            sets in prop::collection::vec(prop::collection::btree_set(0u32..200, 0..120), 0..40),
        ) {
            let as_rows = |rows: &std::collections::BTreeSet<u32>| {
                let mut set = RowSet::below(200);
                rows.iter().for_each(|row| set.insert(*row));
                Cow::Owned(set)
            };
            let found = with_most(&sets.iter().map(as_rows).collect::<Vec<_>>(), 200);
            let count = |row: u32| sets.iter().filter(|set| set.contains(&row)).count();
            let most = (0..200).map(count).max().unwrap_or(0);
            let expected = (0..200).filter(|row| most > 0 && count(*row) == most);
            prop_assert!(found.iter().eq(expected));
        }
    }
}
