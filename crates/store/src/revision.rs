//! What became of published points: which were changed, added or withdrawn, when, and by which edition.

use jiff::Timestamp;
use lastro_model::{Edition, Point};

/// So many of a source are told, the newest. What lies before them counts as not recorded.
pub const REVISIONS_TOLD: usize = 50_000;

/// All that is known of how a source came to be as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// From this moment on every change is among the rows; nothing where what stands is made up, or nothing does.
    pub since: Option<Timestamp>,
    /// The newest editions first, of each the newest days. Some may be older than `since`: they are true, but others of
    /// their time may be missing.
    pub rows: Vec<Revision>,
}

/// What an edition made of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    pub edition: Edition,
    pub at: Timestamp,
    /// Nothing where the point was added.
    pub old: Option<Point>,
    /// Nothing where the point was withdrawn.
    pub new: Option<Point>,
}
