//! The last reply for each ring, so that Redis is not asked for what cannot have changed.
//!
//! A full ring stays full until its oldest unit expires: until then its refusals are answered from here, which keeps floods
//! away from Redis. Requests that only read the quota are answered from here for a second, and those with a high limit from
//! a block.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};

use lastro_access::EXACT_LIMIT;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::block::{BUCKET_US, Block, BlockRequest};
use crate::names::RingName;
use crate::reply::Reply;

const SHARDS: usize = 64;
/// Rings kept in each shard. For others Redis is asked each time.
const MOST_IN_SHARD: usize = 4_096;
/// Time a reply answers requests that only read the quota.
const FRESH_NS: u64 = 1_000_000_000;
/// A refusal is not kept longer, because units may be given back before they expire.
const LONGEST_REFUSAL_US: u64 = 1_000_000;
/// An unused block is kept so long, for its size.
const BLOCK_KEPT_NS: u64 = 10_000_000_000;

#[derive(Debug)]
pub(crate) struct KnownRings {
    shards: Box<[Mutex<HashMap<RingName, Known>>]>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Known {
    reply: Reply,
    block: Option<Box<Block>>,
}

impl KnownRings {
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// Keeps a reply, and the units of a block that the request itself does not want. Returns the state for the
    /// request.
    pub(crate) fn put(&self, name: RingName, reply: Reply, wanted: u32) -> Reply {
        let mut shard = self.shard(name).lock();
        let has_room = shard.len() < MOST_IN_SHARD;
        let known = match shard.entry(name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) if has_room => place.insert(Known { reply, block: None }),
            Entry::Vacant(_) => return reply,
        };
        // Replies may overtake each other: that of the later call stays.
        if known.reply.sent_ns <= reply.sent_ns {
            known.reply = reply;
        }
        if reply.limit <= EXACT_LIMIT {
            return reply;
        }
        let block = known.block.get_or_insert_default();
        block.put(&reply, wanted);
        Reply { remaining: reply.remaining.saturating_add(block.left), ..reply }
    }

    /// The refusal that Redis would return now, if that is certain.
    pub(crate) fn refusal(&self, name: RingName, limit: u32, now_ns: u64) -> Option<Reply> {
        let reply = self.find(name, limit)?.reply;
        (now_ns < reply.refused_until_ns()?).then_some(Reply { granted: 0, ..reply })
    }

    /// A reply of the last second.
    pub(crate) fn fresh(&self, name: RingName, limit: u32, now_ns: u64) -> Option<Reply> {
        Some(self.find(name, limit)?.reply).filter(|reply| reply.is_fresh(now_ns))
    }

    /// A unit of a block.
    pub(crate) fn unit(&self, name: RingName, limit: u32, now_ns: u64) -> Option<Reply> {
        let mut known = self.find(name, limit)?;
        let Known { reply, block } = &mut *known;
        let block = block.as_mut()?;
        let is_taken = block.take(now_ns);
        is_taken.then(|| Reply {
            granted: 1,
            remaining: reply.remaining.saturating_add(block.left),
            ..*reply
        })
    }

    pub(crate) fn block_request(
        &self,
        name: RingName,
        wanted: u32,
        replicas: u32,
        times: (u64, u64),
    ) -> BlockRequest {
        match self.shard(name).lock().get_mut(&name) {
            Some(Known { reply, block: Some(block) }) => {
                block.request(wanted, reply.remaining, replicas, times)
            }
            _ => BlockRequest { units: wanted, ..BlockRequest::default() },
        }
    }

    /// Returns a unit to its block.
    pub(crate) fn give_back(&self, name: RingName) {
        if let Some(Known { block: Some(block), .. }) = self.shard(name).lock().get_mut(&name) {
            block.give_back();
        }
    }

    pub(crate) fn forget(&self, name: RingName) {
        self.shard(name).lock().remove(&name);
    }

    pub(crate) fn sweep(&self, now_ns: u64) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            shard.retain(|_, known| known.is_useful(now_ns));
            if shard.len() < shard.capacity() / 4 {
                let length = shard.len();
                shard.shrink_to(length * 2);
            }
        }
    }

    /// A reply for another limit says nothing.
    fn find(&self, name: RingName, limit: u32) -> Option<MappedMutexGuard<'_, Known>> {
        let known = MutexGuard::try_map(self.shard(name).lock(), |shard| shard.get_mut(&name)).ok()?;
        (known.reply.limit == limit).then_some(known)
    }

    fn shard(&self, name: RingName) -> &Mutex<HashMap<RingName, Known>> {
        &self.shards[self.hasher.hash_one(name) as usize % SHARDS]
    }
}

impl Known {
    fn is_useful(&self, now_ns: u64) -> bool {
        let has_block = |block: &Block| now_ns < block.valid_until_ns.saturating_add(BLOCK_KEPT_NS);
        self.reply.is_fresh(now_ns)
            || self.reply.refused_until_ns().is_some_and(|until| now_ns < until)
            || self.block.as_deref().is_some_and(has_block)
    }
}

impl Reply {
    /// Counted from the call and not from its reply, so that it ends early rather than late.
    fn refused_until_ns(&self) -> Option<u64> {
        let longest_us = if self.limit > EXACT_LIMIT { BUCKET_US } else { LONGEST_REFUSAL_US };
        (self.remaining == 0).then(|| self.sent_ns.saturating_add(self.next_us.min(longest_us) * 1_000))
    }

    fn is_fresh(&self, now_ns: u64) -> bool {
        now_ns.saturating_sub(self.heard_ns) < FRESH_NS
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn name(bits: u32) -> RingName {
        RingName::Address(IpAddr::from(Ipv4Addr::from_bits(bits)).into())
    }

    fn reply(remaining: i64, sent_ns: u64, next_us: i64) -> Reply {
        let numbers = [0, 0, 0, 1, 29 - remaining, next_us, 0, 0];
        Reply::read(&numbers, 0, 30, 1, (sent_ns, sent_ns + 10)).unwrap()
    }

    #[test]
    fn a_refusal_holds_until_the_next_unit() {
        let known = KnownRings::new();
        known.put(name(1), reply(0, 1_000, 5), 1);
        assert!(known.refusal(name(1), 30, 5_999).is_some_and(|refusal| refusal.granted == 0));
        assert!(known.refusal(name(1), 30, 6_000).is_none());
        assert!(known.refusal(name(1), 31, 2_000).is_none(), "the limit changed");
        known.put(name(1), reply(3, 900, 5), 1);
        assert!(known.refusal(name(1), 30, 2_000).is_some(), "an earlier call changes nothing");
        known.put(name(1), reply(3, 1_100, 5), 1);
        assert!(known.refusal(name(1), 30, 2_000).is_none());
        assert!(known.fresh(name(1), 30, FRESH_NS + 1_109).is_some());
        assert!(known.fresh(name(1), 30, FRESH_NS + 1_110).is_none());
    }

    #[test]
    fn memory_is_bounded_and_released() {
        let known = KnownRings::new();
        let held = || known.shards.iter().map(|shard| shard.lock().len()).sum::<usize>();
        for bits in 0..400_000 {
            known.put(name(bits), reply(0, 0, 1_000_000), 1);
        }
        assert!(held() <= SHARDS * MOST_IN_SHARD);
        known.sweep(2 * FRESH_NS);
        assert_eq!(held(), 0);
    }
}
