//! Enforces the retention promises: closes expired keys for good, deletes old deliveries and bookkeeping rows, and
//! removes keys that were never used.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lastro_model::{Clock, Now};
use lastro_store::Store;
use tokio::sync::watch;

use crate::served::Served;
use crate::wait::{stopped, tick};

const POLL_INTERVAL: Duration = Duration::from_secs(2);

const HOUR_NS: u64 = 3_600_000_000_000;
const DAY_NS: u64 = 24 * HOUR_NS;

const DELIVERIES_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Much longer than Stripe repeats an event.
const BILLING_EVENTS_KEPT: SignedDuration = SignedDuration::from_hours(40 * 24);
/// Longer than any running server can miss a removal or have an unconfirmed batch of counts.
const NOTES_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Ninety days, plus an hour in which every process writes its last counts.
const UNUSED_KEPT: SignedDuration = SignedDuration::from_hours(90 * 24 + 1);
/// Readers of a feed ask for months after it ended.
const ENDED_FEEDS_KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);
const REPLICAS_KEPT: SignedDuration = SignedDuration::from_hours(24);
const REMOVED_AT_ONCE: usize = 200;

/// The store to clean up, the counters last read from it, and the clock that decides.
#[derive(Debug)]
pub struct Retention {
    pub store: Arc<dyn Store>,
    pub served: Arc<Served>,
    pub clock: Arc<dyn Clock>,
    /// Days for which the log of changes is kept.
    pub changes_days: u32,
}

pub async fn run(retention: Arc<Retention>, mut stop: watch::Receiver<bool>) {
    let mut forgetting = Due::every(HOUR_NS, 0);
    let mut removing = Due::every(DAY_NS, HOUR_NS);
    let mut evenness = Evenness::from(retention.clock.now());
    loop {
        let now = retention.clock.now();
        if retention.served.may_have(|counters| counters.has_ending_keys) {
            close_ended_keys(&retention).await;
        }
        if forgetting.has_come(now.monotonic_ns) {
            forget(&retention).await;
        }
        if evenness.lasts_for(now) >= HOUR_NS && removing.has_come(now.monotonic_ns) {
            remove_unused_keys(&retention).await;
        }
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(POLL_INTERVAL) => {}
        }
    }
}

/// The next time of a periodic task, by the monotonic clock.
struct Due {
    at_ns: u64,
    period_ns: u64,
}

impl Due {
    fn every(period_ns: u64, first_ns: u64) -> Self {
        Self { at_ns: first_ns, period_ns }
    }

    fn has_come(&mut self, now_ns: u64) -> bool {
        let come = now_ns >= self.at_ns;
        if come {
            self.at_ns = now_ns.saturating_add(self.period_ns);
        }
        come
    }
}

/// Time during which the wall clock has run in step with the monotonic one. A wall clock that is wrong at startup and
/// corrected, or jumps later, must not make a key look old.
struct Evenness {
    since: Now,
}

impl Evenness {
    const TOLERANCE_MS: u64 = 60_000;

    fn from(since: Now) -> Self {
        Self { since }
    }

    fn lasts_for(&mut self, now: Now) -> u64 {
        let grown_ns = now.monotonic_ns.saturating_sub(self.since.monotonic_ns);
        let expected = self.since.unix_ms.saturating_add_unsigned(grown_ns / 1_000_000);
        if now.unix_ms.abs_diff(expected) > Self::TOLERANCE_MS {
            *self = Self::from(now);
            return 0;
        }
        grown_ns
    }
}

async fn close_ended_keys(retention: &Retention) {
    log("ended keys were closed", retention.store.close_ended_keys(retention.clock.now().timestamp()).await);
}

async fn forget(retention: &Retention) {
    let deliveries = retention.store.forget_deliveries(ago(retention, DELIVERIES_KEPT)).await;
    log("old deliveries were forgotten", deliveries);
    let changes_kept = SignedDuration::from_hours(24 * i64::from(retention.changes_days));
    log("old changes were forgotten", retention.store.forget_changes(ago(retention, changes_kept)).await);
    log(
        "old billing events were forgotten",
        retention.store.forget_billing_events(ago(retention, BILLING_EVENTS_KEPT)).await,
    );
    let feeds_before = Now { monotonic_ns: 0, unix_ms: ago(retention, ENDED_FEEDS_KEPT).as_millisecond() };
    log(
        "feeds that ended long ago were forgotten",
        retention.store.forget_ended_feeds(feeds_before.utc_day()).await,
    );
    log("removed keys were forgotten", retention.store.forget_removed_keys(ago(retention, NOTES_KEPT)).await);
    log("dead replicas were forgotten", retention.store.forget_replicas(ago(retention, REPLICAS_KEPT)).await);
    log(
        "old flushes of usage were forgotten",
        retention.store.forget_usage_flushes(ago(retention, NOTES_KEPT)).await,
    );
}

/// Removes keys in small batches, so that concurrent registrations do not wait long.
async fn remove_unused_keys(retention: &Retention) {
    let (before, now) = (ago(retention, UNUSED_KEPT), retention.clock.now().timestamp());
    loop {
        let removed = retention.store.remove_unused_keys(before, now, REMOVED_AT_ONCE).await;
        let more = removed.as_ref().is_ok_and(|removed| *removed == REMOVED_AT_ONCE as u64);
        log("keys that nobody ever used were removed", removed);
        if !more {
            return;
        }
    }
}

fn ago(retention: &Retention, time: SignedDuration) -> Timestamp {
    retention.clock.now().timestamp().checked_sub(time).unwrap_or_default()
}

fn log(what: &str, outcome: lastro_store::Result<u64>) {
    match outcome {
        Ok(0) => {}
        Ok(count) => tracing::debug!(count, "{what}"),
        // The store logs its outages itself.
        Err(error) if error.is_database_failure() => {
            tracing::debug!(%error, "failed and retried later: {what}");
        }
        Err(error) => tracing::warn!(%error, "failed and retried later: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, clock_is_ahead: i64) -> Now {
        Now { monotonic_ns: second as u64 * 1_000_000_000, unix_ms: (second + clock_is_ahead) * 1000 }
    }

    #[test]
    fn a_clock_jump_restarts_the_evenness_period() {
        let mut evenness = Evenness::from(at(0, 0));
        assert_eq!(evenness.lasts_for(at(3600, 0)), HOUR_NS);
        assert_eq!(evenness.lasts_for(at(3601, 30)), HOUR_NS + 1_000_000_000, "it is put right by a little");
        assert_eq!(evenness.lasts_for(at(3602, 86_400 * 365)), 0, "it jumps");
        assert_eq!(evenness.lasts_for(at(3603, 0)), 0, "and back");
        assert_eq!(evenness.lasts_for(at(7203, 0)), HOUR_NS);
    }

    #[test]
    fn a_task_is_due_once_per_period() {
        let mut due = Due::every(10, 3);
        let come: Vec<u64> = (0..40).filter(|now| due.has_come(*now)).collect();
        assert_eq!(come, [3, 13, 23, 33]);
        assert!(due.has_come(1000) && !due.has_come(1001), "what was missed is not made up for");
    }
}
