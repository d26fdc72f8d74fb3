//! The usage book: who asked for what and how it ended, counted in memory and flushed to the store every second.
//!
//! Counting is one short lock on the holder's own ledger. A flush takes what changed, writes it, and puts it back
//! if the writing failed; since counts are absolute, writing something twice does no harm. Flushes follow one
//! another: the next `take_changed` comes after the last one's rows were written or put back.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use lastro_model::{AccountId, Day, Outcome, UsageCount};
use parking_lot::Mutex;

use crate::Holder;
use crate::ledger::{Line, Taken};

#[derive(Debug, Default)]
pub struct Usage {
    book: Mutex<Book>,
    /// Requests counted and not yet taken. Changed only under the lock of the ledger concerned.
    pending: AtomicU64,
    /// The number of the last take.
    round: AtomicU64,
    /// The day counted last, by its number. Not the greatest: a clock that was once wrong must not rule for ever.
    today: AtomicI32,
}

#[derive(Debug, Default)]
struct Book {
    /// Holders whose ledgers grew since the last take.
    changed: Vec<Arc<Holder>>,
    /// Holders whose ledgers hold anything, to be cleared of old days when the day turns.
    kept: Vec<Arc<Holder>>,
    cleared_on: i32,
}

/// What changed since the last take, on its way to the store.
#[derive(Debug, Default)]
#[must_use = "rows that are neither flushed nor put back are lost"]
pub struct Changed {
    /// Absolute counts since the process started.
    pub rows: Vec<UsageCount>,
    origins: Vec<(Arc<Holder>, Vec<Taken>)>,
}

impl Usage {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn count(&self, holder: &Arc<Holder>, day: Day, endpoint: &'static str, outcome: Outcome) {
        self.today.store(day.number(), Ordering::Relaxed);
        let mut ledger = holder.ledger.lock();
        ledger.count(Line { day, endpoint, outcome });
        self.pending.fetch_add(1, Ordering::Relaxed);
        let was_queued = std::mem::replace(&mut ledger.is_queued, true);
        drop(ledger);
        if !was_queued {
            self.book.lock().changed.push(Arc::clone(holder));
        }
    }

    pub fn take_changed(&self) -> Changed {
        let round = self.round.fetch_add(1, Ordering::AcqRel) + 1;
        let holders = std::mem::take(&mut self.book.lock().changed);
        let mut changed = Changed::default();
        for holder in holders {
            self.take_from(holder, round, &mut changed);
        }
        self.clear_old_days(round);
        changed
    }

    /// After a failed flush: all of it is reported as changed again, with the counts of then.
    pub fn put_back(&self, changed: Changed) {
        for (holder, lines) in changed.origins {
            let mut ledger = holder.ledger.lock();
            for taken in lines {
                ledger.put_back(taken);
                self.pending.fetch_add(taken.fresh, Ordering::Relaxed);
            }
            let was_queued = std::mem::replace(&mut ledger.is_queued, true);
            drop(ledger);
            if !was_queued {
                self.book.lock().changed.push(holder);
            }
        }
    }

    /// The counts of one account that the store may not have yet, those of a running flush included. They stay
    /// reported as changed: this is for a flush on demand, before the account's usage is read from the store.
    pub fn changed_of(&self, holder: &Holder) -> Vec<UsageCount> {
        let ledger = holder.ledger.lock();
        let round = self.round.load(Ordering::Acquire);
        ledger.unflushed(round).map(|(line, total)| row(holder.account(), line, total)).collect()
    }

    /// Requests counted and not yet taken to be flushed.
    pub fn pending(&self) -> u64 {
        self.pending.load(Ordering::Relaxed)
    }

    fn take_from(&self, holder: Arc<Holder>, round: u64, changed: &mut Changed) {
        let mut ledger = holder.ledger.lock();
        ledger.is_queued = false;
        let lines: Vec<_> = ledger.take(round).collect();
        self.pending.fetch_sub(lines.iter().map(|taken| taken.fresh).sum(), Ordering::Relaxed);
        let was_kept = std::mem::replace(&mut ledger.is_kept, true);
        drop(ledger);
        if !was_kept {
            self.book.lock().kept.push(Arc::clone(&holder));
        }
        changed.rows.extend(lines.iter().map(|taken| row(holder.account(), taken.line, taken.total)));
        changed.origins.push((holder, lines));
    }

    /// Once a day: requests of yesterday may still end, older days are over.
    fn clear_old_days(&self, round: u64) {
        let today = self.today.load(Ordering::Relaxed);
        let mut book = self.book.lock();
        if std::mem::replace(&mut book.cleared_on, today) == today {
            return;
        }
        let Some(yesterday) = Day::from_number(today).map(|today| today.plus_days(-1)) else { return };
        book.kept.retain(|holder| {
            let mut ledger = holder.ledger.lock();
            ledger.forget_before(yesterday, round);
            ledger.is_kept = !ledger.is_empty();
            ledger.is_kept
        });
    }
}

fn row(account: AccountId, line: Line, total: u64) -> UsageCount {
    let Line { day, endpoint, outcome } = line;
    UsageCount { account, day, endpoint: endpoint.to_owned(), outcome, requests: total }
}
