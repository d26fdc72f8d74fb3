//! The history of a row in this service, which its publisher does not publish.

use jiff::Timestamp;

/// The times at which this service first saw a row, and at which its publisher had stopped listing it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct History {
    /// `None` for a row that was held before this was recorded.
    pub first_seen: Option<Timestamp>,
    /// `None` while the publisher lists the row. Also set for a filing of a day to come: see
    /// [`Filing::is_held_back`](crate::Filing::is_held_back).
    pub withdrawn: Option<Timestamp>,
}

impl History {
    pub const fn is_withdrawn(&self) -> bool {
        self.withdrawn.is_some()
    }
}
