//! Running exports: at most two at a time for one holder of keys, none forever.
//!
//! A [`Slot`] is released when dropped, and the response body owns it: it ends with a complete download, a disconnect
//! or a broken stream. If the client stops reading, its connection is closed, as with any other response.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lastro_background::account_slots::{AccountSlot, AccountSlots};
use lastro_background::clock::random_hex;
use lastro_background::metrics::prometheus::{Exposition, Kind};
use lastro_model::{AccountId, Now};
use lastro_quota::{Quota, RunningExport};

use crate::error::ApiError;

/// Limit for one holder, over all of its keys.
const MOST_RUNNING: usize = 2;

/// The delay is a guess: the end of a running export is unknown.
pub const ALL_TAKEN: ApiError = ApiError::RateLimited {
    message: "two exports of this account are running already; wait for one of them to end",
    retry_after_seconds: 10,
};

#[derive(Debug, Default)]
pub struct Exports {
    slots: Arc<AccountSlots>,
    finished: AtomicU64,
    aborted: AtomicU64,
    rows: AtomicU64,
}

/// Permission to run one export. Dropping it ends the export.
#[derive(Debug)]
pub struct Slot {
    exports: Arc<Exports>,
    _slot: AccountSlot,
    is_complete: AtomicBool,
    /// The entry in the count over all replicas, released with the slot.
    counted: Option<RunningExport>,
}

impl Exports {
    /// Takes a slot, unless the account has none left.
    pub fn begin(self: &Arc<Self>, account: AccountId) -> Option<Slot> {
        let slot = self.slots.take(account, MOST_RUNNING)?;
        let is_complete = AtomicBool::new(false);
        Some(Slot { exports: Arc::clone(self), _slot: slot, is_complete, counted: None })
    }

    /// Takes a slot counted over all replicas, or in this process only if Redis is unavailable.
    pub async fn begin_counted(
        self: &Arc<Self>,
        quota: Option<&Arc<Quota>>,
        account: AccountId,
        now: Now,
    ) -> Option<Slot> {
        // Memory is checked first, so that a flood of exports does not reach Redis.
        let mut slot = self.begin(account)?;
        if let Some(quota) = quota {
            slot.counted = Some(quota.begin_export(account, random_hex(16), MOST_RUNNING, now).await?);
        }
        Some(slot)
    }

    pub fn running(&self) -> usize {
        self.slots.count()
    }

    /// Writes the metrics.
    pub fn render(&self, out: &mut Exposition) {
        out.gauge("lastro_exports_running", "Bulk exports under way.", self.running());
        let rows = self.rows.load(Ordering::Relaxed);
        out.counter("lastro_exported_rows_total", "Rows written into bulk exports.", rows);
        let mut family = out.family("lastro_exports_total", Kind::Counter, "Bulk exports by outcome.");
        for (outcome, count) in [("finished", &self.finished), ("aborted", &self.aborted)] {
            family.sample(&[("outcome", &outcome)], count.load(Ordering::Relaxed));
        }
    }
}

impl Slot {
    /// Counts written rows.
    pub fn wrote(&self, rows: usize) {
        self.exports.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Marks the export as complete.
    pub fn complete(&self) {
        self.is_complete.store(true, Ordering::Relaxed);
    }

    /// The number of running exports, including this one.
    pub fn running(&self) -> usize {
        self.exports.running()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let is_complete = self.is_complete.load(Ordering::Relaxed);
        let outcome = if is_complete { &self.exports.finished } else { &self.exports.aborted };
        outcome.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::KeyId;

    fn account(name: &str) -> AccountId {
        AccountId(KeyId::parse(name).unwrap())
    }

    #[test]
    fn a_holder_may_run_two_exports_at_a_time() {
        let exports = Arc::new(Exports::default());
        let begin = |name| exports.begin(account(name));
        let (first, second) = (begin("aaaaaaaa").unwrap(), begin("aaaaaaaa").unwrap());
        assert!(begin("aaaaaaaa").is_none());
        assert!(begin("bbbbbbbb").is_some());
        first.complete();
        drop(first);
        let third = begin("aaaaaaaa").unwrap();
        drop((second, third));
        assert_eq!(exports.running(), 0);
        let mut out = Exposition::default();
        exports.render(&mut out);
        let text = out.into_text();
        assert!(
            text.contains("{outcome=\"finished\"} 1\n") && text.contains("{outcome=\"aborted\"} 3\n"),
            "{text}"
        );
    }
}
