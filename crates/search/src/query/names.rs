//! Names that rows do not contain: a filing has the code of its company, but not every name of it.

use std::ops::Range;

/// Words of a query that are a name, and the codes of its holders.
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

/// The empty directory.
pub(super) struct NoNames;

impl Names for NoNames {
    fn id(&self) -> u64 {
        0
    }

    fn named_in(&self, _: &[String]) -> Vec<NamedWords> {
        Vec::new()
    }
}
