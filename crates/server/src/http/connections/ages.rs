//! Responses being sent, counted by the second of their last progress.

use std::sync::atomic::{AtomicU16, Ordering};

use lastro_config::LONGEST_SEND_TIMEOUT;

/// Seconds that [`Ages`] distinguishes; more than any response may make no progress.
pub const SPAN: u32 = 128;
const _: () = assert!(LONGEST_SEND_TIMEOUT.as_secs() + 2 < SPAN as u64, "ages beyond it can be told apart");

/// Number of responses by the second of their last progress. A stalled one is found even if the others progress.
#[derive(Debug)]
pub struct Ages([AtomicU16; SPAN as usize]);

impl Default for Ages {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU16::new(0)))
    }
}

impl Ages {
    fn of(&self, second: u32) -> &AtomicU16 {
        &self.0[(second % SPAN) as usize]
    }

    pub(super) fn add(&self, second: u32) {
        self.of(second).fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, second: u32) {
        self.of(second).fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a response has made no progress for more than `seconds`.
    pub(super) fn any_beyond(&self, seconds: u32, now: u32) -> bool {
        (seconds + 1..SPAN).any(|age| self.of(now.wrapping_sub(age)).load(Ordering::Relaxed) > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whichever responses start, progress and end, only one that is too old is reported.
        #[test]
        fn reports_only_stalled_responses(
            now in SPAN..u32::MAX,
            timeout in 1..121u32,
            ages in prop::collection::vec(0..SPAN, 0..20),
            progressed in prop::collection::vec(any::<bool>(), 20),
        ) {
            let all = Ages::default();
            ages.iter().for_each(|age| all.add(now - age));
            for (age, _) in ages.iter().zip(&progressed).filter(|(_, progressed)| **progressed) {
                all.add(now);
                all.remove(now - age);
            }
            let still = ages.iter().zip(&progressed).filter(|(_, progressed)| !**progressed);
            prop_assert_eq!(all.any_beyond(timeout, now), still.clone().any(|(age, _)| *age > timeout));
        }
    }
}
