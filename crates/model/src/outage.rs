//! An outage of something that is called again and again, so that the log shows its beginning and end and not every failure.

/// Time without a failure after which an outage is over. A success in between does not end it: a database that fails
/// every third call would otherwise be reported twice a second.
const QUIET_NS: u64 = 10_000_000_000;
/// Time between two reminders while an outage lasts.
const REMINDER_NS: u64 = 300_000_000_000;

/// The outage in progress, if any. Times are monotonic nanoseconds.
#[derive(Debug, Default)]
pub struct Outage {
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    began_ns: u64,
    failed_ns: u64,
    reported_ns: u64,
    failures: u64,
}

/// A change worth a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutageChange {
    Began,
    /// A reminder: it has not ended yet.
    Lasts(OutageExtent),
    Ended(OutageExtent),
}

/// The failures of an outage so far, and the seconds between the first and the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutageExtent {
    pub failures: u64,
    pub seconds: u64,
}

impl Outage {
    pub fn is_on(&self) -> bool {
        self.current.is_some()
    }

    /// Counts a failure.
    pub fn failed(&mut self, now_ns: u64) -> Option<OutageChange> {
        let Some(current) = &mut self.current else {
            let (began_ns, failed_ns, reported_ns) = (now_ns, now_ns, now_ns);
            self.current = Some(Current { began_ns, failed_ns, reported_ns, failures: 1 });
            return Some(OutageChange::Began);
        };
        current.failures += 1;
        current.failed_ns = now_ns;
        if now_ns.saturating_sub(current.reported_ns) < REMINDER_NS {
            return None;
        }
        current.reported_ns = now_ns;
        Some(OutageChange::Lasts(current.extent()))
    }

    /// Ends the outage at once, for a caller whose one success means that it is over.
    pub fn end(&mut self) -> Option<OutageExtent> {
        self.current.take().map(|current| current.extent())
    }

    /// Notes a success, which ends an outage unless a failure is recent.
    pub fn succeeded(&mut self, now_ns: u64) -> Option<OutageChange> {
        let current = self.current.take_if(|current| now_ns.saturating_sub(current.failed_ns) >= QUIET_NS)?;
        Some(OutageChange::Ended(current.extent()))
    }
}

impl Current {
    fn extent(&self) -> OutageExtent {
        let seconds = self.failed_ns.saturating_sub(self.began_ns) / 1_000_000_000;
        OutageExtent { failures: self.failures, seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn two_minutes_of_failures_are_two_lines() {
        let mut outage = Outage::default();
        let told: Vec<_> = (0..=240).filter_map(|half| outage.failed(half * SECOND / 2)).collect();
        assert_eq!(told, [OutageChange::Began]);
        let told: Vec<_> = (120..200).filter_map(|second| outage.succeeded(second * SECOND)).collect();
        assert_eq!(told, [OutageChange::Ended(OutageExtent { failures: 241, seconds: 120 })]);
        assert!(!outage.is_on());
    }

    #[test]
    fn a_success_between_failures_does_not_end_it() {
        let mut outage = Outage::default();
        assert_eq!(outage.succeeded(0), None);
        for second in 0..60 {
            let failed = outage.failed(second * SECOND);
            assert_eq!(failed, (second == 0).then_some(OutageChange::Began));
            assert_eq!(outage.succeeded(second * SECOND + 1), None);
        }
    }

    #[test]
    fn a_long_outage_has_a_reminder_every_five_minutes() {
        let mut outage = Outage::default();
        let told: Vec<_> = (0..900).filter_map(|second| outage.failed(second * SECOND)).collect();
        let lasts = |failures, seconds| OutageChange::Lasts(OutageExtent { failures, seconds });
        assert_eq!(told, [OutageChange::Began, lasts(301, 300), lasts(601, 600)]);
        assert_eq!(outage.end(), Some(OutageExtent { failures: 900, seconds: 899 }));
        assert_eq!(outage.end(), None);
    }
}
