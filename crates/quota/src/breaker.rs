//! A circuit breaker: whether Redis decides, this replica's share, or both. Events in, a decision out; no clock, no
//! connection, no lock.
//!
//! Redis is unavailable after three calls in a row that failed or were late, or without a connection. After an outage
//! Redis has not counted the requests admitted meanwhile; a Redis that lost its data (its epoch is young) has not counted
//! those before. In both cases share and Redis must both admit a request, until a whole window has passed.

/// Failed or late calls in a row after which Redis is unavailable.
const FAILURES: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    Redis,
    /// A request needs a unit of this replica's share, and Redis must admit it too.
    Both,
    Share,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Breaker {
    is_away: bool,
    failures: u32,
    /// When the last failure was noticed.
    failed_ns: u64,
    /// Since when Redis replies again, if it ever was away.
    back_since_ns: Option<u64>,
    /// The time of the last reply with the age of the epoch, and that age.
    epoch_age: Option<(u64, u64)>,
}

impl Breaker {
    /// Records a reply, with the age of Redis' epoch.
    pub fn replied(&mut self, epoch_age_ns: u64, now_ns: u64) {
        self.failures = 0;
        self.epoch_age = Some((now_ns, epoch_age_ns));
        if std::mem::take(&mut self.is_away) {
            self.back_since_ns = Some(now_ns);
        }
    }

    /// Records a failed or late call. Calls that were pending when the previous failure was noticed belong to it, so one
    /// hiccup counts once, however many calls it hits.
    pub fn failed(&mut self, sent_ns: u64, now_ns: u64) {
        if self.failures > 0 && sent_ns < self.failed_ns {
            return;
        }
        self.failed_ns = now_ns;
        self.failures = self.failures.saturating_add(1);
        self.is_away |= self.failures >= FAILURES;
    }

    /// Records that there is no connection.
    pub fn disconnected(&mut self) {
        self.is_away = true;
    }

    pub fn decider(&self, window_ns: u64, now_ns: u64) -> Decider {
        if self.is_away {
            return Decider::Share;
        }
        let has_counted_all =
            self.back_since_ns.is_none_or(|since| now_ns.saturating_sub(since) >= window_ns);
        let has_lost_nothing = self.epoch_age.is_some_and(|(told_ns, age_ns)| {
            age_ns.saturating_add(now_ns.saturating_sub(told_ns)) >= window_ns
        });
        if has_counted_all && has_lost_nothing { Decider::Redis } else { Decider::Both }
    }
}
