//! Blocks of units, for limits so high that a call for each request would be the most expensive part of it.
//!
//! A replica is granted units in a bucket of half a second and may use them until the bucket ends; what it did not use
//! it gives back with the next call. The rule of `block.lua` counts a unit until a window after the end of its bucket,
//! so the limit holds however late an answer comes and whoever is lost with a block.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::answer::{Answer, Reply};
use crate::names::RingName;

/// The length of a bucket.
pub(crate) const BUCKET_US: u64 = 500_000;

/// A block that was not used for so long is forgotten.
const KEPT_NS: u64 = 10_000_000_000;

#[derive(Debug, Default)]
pub(crate) struct Blocks(Mutex<HashMap<RingName, Block>>);

#[derive(Debug, Clone, Copy)]
struct Block {
    /// What Redis said with it.
    answer: Answer,
    bucket: u64,
    left: u32,
    valid_until_ns: u64,
    /// Units used in this bucket, and in the one before.
    used: u32,
    used_before: u32,
}

/// What to ask Redis for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) units: u32,
    /// Units of a block that is over.
    pub(crate) unused: u32,
    pub(crate) earlier: u64,
}

impl Blocks {
    /// One unit of a block that is still good.
    pub(crate) fn take(&self, name: RingName, limit: u32, now_ns: u64) -> Option<Answer> {
        let mut blocks = self.0.lock();
        let block = blocks.get_mut(&name)?;
        if block.left == 0 || block.answer.limit != limit || now_ns >= block.valid_until_ns {
            return None;
        }
        block.left -= 1;
        block.used += 1;
        Some(Answer {
            is_admitted: true,
            remaining: block.remaining(),
            heard_ns: block.answer.heard_ns,
            ..block.answer
        })
    }

    /// The request was refused after all: its unit may be used by another.
    pub(crate) fn give_back(&self, name: RingName) {
        if let Some(block) = self.0.lock().get_mut(&name)
            && block.used > 0
        {
            block.left += 1;
            block.used -= 1;
        }
    }

    /// For so many who wait; `replicas` is how many others may want some as well.
    pub(crate) fn wish(&self, name: RingName, waiting: u32, replicas: u32, now_ns: u64) -> Wish {
        let mut blocks = self.0.lock();
        let Some(block) = blocks.get_mut(&name) else {
            return Wish { units: waiting, unused: 0, earlier: 0 };
        };
        let is_over = now_ns >= block.valid_until_ns;
        let expected = if is_over { block.used } else { block.used.max(block.used_before) };
        let expected = expected.saturating_add(expected / 4);
        // The nearer the limit, the smaller the blocks, so that little lies unused elsewhere.
        let most = block.remaining() / replicas.max(1).saturating_mul(4);
        let unused = if is_over { std::mem::take(&mut block.left) } else { 0 };
        Wish { units: expected.min(most).max(waiting), unused, earlier: block.bucket }
    }

    /// Keeps what was granted beyond those who waited, and returns the state after all of it.
    pub(crate) fn put(&self, name: RingName, reply: &Reply, waiting: u32, answer: Answer) {
        let taken = reply.granted.min(waiting);
        let mut blocks = self.0.lock();
        let fresh =
            Block { answer, bucket: reply.place, left: 0, valid_until_ns: 0, used: 0, used_before: 0 };
        let block = blocks.entry(name).or_insert(fresh);
        if block.bucket != reply.place {
            *block = Block { used_before: block.used, ..fresh };
        }
        block.answer = answer;
        block.left = block.left.saturating_add(reply.granted - taken);
        block.used = block.used.saturating_add(taken);
        let valid_until_ns = answer.sent_ns.saturating_add(reply.valid_us * 1_000);
        block.valid_until_ns = block.valid_until_ns.max(valid_until_ns);
    }

    pub(crate) fn sweep(&self, now_ns: u64) {
        self.0.lock().retain(|_, block| now_ns < block.valid_until_ns.saturating_add(KEPT_NS));
    }
}

impl Block {
    /// What Redis has left, and what this replica has of it.
    fn remaining(&self) -> u32 {
        self.answer.remaining.saturating_add(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: RingName = RingName::Last;

    fn reply(granted: u32, bucket: u64) -> Reply {
        Reply {
            granted,
            used: 0,
            next_us: 0,
            full_us: 0,
            now_us: 0,
            epoch_age_us: 0,
            epoch: 0,
            place: bucket,
            valid_us: 400,
        }
    }

    fn put(blocks: &Blocks, granted: u32, bucket: u64, waiting: u32, sent_ns: u64) {
        let reply = reply(granted, bucket);
        blocks.put(NAME, &reply, waiting, reply.answer(true, 100_000, granted, (sent_ns, sent_ns)));
    }

    #[test]
    fn a_block_is_used_until_it_is_over_and_the_rest_is_given_back() {
        let blocks = Blocks::default();
        assert_eq!(blocks.wish(NAME, 3, 1, 0), Wish { units: 3, unused: 0, earlier: 0 });
        put(&blocks, 10, 7, 3, 1_000);
        let remaining: Vec<u32> =
            (0..2).map(|_| blocks.take(NAME, 100_000, 1_000).unwrap().remaining).collect();
        assert_eq!(remaining, [99_996, 99_995]);
        assert!(blocks.take(NAME, 50_000, 1_000).is_none(), "the limit changed");
        assert!(blocks.take(NAME, 100_000, 401_000).is_none(), "it is over, counted from the call");
        assert_eq!(blocks.wish(NAME, 1, 1, 401_000), Wish { units: 6, unused: 5, earlier: 7 });
        assert_eq!(blocks.wish(NAME, 1, 1, 401_000).unused, 0, "nothing is given back twice");
    }

    #[test]
    fn blocks_shrink_as_the_quota_ends() {
        let blocks = Blocks::default();
        put(&blocks, 99_000, 7, 99_000, 1_000);
        let wish = |replicas| blocks.wish(NAME, 1, replicas, 2_000).units;
        assert_eq!((wish(1), wish(3), wish(1_000)), (250, 83, 1));
    }

    const WINDOW_US: u64 = 60_000_000;

    /// The rule of `block.lua`, written down once more.
    #[derive(Default)]
    struct Granted(std::collections::BTreeMap<u64, u32>);

    impl Granted {
        fn ask(&mut self, wish: Wish, limit: u32, now_us: u64) -> Reply {
            if let Some(units) = self.0.get_mut(&wish.earlier) {
                *units -= wish.unused;
            }
            self.0.retain(|bucket, _| (bucket + 1) * BUCKET_US + WINDOW_US > now_us);
            let used: u32 = self.0.values().sum();
            let (granted, bucket) = (wish.units.min(limit - used), now_us / BUCKET_US);
            *self.0.entry(bucket).or_default() += granted;
            let valid_us = (bucket + 1) * BUCKET_US - now_us;
            Reply { granted, used, now_us, valid_us, ..reply(granted, bucket) }
        }
    }

    #[test]
    fn a_replica_that_asks_for_more_than_there_is_gets_nearly_all_of_it() {
        const LIMIT: u32 = 20_000;
        let (mut redis, replicas, mut admitted) =
            (Granted::default(), [Blocks::default(), Blocks::default()], 0);
        // One and a half times the limit, dealt to two replicas; the first two windows are for getting there.
        for step in 0..5 * 30_000u64 {
            let now_us = step * 2_000;
            let blocks = &replicas[(step * 7 / 5 % 2) as usize];
            let is_admitted = blocks.take(NAME, LIMIT, now_us * 1_000).is_some() || {
                let reply = redis.ask(blocks.wish(NAME, 1, 2, now_us * 1_000), LIMIT, now_us);
                let used = reply.used + reply.granted;
                blocks.put(
                    NAME,
                    &reply,
                    1,
                    reply.answer(true, LIMIT, used, (now_us * 1_000, now_us * 1_000)),
                );
                reply.granted > 0
            };
            admitted += u32::from(is_admitted && step >= 2 * 30_000);
        }
        assert!((3 * (LIMIT - LIMIT / 100)..=3 * LIMIT).contains(&admitted), "{admitted}");
    }
}
