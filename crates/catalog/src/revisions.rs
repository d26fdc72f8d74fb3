//! What became of the points of a series after they were published: from what stands now and what changed, what stood before.

use std::collections::BTreeMap;

use lastro_model::Day;

use crate::Point;

const DAY_MS: i64 = 86_400_000;

/// What an edition made of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision<P> {
    /// Milliseconds since 1970 UTC.
    pub changed_unix_ms: i64,
    /// Nothing where the point was added.
    pub old: Option<P>,
    /// Nothing where the point was withdrawn.
    pub new: Option<P>,
}

impl<P: Point> Revision<P> {
    /// The day that the point stands on; nothing only where there is neither an old nor a new one.
    pub fn day(&self) -> Option<Day> {
        self.old.as_ref().or(self.new.as_ref()).map(Point::day)
    }
}

/// The first day whose end can be told; nothing while nothing is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstDay(pub Option<Day>);

/// All that is known of how a series came to be as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisions<P> {
    since_unix_ms: Option<i64>,
    /// The newest edition first.
    rows: Vec<Revision<P>>,
}

impl<P> Default for Revisions<P> {
    fn default() -> Self {
        Self { since_unix_ms: None, rows: Vec::new() }
    }
}

impl<P: Point> Revisions<P> {
    /// The rows are those of the newest edition first, and complete from the moment `since_unix_ms` on.
    pub fn new(since_unix_ms: Option<i64>, rows: Vec<Revision<P>>) -> Self {
        Self { since_unix_ms, rows }
    }

    /// The first day that can be asked for.
    pub fn first_day(&self) -> Option<Day> {
        i32::try_from(self.since_unix_ms?.div_euclid(DAY_MS)).ok().and_then(Day::from_number)
    }

    /// Points that were published and became others, or vanished, the newest change first. What was added is none of them.
    pub fn after_publication(&self) -> impl Iterator<Item = &Revision<P>> {
        self.rows.iter().filter(|row| row.old.is_some())
    }

    /// What stood at the end of a day, UTC, by the points that stand now; oldest first.
    ///
    /// That is what the last edition left that says it is of this day or an earlier one: an edition between others whose
    /// clock was ahead hides none of them.
    pub fn as_of(&self, day: Day, points: &[P]) -> Result<Vec<P>, FirstDay> {
        let first = self.first_day();
        if first.is_none_or(|first| day < first) {
            return Err(FirstDay(first));
        }
        let before = self.undone_after(day);
        let untouched = points.iter().filter(|point| !before.contains_key(&point.day())).cloned();
        let mut stood: Vec<P> =
            untouched.chain(before.values().flatten().map(|point| (*point).clone())).collect();
        stood.sort_by_key(Point::day);
        Ok(stood)
    }

    /// Of every day whose point changed after the end of this one, what it was then.
    fn undone_after(&self, day: Day) -> BTreeMap<Day, Option<&P>> {
        let end_ms = (i64::from(day.number()) + 1) * DAY_MS;
        let later = self.rows.iter().take_while(|row| row.changed_unix_ms >= end_ms);
        later.filter_map(|row| Some((row.day()?, row.old.as_ref()))).collect()
    }
}
