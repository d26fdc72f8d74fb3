//! Revisions of published points: changed, added or withdrawn, with time and edition.

use jiff::Timestamp;
use lastro_model::{Edition, Point};

/// Maximum number of revisions returned per source, the newest ones. Older ones count as not recorded.
pub const MOST_REVISIONS: usize = 50_000;

/// The recorded history of a source's current data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The time from which every change is among the rows; `None` if the source is empty or made up.
    pub since: Option<Timestamp>,
    /// Newest editions first, and within each the newest days. Some may be older than `since`: they are correct, but
    /// others from the same time may be missing.
    pub rows: Vec<Revision>,
}

/// The change of one point by one edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    pub edition: Edition,
    pub at: Timestamp,
    /// `None` if the point was added.
    pub old: Option<Point>,
    /// `None` if the point was withdrawn.
    pub new: Option<Point>,
}
