//! When Redis decides and when each replica does: events in, a decision out. No clock, no connection, no lock.
//!
//! Redis is away after three calls in a row that failed or were late, or when the connection is lost. When it answers
//! again it does not know what was admitted meanwhile; and a Redis that lost its data (told by the age of its epoch) does
//! not know what was admitted before. In both cases a replica goes on deciding by its share, and asks Redis as well,
//! until a whole window has passed.

/// So many calls in a row that failed or were late.
const FAILURES: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Redis decides.
    Shared,
    /// A request needs the word of Redis, which counts it, and a unit of this replica's share.
    Both,
    /// This replica decides by its share.
    Share,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Breaker {
    is_away: bool,
    failures: u32,
    /// When the last of them was noticed.
    failed_ns: u64,
    /// Since when Redis answers again, if it ever was away.
    back_since_ns: Option<u64>,
    epoch: Option<Epoch>,
}

/// How long Redis had forgotten nothing, when it last said so.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    heard_ns: u64,
    age_ns: u64,
}

impl Epoch {
    fn age_ns(self, now_ns: u64) -> u64 {
        self.age_ns.saturating_add(now_ns.saturating_sub(self.heard_ns))
    }
}

impl Breaker {
    /// Redis answered, and so old was its epoch.
    pub fn answered(&mut self, epoch_age_ns: u64, now_ns: u64) {
        self.failures = 0;
        self.epoch = Some(Epoch { heard_ns: now_ns, age_ns: epoch_age_ns });
        if std::mem::take(&mut self.is_away) {
            self.back_since_ns = Some(now_ns);
        }
    }

    /// A call that was sent then failed or was late. Those that were under way when one before was noticed are the same
    /// failure: however many wait, one hiccup is one.
    pub fn failed(&mut self, sent_ns: u64, now_ns: u64) {
        if self.failures > 0 && sent_ns < self.failed_ns {
            return;
        }
        self.failed_ns = now_ns;
        self.failures = self.failures.saturating_add(1);
        self.is_away |= self.failures >= FAILURES;
    }

    /// There is no connection.
    pub fn lost(&mut self) {
        self.is_away = true;
    }

    /// Who decides about a limit of this window.
    pub fn decide(&self, window_ns: u64, now_ns: u64) -> Decision {
        if self.is_away {
            return Decision::Share;
        }
        let knows_the_latest =
            self.back_since_ns.is_none_or(|since| now_ns.saturating_sub(since) >= window_ns);
        let forgot_nothing = self.epoch.is_some_and(|epoch| epoch.age_ns(now_ns) >= window_ns);
        if knows_the_latest && forgot_nothing { Decision::Shared } else { Decision::Both }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: u64 = 60;
    const OLD: u64 = 1_000;

    #[test]
    fn two_failures_are_chance_and_three_are_not() {
        let mut breaker = Breaker::default();
        assert_eq!(breaker.decide(WINDOW, 0), Decision::Both, "nothing was heard yet");
        breaker.answered(OLD, 0);
        for _ in 0..5 {
            breaker.failed(0, 0);
            breaker.failed(0, 0);
            assert_eq!(breaker.decide(WINDOW, 0), Decision::Shared);
            breaker.answered(OLD, 0);
        }
        (0..3).for_each(|_| breaker.failed(0, 0));
        assert_eq!(breaker.decide(WINDOW, 0), Decision::Share);
        assert_eq!(breaker.decide(WINDOW, 10 * WINDOW), Decision::Share, "time alone mends nothing");
    }

    #[test]
    fn calls_that_were_under_way_together_fail_together() {
        let mut breaker = Breaker::default();
        breaker.answered(OLD, 0);
        (0..9).for_each(|sent_ns| breaker.failed(sent_ns, 50 + sent_ns));
        assert_eq!(breaker.decide(WINDOW, 60), Decision::Shared);
        breaker.failed(60, 110);
        breaker.failed(111, 161);
        assert_eq!(breaker.decide(WINDOW, 161), Decision::Share);
    }

    #[test]
    fn who_was_away_decides_again_after_a_window() {
        let mut breaker = Breaker::default();
        breaker.answered(OLD, 0);
        breaker.lost();
        assert_eq!(breaker.decide(WINDOW, 5), Decision::Share);
        breaker.answered(OLD, 10);
        assert_eq!(breaker.decide(WINDOW, 69), Decision::Both);
        assert_eq!(breaker.decide(WINDOW, 70), Decision::Shared);
        assert_eq!(breaker.decide(60 * WINDOW, 70), Decision::Both, "an hour's limit waits for an hour");
    }

    #[test]
    fn who_forgot_decides_again_when_it_knows_a_window() {
        let mut breaker = Breaker::default();
        breaker.answered(OLD, 0);
        breaker.answered(3, 10);
        assert_eq!(breaker.decide(WINDOW, 66), Decision::Both);
        assert_eq!(breaker.decide(WINDOW, 67), Decision::Shared);
    }
}
