//! The time of the store: this machine's clock, shifted by what it differs from the store's.
//!
//! Whatever is compared between machines is told by this clock: leases, claims and due times of webhooks, and when a replica
//! was last seen. Requests are answered by the machine's own clock. What they compare with the time, the end of a key,
//! is hours away when it is set, and clocks that differ by seconds are told of.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use lastro_model::{Clock, Now};
use lastro_store::Store;

/// Clocks that differ by more are worth a word.
const NOTABLE_MS: u64 = 2_000;
/// The store's answer says nothing better than this about the moment at which it was given.
const LONGEST_ROUND_TRIP_NS: u64 = 1_000_000_000;

#[derive(Debug)]
pub struct StoreClock {
    machine: Arc<dyn Clock>,
    /// What is to be added to the machine's time; nothing where the store has no clock of its own.
    offset_ms: AtomicI64,
    is_measured: AtomicBool,
    is_skewed: AtomicBool,
}

impl StoreClock {
    /// The machine's clock, until it is measured.
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        let (is_measured, is_skewed) = Default::default();
        Self { machine, offset_ms: AtomicI64::new(0), is_measured, is_skewed }
    }

    /// The clock for a command that runs once.
    pub async fn of(store: &dyn Store, machine: Arc<dyn Clock>) -> lastro_store::Result<Self> {
        let clock = Self::new(machine);
        clock.measure(store).await?;
        Ok(clock)
    }

    /// By how much the store's clock is ahead of this machine's.
    pub fn offset_ms(&self) -> i64 {
        self.offset_ms.load(Ordering::Relaxed)
    }

    /// Asks the store for its time, which it read at some moment between our question and its answer.
    pub async fn measure(&self, store: &dyn Store) -> lastro_store::Result<()> {
        let sent = self.machine.now();
        let Some(told) = store.time().await? else { return Ok(()) };
        let round_trip_ns = self.machine.monotonic_ns().saturating_sub(sent.monotonic_ns);
        if round_trip_ns > LONGEST_ROUND_TRIP_NS && self.is_measured.load(Ordering::Relaxed) {
            return Ok(());
        }
        let asked_at = sent.unix_ms.saturating_add_unsigned(round_trip_ns / 2_000_000);
        self.set(told.as_millisecond().saturating_sub(asked_at));
        Ok(())
    }

    fn set(&self, offset_ms: i64) {
        self.offset_ms.store(offset_ms, Ordering::Relaxed);
        self.is_measured.store(true, Ordering::Relaxed);
        let is_skewed = offset_ms.unsigned_abs() > NOTABLE_MS;
        if self.is_skewed.swap(is_skewed, Ordering::Relaxed) == is_skewed {
            return;
        }
        let seconds = offset_ms.unsigned_abs() as f64 / 1000.0;
        let side = if offset_ms > 0 { "behind" } else { "ahead of" };
        if is_skewed {
            tracing::warn!(
                "this machine's clock is {seconds:.1} s {side} the database's; set it by NTP, or keys end at another time here than elsewhere"
            );
        } else {
            tracing::info!("this machine's clock and the database's agree again");
        }
    }
}

impl Clock for StoreClock {
    fn now(&self) -> Now {
        let now = self.machine.now();
        Now { unix_ms: now.unix_ms.saturating_add(self.offset_ms()), ..now }
    }

    fn monotonic_ns(&self) -> u64 {
        self.machine.monotonic_ns()
    }
}
