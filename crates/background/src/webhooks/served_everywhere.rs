//! Holds an announcement, for a limited time, until every replica serves its edition: customers may reach any of them.

use std::collections::BTreeMap;

use lastro_model::Edition;
use lastro_store::{Announcement, Replica};

/// Longest wait for a lagging replica.
const LONGEST_WAIT_NS: u64 = 30_000_000_000;

/// Editions whose announcements wait to be fanned out.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Time at which this process first saw each edition, by the monotonic clock.
    first_seen_ns: BTreeMap<Edition, u64>,
    /// The last edition released although a replica lags.
    let_go: Option<Edition>,
}

impl Waiting {
    /// Records all waiting announcements and drops the others.
    pub fn see(&mut self, announcements: &[Announcement], now_ns: u64) {
        let seen = std::mem::take(&mut self.first_seen_ns);
        for edition in announcements.iter().map(|announcement| announcement.edition) {
            self.first_seen_ns.insert(edition, seen.get(&edition).copied().unwrap_or(now_ns));
        }
    }

    /// Whether this announcement still waits for one of these replicas.
    pub fn holds(&mut self, announcement: &Announcement, others: &[Replica], now_ns: u64) -> bool {
        let lagging: Vec<&str> = others.iter().filter(|other| lags(other, announcement)).map(name).collect();
        if lagging.is_empty() {
            return false;
        }
        let since = self.first_seen_ns.get(&announcement.edition).copied().unwrap_or(now_ns);
        if now_ns.saturating_sub(since) < LONGEST_WAIT_NS {
            return true;
        }
        if self.let_go.replace(announcement.edition) != Some(announcement.edition) {
            tracing::warn!(
                edition = announcement.edition.0,
                "webhooks are notified although these replicas did not serve the edition within 30 s: {}",
                lagging.join(", ")
            );
        }
        false
    }
}

/// Whether a replica serves an older edition. One whose version lacks the source never serves it and does not lag.
fn lags(replica: &Replica, announcement: &Announcement) -> bool {
    replica.editions[announcement.source].is_some_and(|served| served < announcement.edition)
}

fn name(replica: &Replica) -> &str {
    &replica.name
}
