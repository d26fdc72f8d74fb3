//! The only place that reads the machine's clocks and its random numbers.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lastro_model::{Clock, Now, hex};

/// The machine's clocks.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now { monotonic_ns: self.monotonic_ns(), unix_ms: unix.as_millis() as i64 }
    }

    fn monotonic_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}

/// Fills a buffer with random bytes of the operating system.
///
/// # Panics
/// If the system provides none: continuing would mean guessable keys.
#[allow(clippy::expect_used)]
pub fn fill_random(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system has no random numbers");
}

/// `length` random lower-case hexadecimal digits, for ids that must not repeat.
pub fn random_hex(length: usize) -> String {
    let mut bytes = vec![0u8; length.div_ceil(2)];
    fill_random(&mut bytes);
    let mut text = hex::encode(&bytes);
    text.truncate(length);
    text
}

/// A random number from 0 to 1, for jitter.
pub fn random_fraction() -> f64 {
    fastrand::f64()
}
