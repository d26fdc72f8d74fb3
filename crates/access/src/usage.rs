//! Usage counts: requests by account, endpoint and outcome, counted in memory and flushed to the store every second.
//!
//! Counting is one short lock on the holder's own ledger. A flush takes all counts as one numbered batch, which is sent
//! to the store until it is known to be there. The store adds each number only once, so a write with an unknown outcome
//! can be retried safely. Only one batch is pending at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lastro_model::{AccountId, Day, Outcome, UsageCount};
use parking_lot::Mutex;

use crate::Holder;
use crate::ledger::Line;

#[derive(Debug, Default)]
pub struct Usage {
    /// Holders with counts in their ledgers, each once.
    counted: Mutex<Vec<Arc<Holder>>>,
    under_way: Mutex<UnderWay>,
    /// See [`Usage::unflushed`].
    unflushed: AtomicU64,
}

#[derive(Debug, Default)]
struct UnderWay {
    batch: Option<Arc<Batch>>,
    last_sequence: u64,
}

/// All counts since the previous batch, pending for the store.
#[derive(Debug, PartialEq, Eq)]
pub struct Batch {
    /// Counts from 1 without a gap.
    pub sequence: u64,
    pub rows: Vec<UsageCount>,
}

impl Usage {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn count(&self, holder: &Arc<Holder>, day: Day, endpoint: &'static str, outcome: Outcome) {
        self.unflushed.fetch_add(1, Ordering::Relaxed);
        let is_first = holder.ledger.lock().count(Line { day, endpoint, outcome });
        if is_first {
            self.counted.lock().push(Arc::clone(holder));
        }
    }

    /// The pending batch, if there is one.
    pub fn under_way(&self) -> Option<Arc<Batch>> {
        self.under_way.lock().batch.clone()
    }

    /// Returns the pending batch, or else makes one of all counts, if there are any.
    pub fn take(&self) -> Option<Arc<Batch>> {
        let mut under_way = self.under_way.lock();
        if under_way.batch.is_none() {
            let holders = std::mem::take(&mut *self.counted.lock());
            let rows: Vec<UsageCount> = holders.iter().flat_map(|holder| handed_over(holder)).collect();
            if !rows.is_empty() {
                under_way.last_sequence += 1;
                under_way.batch = Some(Arc::new(Batch { sequence: under_way.last_sequence, rows }));
            }
        }
        under_way.batch.clone()
    }

    /// Marks a batch as stored.
    pub fn settle(&self, batch: &Batch) {
        let settled = self.under_way.lock().batch.take_if(|held| held.sequence == batch.sequence);
        if settled.is_some() {
            let requests = batch.rows.iter().map(|row| row.requests).sum();
            self.unflushed.fetch_sub(requests, Ordering::Relaxed);
        }
    }

    /// Requests counted and not yet known to be in the store.
    pub fn unflushed(&self) -> u64 {
        self.unflushed.load(Ordering::Relaxed)
    }
}

fn handed_over(holder: &Holder) -> impl Iterator<Item = UsageCount> {
    let account = holder.account();
    let lines = holder.ledger.lock().take();
    lines.into_iter().map(move |(line, requests)| row(account, line, requests))
}

fn row(account: AccountId, line: Line, requests: u64) -> UsageCount {
    let Line { day, endpoint, outcome } = line;
    UsageCount { account, day, endpoint: endpoint.to_owned(), outcome, requests }
}
