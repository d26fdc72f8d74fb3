//! What Redis said last of each ring, so that it is not asked twice for what cannot have changed.
//!
//! A full ring stays full until its oldest unit expires, whoever asks: until then a refusal is answered from here, which
//! keeps floods away from Redis. Questions that consume nothing are answered from here for a second. And whoever asks for more
//! says what is known, so that Redis has less to look for.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use lastro_access::EXACT_LIMIT;
use parking_lot::Mutex;

use crate::answer::Answer;
use crate::names::RingName;
use crate::question::Known;

const SHARDS: usize = 64;
/// Rings that are remembered in each shard; beyond it Redis is asked.
const MOST_IN_SHARD: usize = 4_096;
/// For how long a question that consumes nothing is answered from here.
const FRESH_NS: u64 = 1_000_000_000;

#[derive(Debug)]
pub(crate) struct Notes {
    shards: Box<[Mutex<Shard>]>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Shard {
    notes: HashMap<RingName, Answer>,
    /// A full shard looks for what is of no use any more at most once a second: a flood does not pay for it at each step.
    next_search_ns: u64,
}

impl Shard {
    fn has_room(&mut self, now_ns: u64) -> bool {
        if self.notes.len() >= MOST_IN_SHARD && now_ns >= self.next_search_ns {
            self.next_search_ns = now_ns.saturating_add(FRESH_NS);
            self.notes.retain(|_, note| is_of_use(note, now_ns));
        }
        self.notes.len() < MOST_IN_SHARD
    }
}

impl Notes {
    pub(crate) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, hasher: RandomState::new() }
    }

    /// What was heard of a ring. An answer that was sent for earlier than what is known tells nothing new.
    pub(crate) fn write(&self, name: RingName, answer: Answer) {
        let mut shard = self.shard(name).lock();
        if !shard.notes.contains_key(&name) && !shard.has_room(answer.heard_ns) {
            return;
        }
        let known = shard.notes.entry(name).or_insert(answer);
        if known.sent_ns <= answer.sent_ns {
            *known = answer;
        }
    }

    /// The refusal that Redis would give now, if that is certain. A note of another limit says nothing.
    pub(crate) fn closed(&self, name: RingName, limit: u32, now_ns: u64) -> Option<Answer> {
        let shard = self.shard(name).lock();
        let note = shard.notes.get(&name).filter(|note| note.limit == limit)?;
        (now_ns < note.closed_until_ns()?).then_some(Answer { is_admitted: false, ..*note })
    }

    /// What was heard within the last second.
    pub(crate) fn fresh(&self, name: RingName, limit: u32, now_ns: u64) -> Option<Answer> {
        let shard = self.shard(name).lock();
        shard.notes.get(&name).filter(|note| note.limit == limit && is_fresh(note, now_ns)).copied()
    }

    /// What was heard of a ring's instants through a connection that was made then. Behind another there may be another Redis;
    /// and what was told of a block is no instant of a ring.
    pub(crate) fn known(&self, name: RingName, window_us: u64, connected_ns: u64) -> Known {
        let shard = self.shard(name).lock();
        let is_of_ring = |note: &&Answer| note.limit <= EXACT_LIMIT && note.sent_ns >= connected_ns;
        let note = shard.notes.get(&name).filter(is_of_ring);
        note.map_or_else(Known::default, |note| note.known(window_us))
    }

    pub(crate) fn forget(&self, name: RingName) {
        self.shard(name).lock().notes.remove(&name);
    }

    pub(crate) fn sweep(&self, now_ns: u64) {
        for shard in &self.shards {
            let notes = &mut shard.lock().notes;
            notes.retain(|_, note| is_of_use(note, now_ns));
            if notes.len() < notes.capacity() / 4 {
                notes.shrink_to(notes.len() * 2);
            }
        }
    }

    fn shard(&self, name: RingName) -> &Mutex<Shard> {
        &self.shards[self.hasher.hash_one(name) as usize % SHARDS]
    }
}

fn is_fresh(note: &Answer, now_ns: u64) -> bool {
    now_ns.saturating_sub(note.heard_ns) < FRESH_NS
}

fn is_of_use(note: &Answer, now_ns: u64) -> bool {
    is_fresh(note, now_ns) || note.closed_until_ns().is_some_and(|until| now_ns < until)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn name(bits: u32) -> RingName {
        RingName::Address(IpAddr::from(Ipv4Addr::from_bits(bits)).into())
    }

    fn answer(remaining: u32, sent_ns: u64, next_us: u64) -> Answer {
        Answer {
            is_admitted: true,
            limit: 30,
            remaining,
            next_us,
            now_us: 0,
            full_at_us: 0,
            at_us: 0,
            epoch_age_us: 0,
            sent_ns,
            heard_ns: sent_ns + 10,
        }
    }

    #[test]
    fn a_full_ring_is_closed_until_its_next_unit_counted_from_the_call() {
        let notes = Notes::new();
        notes.write(name(1), answer(0, 1_000, 5));
        assert!(notes.closed(name(1), 30, 5_999).is_some_and(|refusal| !refusal.is_admitted));
        assert!(notes.closed(name(1), 30, 6_000).is_none());
        assert!(notes.closed(name(1), 31, 2_000).is_none(), "the limit changed");
        notes.write(name(1), answer(3, 900, 5));
        assert!(notes.closed(name(1), 30, 2_000).is_some(), "an older answer changes nothing");
        notes.write(name(1), answer(3, 1_100, 5));
        assert!(notes.closed(name(1), 30, 2_000).is_none());
        assert!(notes.fresh(name(1), 30, FRESH_NS + 1_109).is_some());
        assert!(notes.fresh(name(1), 30, FRESH_NS + 1_110).is_none());
    }

    #[test]
    fn what_is_known_of_a_ring_is_what_was_heard_through_the_present_connection() {
        let notes = Notes::new();
        let heard = Answer { now_us: 1_000, at_us: 990, ..answer(3, 500, 40) };
        notes.write(name(1), heard);
        assert_eq!(notes.known(name(1), 60, 500), Known { oldest_us: 980, granted_us: 990 });
        assert_eq!(notes.known(name(1), 60, 501), Known::default());
        assert_eq!(notes.known(name(2), 60, 500), Known::default());
        notes.write(name(2), Answer { limit: EXACT_LIMIT + 1, ..heard });
        assert_eq!(notes.known(name(2), 60, 500), Known::default(), "of a block");
        // The next unit is not the oldest where more are used than the limit allows, nor where there is none.
        for remaining in [0, 30] {
            notes.write(name(1), Answer { remaining, is_admitted: false, ..heard });
            assert_eq!(notes.known(name(1), 60, 500), Known::default());
        }
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let notes = Notes::new();
        let held = |notes: &Notes| notes.shards.iter().map(|shard| shard.lock().notes.len()).sum::<usize>();
        for bits in 0..400_000 {
            notes.write(name(bits), answer(0, 0, 1_000_000));
        }
        assert!(held(&notes) <= SHARDS * MOST_IN_SHARD);
        notes.sweep(2 * FRESH_NS);
        assert_eq!(held(&notes), 0);
    }
}
