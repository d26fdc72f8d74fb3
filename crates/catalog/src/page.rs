//! A page of a list: its rows, and the total number of rows.

use std::ops::{Deref, Range};
use std::slice;

use lastro_search::{Hits, Interpretation, Page};

/// The rows of one page and the exact number of rows on all pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<'a> {
    pub total: usize,
    pub rows: Rows<'a>,
}

impl<'a> Listing<'a> {
    pub(crate) const EMPTY: Self = Self { total: 0, rows: Rows::List(&[]) };

    /// One page of the consecutive positions `all`.
    pub(crate) fn of_span(all: Range<u32>, page: Page) -> Self {
        let total = all.len();
        let shown = page.of(total);
        // Both ends lie inside `all`, so they fit.
        let rows = Rows::Span(all.start + shown.start as u32..all.start + shown.end as u32);
        Self { total, rows }
    }

    /// One page of a posting list.
    pub(crate) fn of_list(all: &'a [u32], page: Page) -> Self {
        Self { total: all.len(), rows: Rows::List(&all[page.of(all.len())]) }
    }

    /// One page of these positions.
    pub fn of(positions: &[u32], page: Page) -> Self {
        Self { total: positions.len(), rows: Rows::Found(positions[page.of(positions.len())].to_vec()) }
    }

    /// One page of the rows that `admits` accepts.
    pub(crate) fn retained(&self, page: Page, admits: impl Fn(u32) -> bool) -> Self {
        Self::of(&self.rows.iter().filter(|row| admits(*row)).collect::<Vec<u32>>(), page)
    }
}

/// One page of `listed` rows with others between them. Each of the `others` has the number of listed rows before it, and
/// its position; they are in order.
pub(crate) fn with_others(
    listed: usize,
    nth: impl Fn(usize) -> u32,
    others: &[(usize, u32)],
    page: Page,
) -> Listing<'static> {
    let total = listed + others.len();
    // The index of each of the others among all rows.
    let places: Vec<usize> = others.iter().enumerate().map(|(index, (rank, _))| index + rank).collect();
    let row = |index: usize| match places.binary_search(&index) {
        Ok(other) => others[other].1,
        Err(before) => nth(index - before),
    };
    Listing { total, rows: Rows::Found(page.of(total).map(row).collect()) }
}

/// A page of search results, and how the query was interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'a> {
    pub listing: Listing<'a>,
    pub interpretation: Interpretation,
}

impl<'a> From<Listing<'a>> for Found<'a> {
    fn from(listing: Listing<'a>) -> Self {
        Self { listing, interpretation: Interpretation::default() }
    }
}

impl From<Hits> for Found<'_> {
    fn from(hits: Hits) -> Self {
        let listing = Listing { total: hits.total, rows: Rows::Found(hits.rows) };
        Self { listing, interpretation: hits.interpretation }
    }
}

impl<'a> Deref for Found<'a> {
    type Target = Listing<'a>;

    fn deref(&self) -> &Listing<'a> {
        &self.listing
    }
}

/// Positions in a part, in listing order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows<'a> {
    Span(Range<u32>),
    List(&'a [u32]),
    Found(Vec<u32>),
}

impl Rows<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Span(span) => span.len(),
            Self::List(list) => list.len(),
            Self::Found(found) => found.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> RowsIter<'_> {
        match self {
            Self::Span(span) => RowsIter::Span(span.clone()),
            Self::List(list) => RowsIter::List(list.iter()),
            Self::Found(found) => RowsIter::List(found.iter()),
        }
    }
}

impl<'a> IntoIterator for &'a Rows<'_> {
    type Item = u32;
    type IntoIter = RowsIter<'a>;

    fn into_iter(self) -> RowsIter<'a> {
        self.iter()
    }
}

#[derive(Debug, Clone)]
pub enum RowsIter<'a> {
    Span(Range<u32>),
    List(slice::Iter<'a, u32>),
}

impl Iterator for RowsIter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Span(span) => span.next(),
            Self::List(list) => list.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Span(span) => span.size_hint(),
            Self::List(list) => list.size_hint(),
        }
    }
}

impl ExactSizeIterator for RowsIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pages_of_a_span_partition_it(start in 0u32..100, len in 0u32..60, limit in 1usize..9) {
            let all = start..start + len;
            let mut seen = Vec::new();
            for offset in (0..=len as usize).step_by(limit) {
                let listing = Listing::of_span(all.clone(), Page { limit, offset });
                prop_assert_eq!(listing.total, len as usize);
                prop_assert_eq!(listing.rows.len(), listing.rows.iter().count());
                seen.extend(listing.rows.iter());
            }
            prop_assert_eq!(seen, all.collect::<Vec<_>>());
        }
    }
}
