//! Exports that run: at most two at a time for one holder of keys, none for ever.
//!
//! A [`Slot`] is given back when it is dropped, and the body of the answer owns it: a client that has everything, one
//! that goes away and a stream that breaks all end the same way. A client that stays and takes nothing is hung up on.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::future::AbortHandle;
use lastro_model::AccountId;
use parking_lot::Mutex;

use crate::error::ApiError;
use crate::metrics::gauge;

/// For one holder, all of its keys together.
const AT_A_TIME: usize = 2;

/// How long a client may take nothing. What lies in the sockets' buffers must have time to trickle through a slow line.
const STALLED_NS: u64 = 120_000_000_000;

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
    /// When the client last took something.
    taken_ns: AtomicU64,
    whole: AtomicBool,
    /// Ends the connection that the export goes out on.
    hang_up: AbortHandle,
}

/// The right to run one export. Dropping it ends the export.
#[derive(Debug)]
pub struct Slot {
    exports: Arc<Exports>,
    running: Arc<Running>,
}

impl Exports {
    /// A slot for one more export, unless the account has none left.
    pub fn begin(self: &Arc<Self>, account: AccountId, hang_up: &AbortHandle, now_ns: u64) -> Option<Slot> {
        let mut running = self.running.lock();
        if running.iter().filter(|other| other.account == account).count() >= AT_A_TIME {
            return None;
        }
        let one = Arc::new(Running {
            account,
            taken_ns: AtomicU64::new(now_ns),
            whole: AtomicBool::new(false),
            hang_up: hang_up.clone(),
        });
        running.push(Arc::clone(&one));
        Some(Slot { exports: Arc::clone(self), running: one })
    }

    pub fn running(&self) -> usize {
        self.running.lock().len()
    }

    /// Ends the connections whose clients have stopped reading. To be called every few seconds.
    pub fn hang_up_on_stalled(&self, now_ns: u64) {
        for export in self.running.lock().iter() {
            if now_ns.saturating_sub(export.taken_ns.load(Ordering::Relaxed)) >= STALLED_NS {
                export.hang_up.abort();
            }
        }
    }

    /// The export metrics in the Prometheus text format.
    pub fn render(&self, out: &mut String) {
        gauge(out, "lastro_exports_running", "gauge", "Bulk exports under way.", self.running());
        let rows = self.rows.load(Ordering::Relaxed);
        gauge(out, "lastro_exported_rows_total", "counter", "Rows written into bulk exports.", rows);
        out.push_str("# HELP lastro_exports_total Bulk exports by how they ended.\n# TYPE lastro_exports_total counter\n");
        for (outcome, count) in [("finished", &self.finished), ("aborted", &self.aborted)] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(out, "lastro_exports_total{{outcome=\"{outcome}\"}} {count}");
        }
    }
}

impl Slot {
    /// The client has asked for more, and so many rows were written for it.
    pub fn progress(&self, rows: usize, now_ns: u64) {
        self.running.taken_ns.store(now_ns, Ordering::Relaxed);
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
        let (exports, hang_up) = (Arc::new(Exports::default()), AbortHandle::new_pair().0);
        let begin = |name| exports.begin(account(name), &hang_up, 0);
        let (first, second) = (begin("aaaaaaaa").unwrap(), begin("aaaaaaaa").unwrap());
        assert!(begin("aaaaaaaa").is_none());
        assert!(begin("bbbbbbbb").is_some());
        first.complete();
        drop(first);
        let third = begin("aaaaaaaa").unwrap();
        drop((second, third));
        assert_eq!(exports.running(), 0);
        let mut text = String::new();
        exports.render(&mut text);
        assert!(
            text.contains("{outcome=\"finished\"} 1\n") && text.contains("{outcome=\"aborted\"} 3\n"),
            "{text}"
        );
    }

    #[test]
    fn only_who_takes_nothing_is_hung_up_on() {
        let exports = Arc::new(Exports::default());
        let [idle, busy] = [(); 2].map(|()| AbortHandle::new_pair().0);
        let _idle = exports.begin(account("aaaaaaaa"), &idle, 0).unwrap();
        let taking = exports.begin(account("aaaaaaaa"), &busy, 0).unwrap();
        taking.progress(1, STALLED_NS / 2);
        exports.hang_up_on_stalled(STALLED_NS - 1);
        exports.hang_up_on_stalled(STALLED_NS);
        assert!(idle.is_aborted() && !busy.is_aborted());
    }
}
