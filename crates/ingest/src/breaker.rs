//! Circuit breaker per publisher: an outage is detected once, not by each of its seventy series.
//!
//! Sources that fail one after another for the same transient reason open the breaker. No source sends requests until
//! a pause is over, then one source probes for all. If it fails too, the next pause is longer; any response closes
//! the breaker.

use lastro_model::Source;

/// Number of consecutive failing sources that opens the breaker.
const ENOUGH: usize = 3;
const MINUTE_NS: u64 = 60_000_000_000;
const FIRST_PAUSE_NS: u64 = 5 * MINUTE_NS;
const LONGEST_PAUSE_NS: u64 = 60 * MINUTE_NS;

/// The breaker of one publisher. Times are monotonic nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    /// The reason shared by the last failures.
    reason: String,
    /// The sources that failed, each once.
    failed: Vec<Source>,
    /// When the first failure since the last response was, and how many there were.
    failures: Option<(u64, u64)>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until_ns: u64,
    pause_ns: u64,
    /// One source is probing for all.
    is_tried: bool,
}

/// The breaker's decision about a source.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Ask,
    /// The source probes for all.
    Try,
    /// The source is skipped, for this reason.
    Leave(String),
}

impl Breaker {
    /// Whether a source would be skipped now.
    pub(super) fn is_open(&self, now_ns: u64) -> bool {
        self.open.as_ref().is_some_and(|open| open.is_tried || now_ns < open.until_ns)
    }

    pub(super) fn admit(&mut self, now_ns: u64) -> Admission {
        if self.is_open(now_ns) {
            let Self { reason, .. } = self;
            return Admission::Leave(format!("no request was sent, because the publisher is down: {reason}"));
        }
        match &mut self.open {
            Some(open) => {
                open.is_tried = true;
                Admission::Try
            }
            None => Admission::Ask,
        }
    }

    /// Closes the breaker: the publisher responded to this source, so it is up.
    pub(super) fn heard(&mut self, source: Source, now_ns: u64) {
        if let (Some(_), Some((began_ns, failures))) = (&self.open, self.failures) {
            let minutes = now_ns.saturating_sub(began_ns) / MINUTE_NS;
            tracing::info!(%source, failures, minutes, "the publisher responds again");
        }
        *self = Self::default();
    }

    /// Ends a probe that sent no request.
    pub(super) fn tried_in_vain(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_tried = false;
        }
    }

    pub(super) fn failed(&mut self, source: Source, reason: &str, tried: bool, now_ns: u64) {
        self.failures.get_or_insert((now_ns, 0)).1 += 1;
        if self.reason != reason {
            reason.clone_into(&mut self.reason);
            self.failed.clear();
        }
        if !self.failed.contains(&source) {
            self.failed.push(source);
        }
        match &self.open {
            Some(open) if tried => self.open_for(source, open.pause_ns.saturating_mul(2), now_ns),
            None if self.failed.len() >= ENOUGH => self.open_for(source, FIRST_PAUSE_NS, now_ns),
            _ => {}
        }
    }

    fn open_for(&mut self, source: Source, pause_ns: u64, now_ns: u64) {
        let pause_ns = pause_ns.min(LONGEST_PAUSE_NS);
        let minutes = pause_ns / MINUTE_NS;
        let failures = self.failures.map(|(_, failures)| failures);
        tracing::warn!(
            %source, reason = self.reason, failures, minutes, "the publisher is down; requests to it are paused"
        );
        self.open = Some(Open { until_ns: now_ns.saturating_add(pause_ns), pause_ns, is_tried: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::Series;

    const DOWN: &str = "no connection";

    fn broken() -> Breaker {
        let mut breaker = Breaker::default();
        for series in Series::ALL.into_iter().take(ENOUGH) {
            assert_eq!(breaker.admit(0), Admission::Ask);
            breaker.failed(series.into(), DOWN, false, 0);
        }
        breaker
    }

    #[test]
    fn three_sources_with_one_reason_open_the_breaker() {
        let mut breaker = broken();
        let Admission::Leave(sentence) = breaker.admit(FIRST_PAUSE_NS - 1) else { panic!("it may ask") };
        assert_eq!(sentence, "no request was sent, because the publisher is down: no connection");
    }

    #[test]
    fn one_failing_source_does_not_open_the_breaker() {
        let mut breaker = Breaker::default();
        (0..9).for_each(|_| breaker.failed(Source::Fx, DOWN, false, 0));
        assert_eq!(breaker.admit(0), Admission::Ask);
    }

    #[test]
    fn other_reasons_and_responses_reset_the_count() {
        let [a, b, c, d] = [Series::Selic, Series::Cdi, Series::Ipca, Series::Inpc].map(Source::from);
        let mut breaker = Breaker::default();
        breaker.failed(a, DOWN, false, 0);
        breaker.failed(b, "status 502", false, 0);
        breaker.failed(c, DOWN, false, 0);
        breaker.failed(d, DOWN, false, 0);
        assert!(!breaker.is_open(0));
        breaker.heard(a, 0);
        breaker.failed(a, DOWN, false, 0);
        breaker.failed(b, DOWN, false, 0);
        assert!(!breaker.is_open(0));
    }

    #[test]
    fn one_source_probes_after_the_pause() {
        let mut breaker = broken();
        assert_eq!(breaker.admit(FIRST_PAUSE_NS), Admission::Try);
        assert!(matches!(breaker.admit(FIRST_PAUSE_NS), Admission::Leave(_)), "one is enough");
        breaker.heard(Source::Fx, FIRST_PAUSE_NS);
        assert_eq!(breaker.admit(FIRST_PAUSE_NS), Admission::Ask);
        let mut breaker = broken();
        assert_eq!(breaker.admit(FIRST_PAUSE_NS), Admission::Try);
        breaker.tried_in_vain();
        assert_eq!(breaker.admit(FIRST_PAUSE_NS), Admission::Try, "the first one came to nothing");
    }

    #[test]
    fn the_pauses_grow_up_to_an_hour() {
        let (mut breaker, mut now_ns) = (broken(), 0);
        for minutes in [5, 10, 20, 40, 60, 60] {
            assert!(breaker.is_open(now_ns + minutes * MINUTE_NS - 1), "{minutes}");
            now_ns += minutes * MINUTE_NS;
            assert_eq!(breaker.admit(now_ns), Admission::Try, "{minutes}");
            breaker.failed(Source::Fx, "status 502", true, now_ns);
        }
        breaker.failed(Source::Fx, DOWN, true, u64::MAX);
        assert!(!breaker.is_open(u64::MAX), "no clock ends");
    }
}
