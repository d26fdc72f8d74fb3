//! Revisions of a series' points. Earlier states are computed from the current points and the recorded changes.

use std::collections::BTreeMap;

use lastro_model::Day;

use crate::Point;

const DAY_MS: i64 = 86_400_000;

/// The change that an edition made to one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision<P> {
    /// Milliseconds since 1970 UTC.
    pub changed_unix_ms: i64,
    /// `None` if the point was added.
    pub old: Option<P>,
    /// `None` if the point was withdrawn.
    pub new: Option<P>,
}

impl<P: Point> Revision<P> {
    /// The day of the point; `None` only if there is neither an old nor a new one.
    pub fn day(&self) -> Option<Day> {
        self.old.as_ref().or(self.new.as_ref()).map(Point::day)
    }
}

/// The first day whose end state is available; `None` while nothing is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstDay(pub Option<Day>);

/// The recorded history of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisions<P> {
    since_unix_ms: Option<i64>,
    /// Newest edition first.
    rows: Vec<Revision<P>>,
}

impl<P> Default for Revisions<P> {
    fn default() -> Self {
        Self { since_unix_ms: None, rows: Vec::new() }
    }
}

impl<P: Point> Revisions<P> {
    /// Takes rows with the newest edition first, complete since `since_unix_ms`.
    pub fn new(since_unix_ms: Option<i64>, rows: Vec<Revision<P>>) -> Self {
        Self { since_unix_ms, rows }
    }

    /// The first day that can be requested.
    pub fn first_day(&self) -> Option<Day> {
        i32::try_from(self.since_unix_ms?.div_euclid(DAY_MS)).ok().and_then(Day::from_number)
    }

    /// Published points that were changed or withdrawn, newest change first. Additions are not included.
    pub fn after_publication(&self) -> impl Iterator<Item = &Revision<P>> {
        self.rows.iter().filter(|row| row.old.is_some())
    }

    /// The points at the end of a day, UTC, derived from the current `points`; oldest first.
    ///
    /// This is the state after the last edition dated on this day or earlier. An earlier edition whose clock was
    /// ahead does not hide it.
    pub fn as_of(&self, day: Day, points: &[P]) -> Result<Vec<P>, FirstDay> {
        let first = self.first_day();
        if first.is_none_or(|first| day < first) {
            return Err(FirstDay(first));
        }
        let earlier = self.changed_after(day);
        let unchanged = points.iter().filter(|point| !earlier.contains_key(&point.day())).cloned();
        let mut points: Vec<P> =
            unchanged.chain(earlier.values().flatten().map(|point| (*point).clone())).collect();
        points.sort_by_key(Point::day);
        Ok(points)
    }

    /// The points as of the end of this day, of those that have changed since.
    fn changed_after(&self, day: Day) -> BTreeMap<Day, Option<&P>> {
        let end_ms = (i64::from(day.number()) + 1) * DAY_MS;
        let later = self.rows.iter().take_while(|row| row.changed_unix_ms >= end_ms);
        later.filter_map(|row| Some((row.day()?, row.old.as_ref()))).collect()
    }
}
