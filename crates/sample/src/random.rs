//! Seeded random numbers. Each part of the data set has its own generator, so that changing one does not affect others.

use std::ops::RangeInclusive;

/// A generator with the same draws on every machine: it only uses numbers of fixed width.
#[derive(Debug, Clone)]
pub(super) struct Random(fastrand::Rng);

impl Random {
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        Self(fastrand::Rng::with_seed(fingerprint(seed, purpose.as_bytes())))
    }

    pub(super) fn between(&mut self, range: RangeInclusive<i32>) -> i32 {
        self.0.i32(range)
    }

    /// Returns true in `percent` of a hundred draws.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.0.u32(..100) < percent
    }

    /// Returns a random entry of one of our tables, which are never empty.
    pub(super) fn pick<T: Copy>(&mut self, entries: &[T]) -> T {
        entries[self.position(entries.len())]
    }

    /// A position below `length`, evenly distributed.
    pub(super) fn position(&mut self, length: usize) -> usize {
        self.0.u64(..length as u64) as usize
    }

    /// A position below `length`, low ones more often, because few companies file much and many file little.
    pub(super) fn early_position(&mut self, length: usize) -> usize {
        let share = self.0.f64();
        ((share * share * length as f64) as usize).min(length.saturating_sub(1))
    }

    /// The position of an entry, drawn in proportion to its weight.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let mut left = self.0.u32(..weights.clone().sum::<u32>());
        weights
            .take_while(|weight| {
                let passed = left >= *weight;
                left = left.saturating_sub(*weight);
                passed
            })
            .count()
    }

    pub(super) fn shuffle<T>(&mut self, entries: &mut [T]) {
        for end in (1..entries.len()).rev() {
            entries.swap(end, self.position(end + 1));
        }
    }
}

/// FNV-1a: short and stable, which the standard library's hasher is not guaranteed to be.
pub(super) fn fingerprint(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_shares_of_the_draws() {
        let mut random = Random::new(1, "weights");
        let mut seen = [0; 3];
        for _ in 0..10_000 {
            seen[random.weighted([70, 0, 30].into_iter())] += 1;
        }
        assert!((6_700..7_300).contains(&seen[0]), "{seen:?}");
        assert_eq!(seen[1], 0);
        assert_eq!(seen[0] + seen[2], 10_000);
    }

    #[test]
    fn purposes_have_independent_draws() {
        let draws = |purpose| {
            let mut random = Random::new(1, purpose);
            (0..8).map(|_| random.between(0..=1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(draws("fx"), draws("fx"));
        assert_ne!(draws("fx"), draws("ipca"));
    }
}
