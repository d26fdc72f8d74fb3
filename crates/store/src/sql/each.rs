//! Statements run for many rows: one row at a time, or all at once if the database is remote.

use super::Column;

/// Both statements take the values of a row in the order of `columns`, with the key last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Each {
    pub(crate) one: &'static str,
    pub(crate) columns: &'static [Column],
    /// Number of columns at the end that form the key of the changed row.
    pub(crate) key_columns: usize,
    /// `one` for many rows with distinct keys, in order: an array per column, of `BIGINT` or `TEXT`.
    pub(crate) many: &'static str,
}
