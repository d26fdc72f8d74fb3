//! The page of one account in the usage book: what it asked for since its last hand-over, by day, endpoint and outcome.
//!
//! What is handed over is no longer here, so an account that is quiet costs no memory. The book that gathers the pages is
//! [`crate::Usage`].

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
    /// Hashed quickly: the names are ours, nobody can choose them to collide.
    counts: HashMap<Line, u64>,
}

impl Ledger {
    /// Says whether this is the first line since the last hand-over.
    pub(crate) fn count(&mut self, line: Line) -> bool {
        let was_empty = self.counts.is_empty();
        *self.counts.entry(line).or_default() += 1;
        was_empty
    }

    /// Hands over everything.
    pub(crate) fn take(&mut self) -> HashMap<Line, u64> {
        std::mem::take(&mut self.counts)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
