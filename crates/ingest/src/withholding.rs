//! Withholding: points that look like errors stay out until they are believed, while the rest of their response goes
//! in.
//!
//! `judgement` raises doubts; this module decides which points they keep out. The operator can accept a source
//! with all its doubted points; a value still published after a week is accepted too. Withheld points are stored with the
//! publication, so that `/health` lists them and the next run recognises them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lastro_model::age::{age_ms, is_over};
use lastro_model::{Day, Kind, Point, Source, Withheld};
use lastro_sources::judgement::{self, Doubted, Judged, Refusal};

use crate::result::SyncError;
use crate::sync::Synchronizer;

/// Time after which a point published unchanged is believed.
const BELIEVED_AFTER_MS: i64 = 7 * 24 * 3_600_000;

/// Most points withheld. More are not errors: the response is about something else and is rejected as a whole.
const MOST_WITHHELD: usize = 1_000;

/// The withheld points of a source while a response is judged.
pub(super) struct Withholding {
    source: Source,
    /// The operator has accepted the source.
    accepted: bool,
    now: Timestamp,
    before: Vec<Withheld>,
    withheld: Vec<Withheld>,
}

impl Withholding {
    pub(super) async fn begin(
        sync: &Synchronizer,
        source: Source,
        now: Timestamp,
    ) -> Result<Self, SyncError> {
        let (before, accepted) = (sync.store.withheld(source).await?, sync.accept.contains(&source));
        Ok(Self { source, accepted, now, before, withheld: Vec::new() })
    }

    /// Judges the points of one series or currency, and returns the accepted ones.
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
            tracing::warn!(%source, %day, "accepted at the operator's request: {reason}");
            return true;
        }
        let seen = self.first_seen(point);
        let believed = seen.is_some_and(|seen| is_over(seen, BELIEVED_AFTER_MS, self.now.as_millisecond()));
        if believed {
            tracing::warn!(%source, %day, "accepted: the publisher has kept this value for a week: {reason}");
        }
        believed
    }

    /// The time since which the publisher has given exactly this value; `None` if that lies in the future.
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

    /// All points withheld now: those of this response, and earlier ones outside the requested range.
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
