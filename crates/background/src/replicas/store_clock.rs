//! The store's time: this machine's clock, shifted by its difference from the store's.
//!
//! It is used for all times compared between machines (leases, claims and due times of webhooks, the end of a key, when
//! a replica was last seen) and for all times shown to clients, which must not depend on the replica that answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use lastro_model::{Clock, Now};
use lastro_store::Store;

/// Clock difference above which a warning is logged.
const NOTABLE_MS: u64 = 2_000;
/// Clock difference from which the `Date` of a response is corrected: it has whole seconds.
const VISIBLE_MS: u64 = 1_000;
/// Longest round trip of a usable measurement. In a longer one the moment of the store's reply is too uncertain.
const LONGEST_ROUND_TRIP_NS: u64 = 1_000_000_000;

#[derive(Debug)]
pub struct StoreClock {
    machine: Arc<dyn Clock>,
    /// Added to the machine's time; zero if the store has no clock of its own.
    offset_ms: AtomicI64,
    is_measured: AtomicBool,
    is_skewed: AtomicBool,
}

impl StoreClock {
    /// Equals the machine's clock until it is measured.
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        let (is_measured, is_skewed) = Default::default();
        Self { machine, offset_ms: AtomicI64::new(0), is_measured, is_skewed }
    }

    /// A measured clock, for a command that runs once.
    pub async fn of(store: &dyn Store, machine: Arc<dyn Clock>) -> lastro_store::Result<Self> {
        let clock = Self::new(machine);
        clock.measure(store).await?;
        Ok(clock)
    }

    /// Milliseconds by which the store's clock is ahead of this machine's.
    pub fn offset_ms(&self) -> i64 {
        self.offset_ms.load(Ordering::Relaxed)
    }

    /// Whether clients would notice the difference between the two clocks.
    pub fn is_visibly_off(&self) -> bool {
        self.offset_ms().unsigned_abs() >= VISIBLE_MS
    }

    /// Reads the store's time and sets the offset. The store read its clock at some moment within the round trip.
    pub async fn measure(&self, store: &dyn Store) -> lastro_store::Result<()> {
        let sent = self.machine.now();
        let Some(time) = store.time().await? else { return Ok(()) };
        let round_trip_ns = self.machine.monotonic_ns().saturating_sub(sent.monotonic_ns);
        if round_trip_ns > LONGEST_ROUND_TRIP_NS && self.is_measured.load(Ordering::Relaxed) {
            return Ok(());
        }
        let asked_at = sent.unix_ms.saturating_add_unsigned(round_trip_ns / 2_000_000);
        self.set(time.as_millisecond().saturating_sub(asked_at));
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
                "this machine's clock is {seconds:.1} s {side} the database's, which is used instead; set both by NTP"
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

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::ManualClock;
    use std::sync::atomic::AtomicUsize;
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

    fn clock() -> StoreClock {
        StoreClock::new(Arc::new(ManualClock::starting_at(1_000_000)))
    }

    #[test]
    fn it_is_the_machines_clock_until_it_is_measured() {
        let clock = clock();
        assert_eq!(clock.now(), Now { monotonic_ns: 0, unix_ms: 1_000_000 });
        clock.set(-1_500);
        assert_eq!(
            clock.now(),
            Now { monotonic_ns: 0, unix_ms: 998_500 },
            "what only grows is the machine's"
        );
        clock.set(i64::MAX);
        assert_eq!(clock.now().unix_ms, i64::MAX, "no clock panics");
        clock.set(i64::MIN);
        clock.now();
    }

    #[derive(Default)]
    struct Warnings(Arc<AtomicUsize>);

    impl<S: tracing::Subscriber> Layer<S> for Warnings {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            self.0
                .fetch_add(usize::from(*event.metadata().level() == tracing::Level::WARN), Ordering::SeqCst);
        }
    }

    #[test]
    fn skew_is_logged_once_until_it_ends() {
        let warnings = Warnings::default();
        let count = Arc::clone(&warnings.0);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(warnings), || {
            let clock = clock();
            for (offset_ms, warned) in
                [(0, 0), (2_000, 0), (2_001, 1), (2_500, 1), (-9_000, 1), (-1_000, 1), (-2_001, 2)]
            {
                clock.set(offset_ms);
                assert_eq!(count.load(Ordering::SeqCst), warned, "{offset_ms}");
            }
        });
    }
}
