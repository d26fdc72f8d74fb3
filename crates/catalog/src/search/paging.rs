//! One page of rows that come in the order of their tiers.

use std::ops::Range;

use super::judge::Tier;
use super::row_set::RowSet;
use crate::page::Page;

/// Takes rows until the page is full.
pub(super) struct Paging {
    /// So many rows come before the page.
    skipped: usize,
    room: usize,
    rows: Vec<u32>,
}

impl Paging {
    pub(super) fn of(page: Page) -> Self {
        Self { skipped: page.offset, room: page.limit, rows: Vec::new() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// More rows than this tell nothing.
    pub(super) fn needed(&self) -> usize {
        self.skipped.saturating_add(self.room)
    }

    pub(super) fn add(&mut self, set: &RowSet) {
        if !self.is_full() {
            let (rows, skipped) = set.page(self.skipped, self.room);
            self.skipped -= skipped;
            self.room -= rows.len();
            self.rows.extend(rows);
        }
    }

    pub(super) fn add_rows(&mut self, rows: &[u32]) {
        let places = self.next_of(rows.len());
        self.rows.extend_from_slice(&rows[places]);
    }

    /// Which of so many rows that come next are of the page.
    fn next_of(&mut self, count: usize) -> Range<usize> {
        let start = self.skipped.min(count);
        let end = start.saturating_add(self.room).min(count);
        self.skipped -= start;
        self.room -= end - start;
        start..end
    }

    pub(super) fn into_rows(self) -> Vec<u32> {
        self.rows
    }
}

/// The rows of a page, best first, then in their order.
pub(super) fn ranked(found: &[(u32, Tier)], page: Page) -> Vec<u32> {
    let mut paging = Paging::of(page);
    for tier in (0..Tier::COUNT as u8).map(Tier) {
        let of_tier: Vec<u32> = found.iter().filter(|(_, own)| *own == tier).map(|(row, _)| *row).collect();
        paging.add_rows(&of_tier);
        if paging.is_full() {
            break;
        }
    }
    paging.into_rows()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_page_is_that_of_the_sorted_list(
            tiers in prop::collection::vec(0u8..Tier::COUNT as u8, 0..60), offset in 0usize..60, limit in 0usize..20,
        ) {
            let found: Vec<(u32, Tier)> = (0..).zip(tiers).map(|(row, tier)| (row, Tier(tier))).collect();
            let mut sorted = found.clone();
            sorted.sort_by_key(|(_, tier)| *tier);
            let page = Page { limit, offset };
            let expected: Vec<u32> = sorted[page.of(found.len())].iter().map(|(row, _)| *row).collect();
            prop_assert_eq!(ranked(&found, page), expected);
        }
    }
}
