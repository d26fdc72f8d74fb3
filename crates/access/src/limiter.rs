//! The rate limit: an exact maximum of admitted requests in *any* window.
//!
//! A [`Ring`] remembers the time of each admission. A fixed window would let twice the limit through at its edge, and a
//! token bucket nearly as much; this does not. It is arithmetic only: no clock, no lock, no map. `holder` and
//! `addresses` decide which client a ring belongs to and for how long it is kept.

use std::collections::VecDeque;

/// Up to this limit every instant of admission has its own entry. Above it, those of one slot share an entry.
pub const EXACT_LIMIT: u32 = 10_000;

/// Slots in a window (each a millisecond of a minute), so that a ring of any limit stays below two megabytes.
const SLOTS_IN_WINDOW: u64 = 60_000;

/// Clocks of two machines may differ by this fraction of a window: a second of a minute.
const CLOCKS_DIFFER_BY: u64 = 60;

/// Capacity up to which memory is not given back.
const SMALL: usize = 16;

/// The requests admitted at one instant, or in one slot. For a slot, `at` is the latest, so that no unit returns early.
#[derive(Debug, Clone, Copy)]
struct Entry {
    at: u64,
    count: u32,
}

impl Entry {
    /// Nanoseconds until the entry leaves the window. A clock that went backwards makes them more, never fewer.
    fn expires_in(self, window_ns: u64, now_ns: u64) -> u64 {
        let age = now_ns.saturating_sub(self.at);
        let ahead = self.at.saturating_sub(now_ns);
        window_ns.saturating_sub(age).saturating_add(ahead)
    }

    fn is_expired(self, window_ns: u64, now_ns: u64) -> bool {
        self.expires_in(window_ns, now_ns) == 0
    }
}

/// The log of requests admitted within the last window, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    entries: VecDeque<Entry>,
    /// The sum of all counts.
    used: u32,
}

impl Ring {
    pub const fn new() -> Self {
        Self { entries: VecDeque::new(), used: 0 }
    }

    /// Admits one request if fewer than `limit` were admitted in the window ending now. A rejection consumes nothing.
    pub fn take(&mut self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        self.forget_expired(window_ns, now_ns);
        let admitted = self.used < limit;
        if admitted {
            self.push(limit, window_ns, now_ns);
        }
        self.verdict(admitted, limit, window_ns, now_ns)
    }

    /// Returns the verdict [`Ring::take`] would give now. Consumes nothing.
    pub fn peek(&mut self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        self.forget_expired(window_ns, now_ns);
        self.verdict(self.used < limit, limit, window_ns, now_ns)
    }

    /// Counts a unit already consumed, even beyond the limit.
    pub fn record(&mut self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        self.forget_expired(window_ns, now_ns);
        self.push(limit, window_ns, now_ns);
        self.verdict(self.used < limit, limit, window_ns, now_ns)
    }

    /// Counts a request admitted elsewhere, unless the whole limit was already admitted here: then the other side has
    /// lost some. The clocks of two machines differ a little, so a unit about to leave the window no longer counts.
    pub fn confirm(&mut self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        self.forget_expired(window_ns, now_ns);
        let nearly_window_ns = window_ns - window_ns / CLOCKS_DIFFER_BY;
        let leaving = self.entries.iter().take_while(|entry| entry.is_expired(nearly_window_ns, now_ns));
        let admitted = self.used < limit || self.used - leaving.map(|entry| entry.count).sum::<u32>() < limit;
        if admitted {
            self.push(limit, window_ns, now_ns);
        }
        self.verdict(admitted, limit, window_ns, now_ns)
    }

    /// Returns the unit admitted at `taken_ns`, for a request rejected afterwards.
    pub fn give_back(&mut self, limit: u32, window_ns: u64, taken_ns: u64) -> Verdict {
        let place = self.entries.partition_point(|entry| entry.at < taken_ns);
        if let Some(entry) = self.entries.get_mut(place)
            && entry.at - taken_ns < slot_ns(limit, window_ns)
        {
            entry.count -= 1;
            self.used -= 1;
            if entry.count == 0 {
                self.entries.remove(place);
            }
        }
        self.peek(limit, window_ns, taken_ns)
    }

    /// Whether the window is empty. Such a ring is equivalent to a new one.
    pub fn is_idle(&self, window_ns: u64, now_ns: u64) -> bool {
        self.entries.back().is_none_or(|newest| newest.is_expired(window_ns, now_ns))
    }

    fn forget_expired(&mut self, window_ns: u64, now_ns: u64) {
        while let Some(oldest) = self.entries.front().copied() {
            if !oldest.is_expired(window_ns, now_ns) {
                break;
            }
            self.used -= oldest.count;
            self.entries.pop_front();
        }
        let (length, capacity) = (self.entries.len(), self.entries.capacity());
        if capacity > SMALL && length < capacity / 4 {
            self.entries.shrink_to(length * 2);
        }
    }

    fn push(&mut self, limit: u32, window_ns: u64, now_ns: u64) {
        let slot_ns = slot_ns(limit, window_ns);
        self.used += 1;
        match self.entries.back_mut() {
            // Also matches if the clock went backwards, because the entries must stay in order.
            Some(newest) if now_ns / slot_ns <= newest.at / slot_ns => {
                newest.at = newest.at.max(now_ns);
                newest.count += 1;
            }
            _ => self.entries.push_back(Entry { at: now_ns, count: 1 }),
        }
    }

    fn verdict(&self, admitted: bool, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        Verdict {
            admitted,
            limit,
            remaining: limit.saturating_sub(self.used),
            next_ns: self.next_unit_in(limit, window_ns, now_ns),
            full_ns: self.entries.back().map_or(0, |newest| newest.expires_in(window_ns, now_ns)),
        }
    }

    fn next_unit_in(&self, limit: u32, window_ns: u64, now_ns: u64) -> u64 {
        let blocking = match limit {
            // No unit will ever be free; one window is a reasonable retry time.
            0 => return window_ns,
            _ if self.used <= limit => self.entries.front().copied(),
            _ => self.newest_that_must_go(limit),
        };
        blocking.map_or(0, |entry| entry.expires_in(window_ns, now_ns))
    }

    /// The entry whose expiry brings the use below a limit that was lowered. Takes at most `limit` steps.
    fn newest_that_must_go(&self, limit: u32) -> Option<Entry> {
        let mut kept = 0;
        let mut newest_first = self.entries.iter().rev();
        newest_first
            .find(|entry| {
                kept += entry.count;
                kept >= limit
            })
            .copied()
    }
}

/// The length of a slot: admissions within one share an entry.
fn slot_ns(limit: u32, window_ns: u64) -> u64 {
    if limit <= EXACT_LIMIT { 1 } else { (window_ns / SLOTS_IN_WINDOW).max(1) }
}

/// The limiter's decision on one request, and the values of its rate headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    pub admitted: bool,
    pub limit: u32,
    pub remaining: u32,
    /// Time until at least one more unit is free; 0 if all of them are.
    pub next_ns: u64,
    /// Time until the whole quota is free.
    pub full_ns: u64,
}

const SECOND_NS: u64 = 1_000_000_000;

impl Verdict {
    /// Seconds after which a rejected client will be admitted.
    pub fn retry_after_seconds(&self) -> u64 {
        self.next_seconds().max(1)
    }

    pub fn next_seconds(&self) -> u64 {
        self.next_ns.div_ceil(SECOND_NS)
    }

    /// The first whole second, since 1970, at which the whole quota is free.
    pub fn reset_unix_seconds(&self, now_unix_ms: i64) -> i64 {
        let reset_ms = now_unix_ms.saturating_add_unsigned(self.full_ns.div_ceil(1_000_000));
        // Rounded up, also before 1970.
        reset_ms.div_euclid(1000) + i64::from(reset_ms.rem_euclid(1000) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: u64 = 60 * SECOND_NS;

    #[test]
    fn a_ring_starts_small_and_gives_its_memory_back() {
        let mut ring = Ring::new();
        assert_eq!(ring.entries.capacity(), 0);
        ring.take(2000, WINDOW, 0);
        assert_eq!(ring.entries.capacity(), 4);
        for now in 1..2000 {
            ring.take(2000, WINDOW, now);
        }
        assert_eq!(ring.entries.len(), 2000);
        ring.take(2000, WINDOW, 2 * WINDOW);
        assert!(ring.entries.capacity() <= SMALL, "{}", ring.entries.capacity());
    }

    #[test]
    fn a_burst_at_one_instant_is_one_entry() {
        let mut ring = Ring::new();
        for _ in 0..500 {
            ring.take(500, WINDOW, 7);
        }
        assert_eq!((ring.entries.len(), ring.used), (1, 500));
    }

    #[test]
    fn confirmed_requests_count_against_the_limit() {
        let mut ring = Ring::new();
        for now in 0..5 {
            assert!(ring.confirm(5, WINDOW, now).admitted);
        }
        let verdict = ring.take(3, WINDOW, WINDOW - 1);
        assert!(!verdict.admitted);
        assert_eq!((verdict.remaining, verdict.next_ns), (0, 3), "the third of five must go first");
        assert!(ring.take(3, WINDOW, WINDOW + 2).admitted);
    }

    #[test]
    fn confirm_rejects_beyond_the_limit() {
        let mut ring = Ring::new();
        for now in 0..3 {
            assert!(ring.confirm(3, WINDOW, now).admitted);
        }
        let refused = ring.confirm(3, WINDOW, 58 * SECOND_NS);
        assert_eq!((refused.admitted, refused.remaining, refused.next_ns), (false, 0, 2 * SECOND_NS));
        // On the other machine, whose clock is a little ahead, the oldest may already have left the window.
        assert!(ring.confirm(3, WINDOW, 59 * SECOND_NS).admitted);
        assert!(!ring.confirm(3, WINDOW, 59 * SECOND_NS).admitted, "the second has not");
    }

    #[test]
    fn a_ring_is_bounded_for_any_limit() {
        let mut ring = Ring::new();
        // Three requests in each millisecond of two windows, then some by the exact rule.
        for now in (0..2 * WINDOW).step_by(333_333) {
            assert!(ring.take(100_000_000, WINDOW, now).admitted);
            assert!(ring.entries.len() as u64 <= SLOTS_IN_WINDOW + 1);
        }
        for now in (2 * WINDOW..4 * WINDOW).step_by(70_000_000) {
            ring.take(EXACT_LIMIT, WINDOW, now);
            assert!(ring.entries.len() as u64 <= SLOTS_IN_WINDOW + 1 + u64::from(EXACT_LIMIT));
        }
    }
}
