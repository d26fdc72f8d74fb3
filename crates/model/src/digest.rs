//! Digests that change with each bit and are the same on every machine: they become part of tags that may be sent to
//! another replica. A collision benefits no attacker, so they need not be cryptographic.

use crate::Stamp;

/// Digest of the bytes.
pub fn digest_of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let whole =
        words.iter().fold(bytes.len() as u64, |digest, word| folded(digest, u64::from_le_bytes(*word)));
    rest.iter().fold(whole, |digest, byte| folded(digest, (*byte).into()))
}

/// Digest of the stamps, in their order.
pub fn digest_of_stamps(stamps: impl IntoIterator<Item = Stamp>) -> u64 {
    stamps.into_iter().fold(0, |digest, stamp| {
        folded(folded(digest, stamp.edition.0), stamp.published_unix_ms.cast_unsigned())
    })
}

/// Adds a number to a digest.
#[inline]
const fn folded(digest: u64, number: u64) -> u64 {
    mixed(digest.wrapping_add(ODD) ^ number)
}

/// The golden ratio, so that zeros change the digest as well.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes a number (SplitMix64): each bit changes about half of the result, and no two numbers give the same.
#[inline]
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_digest_differs_with_every_bit(bytes in prop::collection::vec(any::<u8>(), 1..100), place: usize, bit in 0u8..8) {
            let mut other = bytes.clone();
            other[place % bytes.len()] ^= 1 << bit;
            prop_assert_ne!(digest_of(&bytes), digest_of(&other));
            prop_assert_ne!(digest_of(&bytes), digest_of(&bytes[..bytes.len() - 1]));
        }
    }
}
