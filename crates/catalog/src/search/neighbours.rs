//! Which words stand beside each other in some text. It may say yes where it is no, never the reverse: where it says no, no
//! row has a phrase, and none need be looked for.

use hashbrown::HashSet;

/// Pairs of words as hashes of 32 bits, ascending.
#[derive(Default)]
pub(super) struct Neighbours {
    pairs: Vec<u32>,
}

/// The number by which a word is known here, on every machine and in every index the same (FNV-1a).
pub(super) fn hash(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Two words, the one before the other.
pub(super) fn pair(one: u64, other: u64) -> u32 {
    ((one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

impl Neighbours {
    pub(super) fn may_have(&self, pair: u32) -> bool {
        self.pairs.binary_search(&pair).is_ok()
    }

    /// Those of either. Rows that are gone leave theirs behind, which does no harm.
    pub(super) fn merged(&self, fresh: &Self) -> Self {
        Self::from_pairs(self.pairs.iter().chain(&fresh.pairs).copied().collect())
    }

    pub(super) fn pairs(&self) -> &[u32] {
        &self.pairs
    }

    pub(super) fn from_pairs(mut pairs: Vec<u32>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }
}

impl From<HashSet<u32>> for Neighbours {
    fn from(pairs: HashSet<u32>) -> Self {
        Self::from_pairs(pairs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_known_in_their_order_and_in_merged_sets() {
        let of = |one: &str, other: &str| Neighbours::from_pairs(vec![pair(hash(one), hash(other))]);
        let (one, other) = (of("fato", "relevante"), of("conselho", "fiscal"));
        let has = |pairs: &Neighbours, one: &str, other: &str| pairs.may_have(pair(hash(one), hash(other)));
        assert!(has(&one, "fato", "relevante") && !has(&one, "relevante", "fato"));
        let both = one.merged(&other);
        assert!(has(&both, "fato", "relevante") && has(&both, "conselho", "fiscal"));
        assert!(!has(&Neighbours::default(), "fato", "relevante"));
    }
}
