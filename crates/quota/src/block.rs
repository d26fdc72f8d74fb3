//! A block of units, for limits so high that a call for each request would be its most expensive part.
//!
//! A replica is granted units in a bucket of half a second and may use them until the bucket ends. Unused units go back
//! with the next call. `block.lua` counts a unit until a window after the end of its bucket, so the limit holds however
//! late a reply comes, and also if a replica dies with a block.

use crate::reply::Reply;

/// The length of a bucket.
pub(crate) const BUCKET_US: u64 = 500_000;

#[derive(Debug, Default)]
pub(crate) struct Block {
    bucket: u64,
    pub(crate) left: u32,
    used: u32,
    pub(crate) valid_until_ns: u64,
    /// Until when a call for the next block is pending. Meanwhile other requests ask for themselves alone.
    asked_until_ns: u64,
}

/// The arguments of a call for a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BlockRequest {
    pub(crate) units: u32,
    /// Units of an expired block that go back, and its bucket.
    pub(crate) unused: u32,
    pub(crate) earlier: u64,
}

impl Block {
    /// Takes a unit, if one is left and still valid.
    pub(crate) fn take(&mut self, now_ns: u64) -> bool {
        let has_unit = self.left > 0 && now_ns < self.valid_until_ns;
        if has_unit {
            self.left -= 1;
            self.used += 1;
        }
        has_unit
    }

    /// Returns the unit of a request that was rejected after all.
    pub(crate) fn give_back(&mut self) {
        if self.used > 0 {
            self.left += 1;
            self.used -= 1;
        }
    }

    /// The request to Redis, if the client itself wants `wanted` units and `remaining` are left in Redis.
    pub(crate) fn request(
        &mut self,
        wanted: u32,
        remaining: u32,
        replicas: u32,
        (now_ns, deadline_ns): (u64, u64),
    ) -> BlockRequest {
        if wanted == 0 || now_ns < self.asked_until_ns {
            return BlockRequest { units: wanted, ..BlockRequest::default() };
        }
        let expected = self.used.saturating_add(self.used / 4);
        // The nearer the limit, the smaller the blocks, so that few units lie unused at other replicas.
        let most = remaining.saturating_add(self.left) / replicas.max(1).saturating_mul(4);
        let is_over = now_ns >= self.valid_until_ns;
        let unused = if is_over { std::mem::take(&mut self.left) } else { 0 };
        let units = expected.min(most).max(wanted);
        if units > wanted {
            self.asked_until_ns = deadline_ns;
        }
        BlockRequest { units, unused, earlier: self.bucket }
    }

    /// Keeps the granted units that the request itself does not want.
    pub(crate) fn put(&mut self, reply: &Reply, wanted: u32) {
        if self.bucket != reply.place {
            *self = Self { bucket: reply.place, asked_until_ns: self.asked_until_ns, ..Self::default() };
        }
        let taken = reply.granted.min(wanted);
        if reply.granted > taken {
            self.asked_until_ns = 0;
        }
        self.left = self.left.saturating_add(reply.granted - taken);
        self.used = self.used.saturating_add(taken);
        // Counted from the call, so that no unit is used after the bucket has ended in Redis.
        self.valid_until_ns = reply.sent_ns.saturating_add(reply.valid_us * 1_000);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The reply to a call at this time.
    fn reply(granted: u32, bucket: u64, valid_us: u64, now_ns: u64) -> Reply {
        let numbers = [0, 0, 0, granted.into(), 0, 0, 0, bucket as i64, valid_us as i64];
        Reply::read(&numbers, 0, 100_000, granted, (now_ns, now_ns)).unwrap()
    }

    #[test]
    fn a_block_is_used_until_it_expires() {
        let mut block = Block::default();
        block.put(&reply(10, 7, 400, 1_000), 3);
        assert!(block.take(1_000) && block.take(400_999));
        assert!(!block.take(401_000), "counted from the call");
        let mut request = || block.request(1, 90_000, 1, (401_000, 401_000));
        assert_eq!(request(), BlockRequest { units: 6, unused: 5, earlier: 7 });
        assert_eq!(request().unused, 0, "nothing is given back twice");
    }

    #[test]
    fn one_request_at_a_time_asks_for_a_block() {
        let mut block = Block::default();
        block.put(&reply(40, 7, 400, 0), 40);
        let mut units = |now_ns| block.request(1, 90_000, 1, (now_ns, now_ns + 50)).units;
        assert_eq!((units(1), units(2), units(51)), (50, 1, 50));
        block.put(&reply(1, 7, 400, 2), 1);
        assert_eq!(block.request(1, 90_000, 1, (52, 52)).units, 1, "the reply to another request");
        block.put(&reply(50, 7, 400, 1), 1);
        assert_eq!(block.request(1, 90_000, 1, (52, 52)).units, 52, "the call was answered");
    }

    #[test]
    fn blocks_shrink_as_the_quota_ends() {
        let mut block = Block::default();
        block.put(&reply(99_000, 7, 400, 0), 99_000);
        let mut units = |replicas| block.request(1, 1_000, replicas, (1, 1)).units;
        assert_eq!((units(1), units(3), units(1_000)), (250, 83, 1));
    }

    /// The rule of `block.lua`: units by bucket.
    #[derive(Default)]
    struct Granted(BTreeMap<u64, u32>);

    impl Granted {
        fn grant(&mut self, request: BlockRequest, limit: u32, now_us: u64) -> (Reply, u32) {
            if let Some(units) = self.0.get_mut(&request.earlier) {
                *units -= request.unused;
            }
            self.0.retain(|bucket, _| (bucket + 1) * BUCKET_US + 60_000_000 > now_us);
            let used: u32 = self.0.values().sum();
            let (granted, bucket) = (request.units.min(limit - used), now_us / BUCKET_US);
            *self.0.entry(bucket).or_default() += granted;
            let valid_us = (bucket + 1) * BUCKET_US - now_us;
            (reply(granted, bucket, valid_us, now_us * 1_000), limit - used - granted)
        }
    }

    #[test]
    fn two_busy_replicas_use_nearly_the_whole_limit() {
        const LIMIT: u32 = 20_000;
        let (mut redis, mut replicas, mut admitted) = (Granted::default(), <[(Block, u32); 2]>::default(), 0);
        // One and a half times the limit, dealt to two replicas; the first two windows are for getting there.
        for step in 0..5 * 30_000u64 {
            let (now_us, now_ns) = (step * 2_000, step * 2_000_000);
            let (block, remaining) = &mut replicas[(step * 7 / 5 % 2) as usize];
            let is_admitted = block.take(now_ns) || {
                let request = block.request(1, *remaining, 2, (now_ns, now_ns));
                let (reply, left) = redis.grant(request, LIMIT, now_us);
                *remaining = left;
                block.put(&reply, 1);
                reply.granted > 0
            };
            admitted += u32::from(is_admitted && step >= 2 * 30_000);
        }
        assert!((3 * (LIMIT - LIMIT / 100)..=3 * LIMIT).contains(&admitted), "{admitted}");
    }
}
