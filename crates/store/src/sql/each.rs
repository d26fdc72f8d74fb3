//! Statements that are run for many rows: for one at a time, or for all at once where the database is far away.

use super::Column;

/// Both statements take the values of a row in the order of `columns`, those of the key last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Each {
    pub(crate) one: &'static str,
    pub(crate) columns: &'static [Column],
    /// So many of the last columns tell which row is changed.
    pub(crate) key_columns: usize,
    /// `one` for many rows whose keys differ, in their order: an array for each column, of `BIGINT` or `TEXT`.
    pub(crate) many: &'static str,
}
