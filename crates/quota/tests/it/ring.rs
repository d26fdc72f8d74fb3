//! `ring.lua` beside the ring of `access`: whatever happens to both, they say the same.

use std::cell::{Cell, RefCell};

use lastro_access::{Ring, Verdict};
use proptest::prelude::*;
use redis::{Connection, Script};

use crate::server::Redis;

const WINDOW_US: u64 = 60_000_000;
const WINDOW_NS: u64 = WINDOW_US * 1_000;
/// A time of day as Redis shows it: sixteen digits.
const START_US: u64 = 1_793_620_800_123_456;

#[derive(Debug, Clone)]
enum Step {
    /// So many at once.
    Take(u32),
    Peek,
    /// The unit that was taken so many takes ago.
    GiveBack(usize),
    Forward(u64),
    Backward(u64),
    Limit(u32),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1u32..5).prop_map(Step::Take),
        1 => (50u32..1_500).prop_map(Step::Take),
        2 => Just(Step::Peek),
        2 => (0usize..6).prop_map(Step::GiveBack),
        4 => (1u64..20_000_000).prop_map(Step::Forward),
        1 => (WINDOW_US - 2..WINDOW_US + 3).prop_map(Step::Forward),
        2 => (1u64..5_000_000).prop_map(Step::Backward),
        2 => prop::sample::select(vec![0u32, 1, 2, 7, 30, 100, 2_000]).prop_map(Step::Limit),
    ]
}

/// Both rings, and what goes on.
struct Pair<'a> {
    connection: &'a mut Connection,
    script: &'a Script,
    key: String,
    epoch: String,
    ring: Ring,
    now_us: u64,
    limit: u32,
    taken: Vec<u64>,
}

/// What the script answers with.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    granted: u32,
    used: u32,
    next_us: u64,
    full_us: u64,
}

impl Pair<'_> {
    fn ask_script(&mut self, wanted: u32, given_back: u64) -> (Told, u64) {
        let numbers: Vec<i64> = self
            .script
            .key(&self.key)
            .key(&self.epoch)
            .arg(wanted)
            .arg(self.limit)
            .arg(WINDOW_US)
            .arg(given_back)
            .arg(self.now_us)
            .invoke(self.connection)
            .unwrap();
        let [granted, used, next_us, full_us, now_us, _, stamp, ..] = numbers[..] else {
            panic!("{numbers:?}")
        };
        assert_eq!(now_us as u64, self.now_us);
        let told = Told {
            granted: granted as u32,
            used: used as u32,
            next_us: next_us as u64,
            full_us: full_us as u64,
        };
        (told, stamp as u64)
    }

    fn ask_ring(&mut self, wanted: u32) -> Told {
        let now_ns = self.now_us * 1_000;
        let used = u32::MAX - self.ring.peek(u32::MAX, WINDOW_NS, now_ns).remaining;
        let granted =
            (0..wanted).filter(|_| self.ring.take(self.limit, WINDOW_NS, now_ns).admitted).count() as u32;
        let Verdict { next_ns, full_ns, .. } = self.ring.peek(self.limit, WINDOW_NS, now_ns);
        Told { granted, used, next_us: next_ns / 1_000, full_us: full_ns / 1_000 }
    }

    fn live_through(&mut self, step: &Step) {
        match *step {
            Step::Forward(us) => self.now_us += us,
            Step::Backward(us) => self.now_us -= us,
            Step::Limit(limit) => self.limit = limit,
            Step::Peek => self.take(0),
            Step::Take(wanted) => self.take(wanted),
            Step::GiveBack(ago) => {
                let Some(place) = self.taken.len().checked_sub(ago + 1) else { return };
                let at_us = self.taken.remove(place);
                self.ring.peek(self.limit, WINDOW_NS, self.now_us * 1_000);
                self.ring.give_back(self.limit, WINDOW_NS, at_us * 1_000);
                let (told, _) = self.ask_script(1, at_us);
                assert_eq!(told, self.ask_ring(0));
            }
        }
    }

    fn take(&mut self, wanted: u32) {
        let (told, stamp) = self.ask_script(wanted, 0);
        assert_eq!(told, self.ask_ring(wanted), "{wanted} of {} at {}", self.limit, self.now_us);
        self.taken.extend(std::iter::repeat_n(stamp, told.granted.min(3) as usize));
    }
}

#[test]
fn the_script_and_the_ring_say_the_same() {
    let redis = Redis::shared();
    let script = Script::new(concat!(
        include_str!("../../src/scripts/epoch.lua"),
        include_str!("../../src/scripts/ring.lua")
    ));
    let (connection, case) = (RefCell::new(redis.connect()), Cell::new(0));
    let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(any_step(), 20..80))| {
        case.set(case.get() + 1);
        let mut pair = Pair {
            connection: &mut connection.borrow_mut(),
            script: &script,
            key: format!("{}:{{{}}}", redis.prefix, case.get()),
            epoch: format!("{}:{{epoch}}", redis.prefix),
            ring: Ring::new(),
            now_us: START_US,
            limit: 30,
            taken: Vec::new(),
        };
        for step in &steps {
            pair.live_through(step);
        }
    });
}

#[test]
fn a_ring_in_redis_ends_when_its_last_unit_does() {
    let redis = Redis::shared();
    let (mut connection, script) = (
        redis.connect(),
        Script::new(concat!(
            include_str!("../../src/scripts/epoch.lua"),
            include_str!("../../src/scripts/ring.lua")
        )),
    );
    let (key, epoch) = (format!("{}:{{a}}", redis.prefix), format!("{}:{{epoch}}", redis.prefix));
    script
        .key(&key)
        .key(&epoch)
        .arg(5)
        .arg(30)
        .arg(WINDOW_US)
        .arg(0)
        .arg("")
        .invoke::<()>(&mut connection)
        .unwrap();
    let left_ms: i64 = redis::cmd("PTTL").arg(&key).query(&mut connection).unwrap();
    assert!((60_000..=61_000).contains(&left_ms), "{left_ms}");
    let epoch_left: i64 = redis::cmd("PTTL").arg(&epoch).query(&mut connection).unwrap();
    assert_eq!(epoch_left, -1, "the epoch stays");
}
