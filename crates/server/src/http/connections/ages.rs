//! Since when answers wait: how many there are by the second in which they last made progress.

use std::sync::atomic::{AtomicU16, Ordering};

use crate::config::LONGEST_SEND_TIMEOUT;

/// Seconds that [`Ages`] tells apart; more than any answer is waited for.
pub const SPAN: u32 = 128;
const _: () = assert!(LONGEST_SEND_TIMEOUT.as_secs() + 2 < SPAN as u64, "ages beyond it can be told apart");

/// Answers by the second in which they last made progress. A stalled one is seen however lively the others are.
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

    /// Whether an answer has made no progress for more than so many seconds.
    pub(super) fn any_beyond(&self, seconds: u32, now: u32) -> bool {
        (seconds + 1..SPAN).any(|age| self.of(now.wrapping_sub(age)).load(Ordering::Relaxed) > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever begins, progresses and ends, only an answer that is too old is seen as one.
        #[test]
        fn an_answer_is_seen_as_stalled_when_it_is_and_only_then(
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
