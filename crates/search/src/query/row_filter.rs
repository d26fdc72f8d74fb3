//! A set of rows to which a search is limited.

use std::fmt;

use crate::index::row_set::RowSet;

pub struct RowFilter(pub(super) RowSet);

impl RowFilter {
    /// These rows of an index of `total` rows.
    pub fn of(total: u32, rows: impl IntoIterator<Item = u32>) -> Self {
        let mut set = RowSet::below(total);
        rows.into_iter().for_each(|row| set.insert(row));
        Self(set)
    }
}

impl fmt::Debug for RowFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowFilter({} rows)", self.0.len())
    }
}
