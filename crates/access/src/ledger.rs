//! The ledger of one account: counts of its requests since the last flush, by day, endpoint and outcome.
//!
//! A flush empties it, so an inactive account costs no memory. [`crate::Usage`] collects the ledgers.

use hashbrown::HashMap;
use lastro_model::{Day, Outcome};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    pub(crate) day: Day,
    pub(crate) endpoint: &'static str,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Uses a fast hash, because clients cannot choose the names to make them collide.
    counts: HashMap<Line, u64>,
}

impl Ledger {
    /// Counts a request. Returns whether it is the first one since the last flush.
    pub(crate) fn count(&mut self, line: Line) -> bool {
        let was_empty = self.counts.is_empty();
        *self.counts.entry(line).or_default() += 1;
        was_empty
    }

    /// Removes and returns all counts.
    pub(crate) fn take(&mut self) -> HashMap<Line, u64> {
        std::mem::take(&mut self.counts)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
