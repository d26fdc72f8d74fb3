//! The result of a search, and how its text was interpreted.

use std::sync::Arc;

/// A page of the rows that a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// The number of rows on all pages.
    pub total: usize,
    /// The rows of this page, best first.
    pub rows: Vec<u32>,
    pub interpretation: Interpretation,
}

/// The interpretation of a query. The default is word by word as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interpretation {
    /// The words that were searched for, if some of the query's were mistyped.
    pub corrected: Option<Arc<str>>,
    /// Whether no row has all words, so that the rows with the most of them were found.
    pub relaxed: bool,
}
