//! Exports that run: at most two at a time for one holder of keys, none for ever.
//!
//! A [`Slot`] is given back when it is dropped, and the body of the answer owns it: a client that has everything, one
//! that goes away and a stream that breaks all end the same way. So does one that takes nothing: as with any other answer,
//! its connection is ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lastro_model::{AccountId, Now};
use lastro_quota::{Quota, RunningExport};
use parking_lot::Mutex;

use crate::clock::random_hex;
use crate::error::ApiError;
use crate::metrics::prometheus::{Exposition, Kind};

/// For one holder, all of its keys together.
const AT_A_TIME: usize = 2;

/// How soon one of them may have ended is anybody's guess.
pub const ALL_TAKEN: ApiError = ApiError::RateLimited {
    message: "two exports of this key are running already; wait for one of them to end",
    retry_after_seconds: 10,
};

#[derive(Debug, Default)]
pub struct Exports {
    running: Mutex<Vec<Arc<Running>>>,
    finished: AtomicU64,
    aborted: AtomicU64,
    rows: AtomicU64,
}

#[derive(Debug)]
struct Running {
    account: AccountId,
    whole: AtomicBool,
}

/// The right to run one export. Dropping it ends the export.
#[derive(Debug)]
pub struct Slot {
    exports: Arc<Exports>,
    running: Arc<Running>,
    /// Where it is counted over all replicas, which ends with it.
    counted: Option<RunningExport>,
}

impl Exports {
    /// A slot for one more export, unless the account has none left.
    pub fn begin(self: &Arc<Self>, account: AccountId) -> Option<Slot> {
        let mut running = self.running.lock();
        if running.iter().filter(|other| other.account == account).count() >= AT_A_TIME {
            return None;
        }
        let one = Arc::new(Running { account, whole: AtomicBool::new(false) });
        running.push(Arc::clone(&one));
        Some(Slot { exports: Arc::clone(self), running: one, counted: None })
    }

    /// The same over all replicas; and, should Redis be away, in this process.
    pub async fn begin_counted(
        self: &Arc<Self>,
        quota: Option<&Arc<Quota>>,
        account: AccountId,
        came: Now,
    ) -> Option<Slot> {
        // Memory is asked first: a flood of exports need not trouble Redis.
        let mut slot = self.begin(account)?;
        if let Some(quota) = quota {
            slot.counted = Some(quota.begin_export(account, random_hex(16), AT_A_TIME, came).await?);
        }
        Some(slot)
    }

    pub fn running(&self) -> usize {
        self.running.lock().len()
    }

    /// What the operator is told.
    pub fn render(&self, out: &mut Exposition) {
        out.gauge("lastro_exports_running", "Bulk exports under way.", self.running());
        let rows = self.rows.load(Ordering::Relaxed);
        out.counter("lastro_exported_rows_total", "Rows written into bulk exports.", rows);
        let mut family = out.family("lastro_exports_total", Kind::Counter, "Bulk exports by how they ended.");
        for (outcome, count) in [("finished", &self.finished), ("aborted", &self.aborted)] {
            family.sample(&[("outcome", &outcome)], count.load(Ordering::Relaxed));
        }
    }
}

impl Slot {
    /// So many rows were written.
    pub fn wrote(&self, rows: usize) {
        self.exports.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// All of it was handed over.
    pub fn complete(&self) {
        self.running.whole.store(true, Ordering::Relaxed);
    }

    /// How many exports run, this one included.
    pub fn running(&self) -> usize {
        self.exports.running()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.exports.running.lock().retain(|other| !Arc::ptr_eq(other, &self.running));
        let whole = self.running.whole.load(Ordering::Relaxed);
        let outcome = if whole { &self.exports.finished } else { &self.exports.aborted };
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
    fn a_holder_has_two_and_gets_them_back() {
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
