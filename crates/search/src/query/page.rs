//! Pages of ranked rows.

use std::ops::Range;

use crate::index::row_set::RowSet;

/// The requested page. Any value is valid: past the end is an empty page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub limit: usize,
    pub offset: usize,
}

impl Page {
    /// The part of `len` rows that this page shows.
    pub fn of(self, len: usize) -> Range<usize> {
        let start = self.offset.min(len);
        start..start.saturating_add(self.limit).min(len)
    }
}

/// Collects the rows of one page from groups of rows, best group first.
pub(super) struct Pager {
    /// The number of rows still to skip.
    skip: usize,
    /// The number of rows still missing.
    missing: usize,
    rows: Vec<u32>,
}

impl Pager {
    pub(super) fn of(page: Page) -> Self {
        Self { skip: page.offset, missing: page.limit, rows: Vec::new() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.missing == 0
    }

    /// The number of rows of the next groups that can still matter.
    pub(super) fn needed(&self) -> usize {
        self.skip.saturating_add(self.missing)
    }

    pub(super) fn add(&mut self, rows: &RowSet) {
        if !self.is_full() {
            let (rows, skipped) = rows.page(self.skip, self.missing);
            self.skip -= skipped;
            self.missing -= rows.len();
            self.rows.extend(rows);
        }
    }

    pub(super) fn add_rows(&mut self, rows: &[u32]) {
        let shown = Page { limit: self.missing, offset: self.skip }.of(rows.len());
        self.skip -= shown.start;
        self.missing -= shown.len();
        self.rows.extend_from_slice(&rows[shown]);
    }

    pub(super) fn into_rows(self) -> Vec<u32> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_page_never_leaves_the_list(limit: usize, offset: usize, len in 0usize..50) {
            let shown = Page { limit, offset }.of(len);
            prop_assert!(shown.start <= shown.end && shown.end <= len);
            prop_assert!(shown.len() <= limit);
        }

        #[test]
        fn a_pager_takes_the_rows_of_the_page(
            groups in prop::collection::vec((0u32..20, any::<bool>()), 0..8), offset in 0usize..60, limit in 0usize..20,
        ) {
            let page = Page { limit, offset };
            let (mut pager, mut all) = (Pager::of(page), Vec::new());
            for (count, as_set) in groups {
                let rows: Vec<u32> = (0..count).collect();
                all.extend(&rows);
                if as_set {
                    let mut set = RowSet::below(count);
                    rows.iter().for_each(|row| set.insert(*row));
                    pager.add(&set);
                } else {
                    pager.add_rows(&rows);
                }
            }
            prop_assert_eq!(pager.into_rows(), &all[page.of(all.len())]);
        }
    }
}
