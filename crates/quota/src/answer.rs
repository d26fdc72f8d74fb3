//! What Redis said of a ring, and the verdict that becomes of it: the same headers at every replica.

use lastro_access::{EXACT_LIMIT, Verdict};
use lastro_model::Now;

use crate::block::BUCKET_US;
use crate::question::Known;

const SECOND_US: u64 = 1_000_000;

/// The state of a ring after a request, by Redis' clock; where the request was refused, why is told by the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) is_admitted: bool,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    /// Until at least one more unit is there.
    pub(crate) next_us: u64,
    /// When that was told, since 1970.
    pub(crate) now_us: u64,
    /// When the whole quota is back, since 1970.
    pub(crate) full_at_us: u64,
    /// Under which instant the unit is remembered.
    pub(crate) at_us: u64,
    pub(crate) epoch_age_us: u64,
    /// When the call was sent and its answer was there, by the growing clock of this process.
    pub(crate) sent_ns: u64,
    pub(crate) heard_ns: u64,
}

impl Answer {
    /// What it comes to at this moment.
    pub(crate) fn verdict(&self, now: Now) -> Verdict {
        let since_ns = now.monotonic_ns.saturating_sub(self.heard_ns);
        let now_ns = i128::from(now.unix_ms) * 1_000_000;
        let full_ns = (i128::from(self.full_at_us) * 1_000 - now_ns).max(0);
        Verdict {
            admitted: self.is_admitted,
            limit: self.limit,
            remaining: self.remaining,
            next_ns: (self.next_us * 1_000).saturating_sub(since_ns),
            full_ns: u64::try_from(full_ns).unwrap_or(u64::MAX),
        }
    }

    /// Until when the ring stays full whoever asks. Counted from the call, so that the note ends early rather than late;
    /// and never long, because units may be given back before they expire.
    pub(crate) fn closed_until_ns(&self) -> Option<u64> {
        let longest_us = if self.limit > EXACT_LIMIT { BUCKET_US } else { SECOND_US };
        (self.remaining == 0).then(|| self.sent_ns.saturating_add(self.next_us.min(longest_us) * 1_000))
    }

    /// What it tells of the ring's instants. The next unit that is back is the oldest, if there is one, while something
    /// remains; afterwards it may be another, where the limit was lowered.
    pub(crate) fn known(&self, window_us: u64) -> Known {
        let oldest_us = (self.now_us + self.next_us).saturating_sub(window_us);
        Known {
            oldest_us: if (1..self.limit).contains(&self.remaining) { oldest_us } else { 0 },
            granted_us: if self.is_admitted { self.at_us } else { 0 },
        }
    }

    /// Whether Redis has forgotten something that lies within the window.
    pub(crate) fn has_forgotten(&self, window_ns: u64) -> bool {
        self.epoch_age_us.saturating_mul(1_000) < window_ns
    }
}

/// The numbers that `ring.lua` and `block.lua` answer with, as far as they are the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reply {
    pub(crate) granted: u32,
    /// Before what was granted.
    pub(crate) used: u32,
    pub(crate) next_us: u64,
    pub(crate) full_us: u64,
    pub(crate) now_us: u64,
    pub(crate) epoch_age_us: u64,
    pub(crate) epoch: i64,
    /// The instant of the units (ring), or their bucket (block).
    pub(crate) place: u64,
    /// How long the block may be used.
    pub(crate) valid_us: u64,
}

impl Reply {
    /// What was answered to somebody who asked for so many units; `None` for what our scripts never answer.
    pub(crate) fn read(numbers: &[i64], asked: u32) -> Option<Self> {
        let number = |place: usize| numbers.get(place).and_then(|number| u64::try_from(*number).ok());
        let count = |place: usize| number(place).and_then(|number| u32::try_from(number).ok());
        // A clock of Redis that went back makes the epoch lie ahead.
        let epoch_age_us = numbers.get(5).map(|age| u64::try_from(*age).unwrap_or(0))?;
        // A hostile number must not overflow what is counted with it; a century of seconds is enough.
        const MOST: u64 = 100 * 366 * 86_400 * SECOND_US;
        Some(Self {
            granted: count(0)?.min(asked),
            used: count(1)?,
            next_us: number(2)?.min(MOST),
            full_us: number(3)?.min(MOST),
            now_us: number(4)?.min(100 * MOST),
            epoch_age_us,
            epoch: *numbers.get(8)?,
            place: number(6)?,
            valid_us: number(7).unwrap_or(0).min(MOST),
        })
    }

    /// What it means for one request, after which so many of the limit are used.
    pub(crate) fn answer(&self, is_admitted: bool, limit: u32, used: u32, times: (u64, u64)) -> Answer {
        Answer {
            is_admitted,
            limit,
            remaining: limit.saturating_sub(used),
            next_us: self.next_us,
            now_us: self.now_us,
            full_at_us: self.now_us.saturating_add(self.full_us),
            at_us: self.place,
            epoch_age_us: self.epoch_age_us,
            sent_ns: times.0,
            heard_ns: times.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_a_server_is_believed_that_cannot_be() {
        assert!(Reply::read(&[], 1).is_none());
        assert!(Reply::read(&[-1, 0, 0, 0, 0, 0, 0, 0, 0], 1).is_none());
        assert!(Reply::read(&[i64::MAX; 9], 1).is_none(), "more than a limit can be");
        let widest =
            [i64::from(u32::MAX), 0, i64::MAX, i64::MAX, i64::MAX, i64::MIN, i64::MAX, i64::MAX, i64::MIN];
        let reply = Reply::read(&widest, 3).unwrap();
        assert_eq!((reply.granted, reply.epoch_age_us), (3, 0));
        let answer = reply.answer(false, 3, 3, (u64::MAX, u64::MAX));
        assert_eq!(answer.closed_until_ns(), Some(u64::MAX));
        let verdict = answer.verdict(Now { monotonic_ns: 0, unix_ms: 0 });
        assert!(verdict.reset_unix_seconds(0) > 0 && verdict.retry_after_seconds() > 0);
    }
}
