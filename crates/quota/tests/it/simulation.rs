//! The rules of an outage, simulated without a clock or a server: replicas that decide as [`Breaker`] says, beside a Redis
//! that is reachable, cut off, away or emptied, in any order.

use lastro_access::{Ring, Share};
use lastro_quota::breaker::{Breaker, Decider};
use proptest::prelude::*;

use crate::replica::most_in_a_window;

const WINDOW: u64 = 60_000;
const REPLICAS: usize = 3;

#[derive(Debug, Clone, Copy)]
enum Event {
    /// Requests at one replica, so far apart.
    Requests(usize, u32, u64),
    Away,
    Back,
    BackEmpty,
    Quiet(u64),
    /// Redis evicts the ring, and nothing else.
    Evicted,
}

fn any_eviction() -> impl Strategy<Value = Event> {
    prop_oneof![any_event(), Just(Event::Evicted), Just(Event::Evicted)]
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (0..REPLICAS, 1u32..40, 0u64..400).prop_map(|(who, many, apart)| Event::Requests(who, many, apart)),
        1 => Just(Event::Away),
        1 => Just(Event::Back),
        1 => Just(Event::BackEmpty),
        4 => (1u64..40_000).prop_map(Event::Quiet),
    ]
}

struct World {
    now: u64,
    limit: u32,
    redis: Ring,
    epoch: u64,
    is_there: bool,
    replicas: Vec<(Breaker, Ring, Share)>,
    admitted: Vec<u64>,
    admitted_by: [Vec<u64>; REPLICAS],
    /// The number of admissions before Redis, or its data, was last lost. An instant would be ambiguous: a request and the
    /// loss may share it.
    before_loss: usize,
}

impl World {
    fn new(limit: u32) -> Self {
        let replica = |rank| {
            let mut breaker = Breaker::default();
            breaker.replied(10 * WINDOW, 0);
            (breaker, Ring::new(), Share::new(REPLICAS as u32, rank as u32))
        };
        Self {
            now: 20 * WINDOW,
            limit,
            redis: Ring::new(),
            epoch: 0,
            is_there: true,
            replicas: (0..REPLICAS).map(replica).collect(),
            admitted: Vec::new(),
            admitted_by: Default::default(),
            before_loss: 0,
        }
    }

    /// The probes of all replicas.
    fn probe(&mut self) {
        for (breaker, ..) in &mut self.replicas {
            if self.is_there {
                breaker.replied(self.now - self.epoch, self.now);
            } else {
                breaker.disconnected();
            }
        }
    }

    fn live_through(&mut self, event: Event) {
        match event {
            Event::Requests(who, many, apart) => {
                for _ in 0..many {
                    self.now += apart;
                    self.probe();
                    self.request(who);
                }
            }
            Event::Quiet(time) => self.now += time,
            Event::Away if self.is_there => {
                (self.is_there, self.before_loss) = (false, self.admitted.len());
            }
            Event::Back => self.is_there = true,
            Event::BackEmpty => {
                if self.is_there {
                    self.before_loss = self.admitted.len();
                }
                (self.is_there, self.epoch) = (true, self.now);
                self.redis = Ring::new();
            }
            Event::Evicted => self.redis = Ring::new(),
            Event::Away => {}
        }
        self.probe();
    }

    fn request(&mut self, who: usize) {
        let (limit, now) = (self.limit, self.now);
        let (breaker, own, share) = &mut self.replicas[who];
        let is_admitted = match breaker.decider(WINDOW, now) {
            Decider::Redis => {
                self.redis.take(limit, WINDOW, now).admitted && own.record(limit, WINDOW, now).admitted
            }
            Decider::Share => own.take(share.of(limit), WINDOW, now).admitted,
            Decider::Both => {
                let reserved = own.take(share.of(limit), WINDOW, now).admitted;
                let both = reserved && self.redis.take(limit, WINDOW, now).admitted;
                if reserved && !both {
                    own.give_back(share.of(limit), WINDOW, now);
                }
                both
            }
        };
        if is_admitted {
            self.admitted.push(now);
            self.admitted_by[who].push(now);
        }
    }

    fn check(&self) {
        let limit = self.limit as usize;
        assert!(most_in_a_window(self.admitted.clone(), WINDOW) < 2 * limit, "more than twice the limit");
        // The outage, the return, and the time after it.
        let after = self.admitted[self.before_loss..].to_vec();
        assert!(most_in_a_window(after, WINDOW) <= limit, "more than the limit after the loss");
    }
}

#[test]
fn whatever_happens_to_redis_the_bounds_hold() {
    let config = ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(limit in prop::sample::select(vec![3u32, 30, 100]), events in prop::collection::vec(any_event(), 10..80))| {
        let mut world = World::new(limit);
        for event in events {
            world.live_through(event);
        }
        world.check();
    });
}

#[test]
fn no_replica_passes_the_limit_however_often_rings_are_evicted() {
    let config = ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(limit in prop::sample::select(vec![3u32, 30, 100]), events in prop::collection::vec(any_eviction(), 10..80))| {
        let mut world = World::new(limit);
        for event in events {
            world.live_through(event);
        }
        for admitted in world.admitted_by {
            // Units about to leave the window no longer count, because clocks differ.
            prop_assert!(most_in_a_window(admitted, WINDOW - WINDOW / 60) <= limit as usize);
        }
    });
}
