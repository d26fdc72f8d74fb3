//! Whoever is told of something new may ask any replica for it: what one of them does not serve yet waits, but not for ever.

use std::collections::BTreeMap;

use lastro_model::Edition;
use lastro_store::{Announcement, Replica};

/// After this a replica that lags keeps nobody waiting any more.
const LONGEST_WAIT_NS: u64 = 30_000_000_000;

/// The editions whose announcements wait to be addressed.
#[derive(Debug, Default)]
pub struct Waiting {
    /// When this process first saw each of them, by the clock that only grows.
    first_seen_ns: BTreeMap<Edition, u64>,
    /// The last one that was let go although a replica lags.
    let_go: Option<Edition>,
}

impl Waiting {
    /// Takes note of all that is to be addressed, the oldest first.
    pub fn see(&mut self, announcements: &[Announcement], now_ns: u64) {
        let seen = std::mem::take(&mut self.first_seen_ns);
        for edition in announcements.iter().map(|announcement| announcement.edition) {
            self.first_seen_ns.insert(edition, seen.get(&edition).copied().unwrap_or(now_ns));
        }
    }

    /// Whether this announcement waits for one of these replicas.
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
                "webhooks are told of an edition that these replicas do not serve after 30 s: {}",
                lagging.join(", ")
            );
        }
        false
    }
}

/// A replica whose version does not know the source will never serve it.
fn lags(replica: &Replica, announcement: &Announcement) -> bool {
    replica.editions[announcement.source].is_some_and(|served| served < announcement.edition)
}

fn name(replica: &Replica) -> &str {
    &replica.name
}
