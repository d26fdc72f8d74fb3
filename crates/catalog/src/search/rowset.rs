//! A set of rows as part of a query: it selects and gives no score.

use std::sync::Arc;

use tantivy::query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{BitSet, DocSet, Score, SegmentReader, TERMINATED};

#[derive(Clone)]
pub struct RowSet(Arc<BitSet>);

impl RowSet {
    pub fn new(rows: BitSet) -> Self {
        Self(Arc::new(rows))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The rows in ascending order.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        let mut rows = self.doc_set();
        std::iter::from_fn(move || {
            let row = rows.doc();
            rows.advance();
            (row != TERMINATED).then_some(row)
        })
    }

    fn doc_set(&self) -> BitSetDocSet {
        BitSetDocSet::from(BitSet::clone(&self.0))
    }
}

impl std::fmt::Debug for RowSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RowSet").field(&self.len()).finish()
    }
}

impl Query for RowSet {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

/// The index has one segment, so its document numbers are the rows.
impl Weight for RowSet {
    fn scorer(&self, _: &SegmentReader, _: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(ConstScorer::new(self.doc_set(), 0.0)))
    }

    fn explain(&self, _: &SegmentReader, _: u32) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("a set of rows", 0.0))
    }
}
