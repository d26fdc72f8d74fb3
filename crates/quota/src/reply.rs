//! A reply of `ring.lua` or `block.lua`, and the verdict that it means for a request.

use lastro_access::{EXACT_LIMIT, Verdict};
use lastro_model::Now;

use crate::charge::Unit;

/// A century, in microseconds. A number of a hostile server must not overflow the arithmetic.
const LONGEST_US: u64 = 100 * 366 * 86_400 * 1_000_000;

/// Numbers about each ring in a reply.
const RING_NUMBERS: usize = 5;

/// The state of a ring after a call, by Redis' clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reply {
    /// Units granted to the caller.
    pub(crate) granted: u32,
    pub(crate) limit: u32,
    /// Units left in Redis.
    pub(crate) remaining: u32,
    /// Time until at least one more unit is free.
    pub(crate) next_us: u64,
    /// When all units are free, since 1970.
    pub(crate) full_at_us: u64,
    /// The instant of the unit (ring), or the bucket of the units (block).
    pub(crate) place: u64,
    /// Time the units of a block may be used. Meaningless for a ring.
    pub(crate) valid_us: u64,
    pub(crate) epoch_age_us: u64,
    /// When the call was sent and when its reply was read, by this process' monotonic clock.
    pub(crate) sent_ns: u64,
    pub(crate) heard_ns: u64,
}

impl Reply {
    /// Reads the part of a reply about the ring at this place, of which `asked` units were wanted. `times` are those of the
    /// call and of its reply. `None` for anything that the scripts do not return.
    pub(crate) fn read(
        numbers: &[i64],
        place: usize,
        limit: u32,
        asked: u32,
        times: (u64, u64),
    ) -> Option<Self> {
        let (&[now, _, epoch_age], rings) = numbers.split_first_chunk()?;
        let &[granted, used, next, full, place, ref rest @ ..] = rings.get(RING_NUMBERS * place..)? else {
            return None;
        };
        let count = |number: i64| u32::try_from(number.max(0)).unwrap_or(u32::MAX);
        let time = |number: i64| u64::try_from(number).unwrap_or(0).min(LONGEST_US);
        let granted = count(granted).min(asked);
        Some(Self {
            granted,
            limit,
            remaining: limit.saturating_sub(count(used).saturating_add(granted)),
            next_us: time(next),
            full_at_us: time(now) + time(full),
            place: u64::try_from(place).unwrap_or(0),
            valid_us: rest.first().map_or(0, |valid| time(*valid)),
            epoch_age_us: u64::try_from(epoch_age).unwrap_or(0),
            sent_ns: times.0,
            heard_ns: times.1,
        })
    }

    /// The verdict at this moment. All replicas return the same time of reset.
    pub(crate) fn verdict(&self, admitted: bool, now: Now) -> Verdict {
        let since_ns = now.monotonic_ns.saturating_sub(self.heard_ns);
        let full_ns = i128::from(self.full_at_us) * 1_000 - i128::from(now.unix_ms) * 1_000_000;
        Verdict {
            admitted,
            limit: self.limit,
            remaining: self.remaining,
            next_ns: (self.next_us * 1_000).saturating_sub(since_ns),
            full_ns: u64::try_from(full_ns.max(0)).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn unit(&self) -> Unit {
        if self.limit > EXACT_LIMIT { Unit::Block } else { Unit::Ring { at_us: self.place } }
    }

    /// Whether Redis has lost data within the window.
    pub(crate) fn has_lost_data(&self, window_ns: u64) -> bool {
        self.epoch_age_us.saturating_mul(1_000) < window_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_numbers_are_bounded() {
        for length in 0..13 {
            assert!(Reply::read(&vec![1; length], 1, 3, 1, (0, 0)).is_none(), "{length}");
        }
        for extreme in [i64::MIN, -1, i64::MAX] {
            let reply = Reply::read(&[extreme; 13], 1, 3, 1, (u64::MAX, u64::MAX)).unwrap();
            assert!(reply.granted <= 1 && reply.remaining <= 3);
            let verdict = reply.verdict(false, Now { monotonic_ns: 0, unix_ms: 0 });
            assert!(verdict.reset_unix_seconds(0) >= 0 && verdict.retry_after_seconds() > 0);
        }
    }
}
