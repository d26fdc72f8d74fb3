//! The set of live replicas and the rank of this one among them. It does no I/O: [`Replicas`](super::Replicas) does.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lastro_access::Share;
use lastro_model::Now;
use lastro_store::Replica;

/// Time without a heartbeat after which a replica counts as dead: five heartbeat intervals.
const DEAD_AFTER_MS: u64 = 10_000;

/// Whether a replica was seen recently. A time too far in the future does not count either: a clock was set back.
pub fn is_alive(replica: &Replica, now: Timestamp) -> bool {
    now.as_millisecond().abs_diff(replica.seen_at.as_millisecond()) <= DEAD_AFTER_MS
}

/// The replicas that counted as alive at the last heartbeat.
#[derive(Debug, Default)]
pub struct Census {
    /// Boot ids.
    live: BTreeSet<String>,
    is_lost: bool,
    returned_ns: Option<u64>,
}

impl Census {
    /// Records that the store did not reply. Replicas that were alive still count.
    pub fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Counts the live replicas in `rows`, and always this one. During an outage of the store no replica could write a
    /// heartbeat, so after it each one has the full time to do so before it counts as dead.
    pub fn take(&mut self, rows: &[Replica], own: &str, now: Now) -> Share {
        if std::mem::take(&mut self.is_lost) {
            self.returned_ns = Some(now.monotonic_ns);
        }
        let since_return_ns =
            self.returned_ns.map_or(u64::MAX, |returned| now.monotonic_ns.saturating_sub(returned));
        let has_time = since_return_ns <= DEAD_AFTER_MS * 1_000_000;
        let counts =
            |row: &&Replica| is_alive(row, now.timestamp()) || has_time && self.live.contains(&row.boot);
        let mut live: BTreeSet<String> = rows.iter().filter(counts).map(|row| row.boot.clone()).collect();
        live.insert(own.to_owned());
        self.live = live;
        self.share_of(own)
    }

    fn share_of(&self, own: &str) -> Share {
        let rank = self.live.iter().take_while(|boot| boot.as_str() < own).count();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Share::new(number(self.live.len()), number(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::BySource;

    fn seen(boot: &str, second: i64) -> Replica {
        Replica {
            boot: boot.to_owned(),
            name: String::new(),
            version: String::new(),
            started_at: Timestamp::UNIX_EPOCH,
            seen_at: Timestamp::from_second(second).unwrap(),
            editions: BySource::default(),
        }
    }

    fn now(second: u64) -> Now {
        Now { monotonic_ns: second * 1_000_000_000, unix_ms: second as i64 * 1000 }
    }

    #[test]
    fn a_replica_not_seen_for_ten_seconds_is_dead() {
        let mut census = Census::default();
        let rows = [seen("a", 90), seen("b", 100), seen("c", 89), seen("d", 111)];
        assert_eq!(census.take(&rows, "b", now(100)), Share::new(2, 1));
    }

    #[test]
    fn this_replica_always_counts() {
        assert_eq!(Census::default().take(&[], "b", now(100)), Share::WHOLE);
        let rows = [seen("a", 100), seen("b", 20), seen("c", 100)];
        assert_eq!(Census::default().take(&rows, "b", now(100)), Share::new(3, 1));
    }

    #[test]
    fn every_replica_has_a_rank_of_its_own() {
        let rows = ["a", "b", "c"].map(|boot| seen(boot, 100));
        let shares = ["a", "b", "c"].map(|boot| Census::default().take(&rows, boot, now(100)));
        assert_eq!(shares, [Share::new(3, 0), Share::new(3, 1), Share::new(3, 2)]);
    }

    #[test]
    fn replicas_get_time_to_return_after_a_store_outage() {
        let mut census = Census::default();
        let before = ["a", "b", "c"].map(|boot| seen(boot, 100));
        census.take(&before, "a", now(100));
        census.lose();
        census.lose();
        assert_eq!(census.take(&before, "a", now(160)), Share::new(3, 0), "nobody could tell");
        let since = [seen("a", 169), seen("b", 162), seen("c", 100)];
        assert_eq!(census.take(&since, "a", now(170)), Share::new(3, 0));
        assert_eq!(census.take(&since, "a", now(171)), Share::new(2, 0), "one had died meanwhile");
    }

    #[test]
    fn a_replica_that_left_does_not_count_after_an_outage() {
        let mut census = Census::default();
        census.take(&[seen("a", 100), seen("b", 100)], "a", now(100));
        census.lose();
        assert_eq!(census.take(&[seen("a", 160)], "a", now(160)), Share::WHOLE);
    }
}
