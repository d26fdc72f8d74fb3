//! Knowledge about words of a query that the rows do not contain.

use std::ops::Range;

use super::row_filter::RowFilter;

/// Words of a query that are a name, and the codes of its holders. A filing has the code of its company, but not every
/// name of it.
#[derive(Debug)]
pub struct NamedWords {
    /// The indexes of the words in the query.
    pub words: Range<usize>,
    pub codes: Vec<String>,
}

/// A directory of names.
pub trait Names {
    /// Identifies this directory: one with other names has another id.
    fn id(&self) -> u64;

    fn named_in(&self, words: &[String]) -> Vec<NamedWords>;
}

/// Words of a query that stand for consecutive rows, as a period does if rows are ordered by day.
#[derive(Debug, Clone)]
pub struct RowRange {
    /// The indexes of the words in the query.
    pub words: Range<usize>,
    pub rows: Range<u32>,
}

/// A source of row ranges, always the same for one index.
pub trait RowRanges {
    fn ranges_in(&self, words: &[String]) -> Vec<RowRange>;
}

/// All knowledge that a search may use. The default is none.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub names: &'a dyn Names,
    pub ranges: &'a dyn RowRanges,
    /// The rows to which the search is limited.
    pub within: Option<&'a RowFilter>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self { names: &Nothing, ranges: &Nothing, within: None }
    }
}

struct Nothing;

impl Names for Nothing {
    fn id(&self) -> u64 {
        0
    }

    fn named_in(&self, _: &[String]) -> Vec<NamedWords> {
        Vec::new()
    }
}

impl RowRanges for Nothing {
    fn ranges_in(&self, _: &[String]) -> Vec<RowRange> {
        Vec::new()
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}
