//! The newest changes in service, in memory: nearly every request for changes is answered from here.

use std::collections::VecDeque;
use std::sync::Arc;

use lastro_model::{Edition, Mark};
use lastro_store::ChangeEdition;

use super::entry::Entry;

/// Limits of the changes in memory.
const MOST_ENTRIES: usize = 5_000;
const MOST_BYTES: usize = 8 << 20;

#[derive(Debug, Clone, Default)]
pub struct Tail {
    /// The place before the first entry.
    start: Mark,
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
    /// The ends of the editions from `start` on.
    ends: VecDeque<Mark>,
    /// The end of the last edition in service.
    pub mark: Mark,
}

impl Tail {
    /// An empty tail after this place.
    pub fn after(mark: Mark) -> Self {
        Self { start: mark, ends: VecDeque::from([mark]), mark, ..Self::default() }
    }

    /// Adds some changes of the next edition. The oldest ones make room for them.
    pub fn push(&mut self, entries: impl IntoIterator<Item = Arc<Entry>>) {
        for entry in entries {
            self.bytes += entry.bytes();
            self.entries.push_back(entry);
            while self.entries.len() > MOST_ENTRIES || self.bytes > MOST_BYTES {
                let Some(dropped) = self.entries.pop_front() else { break };
                self.bytes -= dropped.bytes();
                self.start = dropped.mark;
            }
        }
    }

    /// Ends an edition whose changes were all added.
    pub fn end_edition(&mut self, edition: Mark) {
        self.ends.push_back(edition);
        self.mark = edition;
        while self.ends.front().is_some_and(|end| end.stamp.edition < self.start.stamp.edition) {
            self.ends.pop_front();
        }
    }

    /// The entries after a place; `None` if they are not all here, or the position is not in this log.
    pub fn entries_after(&self, after: Mark) -> Option<impl Iterator<Item = &Arc<Entry>>> {
        let end = self.ends.iter().find(|end| end.stamp.edition == after.stamp.edition)?;
        let is_ours = end.stamp == after.stamp && after.position <= end.position;
        if !is_ours || place(after) < place(self.start) {
            return None;
        }
        let first = self.entries.partition_point(|entry| place(entry.mark) <= place(after));
        Some(self.entries.range(first..))
    }
}

/// A place as a number that grows along the log.
pub fn place(mark: Mark) -> (Edition, u32) {
    (mark.stamp.edition, mark.position)
}

/// The end of an edition.
pub fn end_of(edition: &ChangeEdition) -> Mark {
    let ChangeEdition { edition, at, changes, .. } = *edition;
    let stamp = lastro_model::Stamp { edition, published_unix_ms: at.as_millisecond() };
    Mark { stamp, position: changes }
}
