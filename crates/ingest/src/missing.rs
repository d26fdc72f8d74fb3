//! Rows that a file listed, by their ids, and lacks now. A file that has other rows in their place is no shorter.

use std::collections::HashSet;
use std::hash::Hash;

use lastro_sources::judgement::{Refusal, missing_rows};

/// The rows that a file listed so far, without those that it still lists.
#[derive(Debug)]
pub(crate) struct Missing<Id> {
    held: u64,
    ids: HashSet<Id>,
    /// Rows of the file that cannot be parsed: some of the missing ones may be among them.
    unreadable: u64,
}

impl<Id: Hash + Eq> Missing<Id> {
    /// Takes all rows in service that the file listed.
    pub(crate) fn of(held: Vec<Id>) -> Self {
        Self { held: held.len() as u64, ids: held.into_iter().collect(), unreadable: 0 }
    }

    /// Notes a row that is listed.
    pub(crate) fn found(&mut self, id: &Id) {
        self.ids.remove(id);
    }

    pub(crate) fn note_unreadable(&mut self) {
        self.unreadable += 1;
    }

    pub(crate) fn judge(&self) -> Result<(), Refusal> {
        missing_rows(self.held, (self.ids.len() as u64).saturating_sub(self.unreadable))
    }
}
