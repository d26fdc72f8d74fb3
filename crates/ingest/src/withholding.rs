//! Points that look like slips stay out while the rest of their answer goes in, until they are believed.
//!
//! `judgement` doubts; here is decided whom the doubt keeps out. The operator's word lets a point in, and so does time: what a
//! publisher still says a week later is no slip of the keyboard. What is withheld is remembered with the publication, so that
//! it is told in `/health`, and known again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lastro_model::{Day, Kind, Point, Source, Withheld};
use lastro_sources::judgement::{self, Doubted, Judged, Refusal};

use crate::age::{age_ms, is_over};
use crate::result::SyncError;
use crate::sync::Sync;

/// Published unchanged for so long, a point is believed.
const BELIEVED_AFTER_MS: i64 = 7 * 24 * 3_600_000;

/// More points than this are no slips: the answer is about something else, and is refused whole.
const MOST_WITHHELD: usize = 1_000;

/// What is withheld of a source, while an answer of its publisher is judged.
pub(super) struct Withholding {
    source: Source,
    /// The operator has looked at it.
    accepted: bool,
    now: Timestamp,
    before: Vec<Withheld>,
    withheld: Vec<Withheld>,
}

impl Withholding {
    pub(super) async fn begin(sync: &Sync, source: Source, now: Timestamp) -> Result<Self, SyncError> {
        let (before, accepted) = (sync.store.withheld(source).await?, sync.accept.contains(&source));
        Ok(Self { source, accepted, now, before, withheld: Vec::new() })
    }

    /// Judges the points of one series or currency, and gives those that go in.
    pub(super) fn review<P: Judged + Into<Point>>(
        &mut self,
        kind: Kind,
        held: &BTreeMap<Day, P>,
        read: impl IntoIterator<Item = P>,
    ) -> Vec<P> {
        let believe = |point: &P, reason: &str| self.believes((*point).into(), reason);
        let review = judgement::review(kind, held, read, believe);
        for Doubted { point, reason } in review.doubted {
            self.withhold(point.into(), reason);
        }
        review.accepted
    }

    fn believes(&self, point: Point, reason: &str) -> bool {
        let (source, day) = (self.source, point.day());
        if self.accepted {
            tracing::warn!(%source, %day, "accepted as the operator asks: {reason}");
            return true;
        }
        let seen = self.first_seen(point);
        let believed = seen.is_some_and(|seen| is_over(seen, BELIEVED_AFTER_MS, self.now.as_millisecond()));
        if believed {
            tracing::warn!(%source, %day, "believed, for it is published unchanged since a week: {reason}");
        }
        believed
    }

    /// Since when the publisher gives exactly this value. A moment that has not come yet is none.
    fn first_seen(&self, point: Point) -> Option<Timestamp> {
        let known = self.before.iter().find(|known| known.point == point)?;
        age_ms(known.first_seen, self.now.as_millisecond()).map(|_| known.first_seen)
    }

    fn withhold(&mut self, point: Point, reason: String) {
        let known = self.first_seen(point);
        if known.is_none() {
            tracing::warn!(source = %self.source, day = %point.day(), "withheld: {reason}");
        }
        self.withheld.push(Withheld { point, first_seen: known.unwrap_or(self.now), reason });
    }

    /// All that is withheld now: what this answer brought, and what it was not asked about.
    pub(super) fn end(self, not_asked: impl Fn(&Point) -> bool) -> Result<Vec<Withheld>, Refusal> {
        let mut withheld = self.withheld;
        withheld.extend(self.before.into_iter().filter(|known| not_asked(&known.point)));
        if withheld.len() > MOST_WITHHELD {
            return Err(Refusal(format!(
                "{} of its points are implausible beside what is held: this is not the series we know",
                withheld.len()
            )));
        }
        Ok(withheld)
    }
}
