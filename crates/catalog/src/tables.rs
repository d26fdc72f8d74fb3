//! Hash tables that consist of many small ones, so that a merge shares those that it does not change.

/// Tables of 40 to 50 kB each for two million filings.
pub(crate) const TABLES: usize = 512;

/// The table of a hash, by the bits in the middle: a table uses those at both ends.
pub(crate) fn table_of(hash: u64) -> usize {
    (hash >> 32) as usize % TABLES
}

/// The number of tables that are not shared with the other ones.
#[cfg(test)]
pub(crate) fn copied<T>(own: &[std::sync::Arc<T>], other: &[std::sync::Arc<T>]) -> usize {
    own.iter().zip(other).filter(|(own, other)| !std::sync::Arc::ptr_eq(own, other)).count()
}
