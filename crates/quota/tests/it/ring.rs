//! `ring.lua` beside the ring of `access`: whatever happens to both, they give the same verdicts.

use std::cell::{Cell, RefCell};

use lastro_access::{Ring, Verdict};
use proptest::prelude::*;
use redis::{Connection, Script};

use crate::server::Redis;

const MINUTE_US: u64 = 60_000_000;
/// A time of day as Redis shows it: sixteen digits.
const START_US: u64 = 1_793_620_800_123_456;
const WINDOWS_US: [u64; 3] = [MINUTE_US, 60 * MINUTE_US, 1_500_001];

#[derive(Debug, Clone)]
enum Step {
    /// Takes so many units, one after the other.
    Take(usize),
    Peek,
    /// Gives back the unit taken so many takes ago.
    GiveBack(usize),
    Forward(u64),
    Backward(u64),
    Limit(u32),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (1usize..5).prop_map(Step::Take),
        1 => (50usize..300).prop_map(Step::Take),
        3 => Just(Step::Peek),
        3 => (0usize..6).prop_map(Step::GiveBack),
        4 => (1u64..20_000_000).prop_map(Step::Forward),
        1 => (MINUTE_US - 2..MINUTE_US + 3).prop_map(Step::Forward),
        2 => (1u64..5_000_000).prop_map(Step::Backward),
        2 => prop::sample::select(vec![0u32, 1, 2, 7, 30, 100, 2_000]).prop_map(Step::Limit),
    ]
}

/// The part of a reply that both rings know.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    granted: u32,
    used: u32,
    next_us: u64,
    full_us: u64,
}

/// A ring here, and its key in Redis.
struct Pair<'a> {
    connection: &'a mut Connection,
    script: Script,
    key: String,
    epoch_key: String,
    ring: Ring,
    window_us: u64,
    limit: u32,
    /// By the clock of the test; `None` for Redis' own.
    now_us: Option<u64>,
    /// Instants of units that can be given back.
    taken: Vec<u64>,
}

impl<'a> Pair<'a> {
    fn new(redis: &Redis, connection: &'a mut Connection, name: &str, window_us: u64) -> Self {
        let script = Script::new(concat!(
            include_str!("../../src/scripts/common.lua"),
            include_str!("../../src/scripts/ring.lua")
        ));
        let (key, epoch_key) =
            (format!("{}:{{{name}}}", redis.prefix), format!("{}:{{epoch}}", redis.prefix));
        let (ring, now_us) = (Ring::new(), Some(START_US));
        Self { connection, script, key, epoch_key, ring, window_us, limit: 30, now_us, taken: Vec::new() }
    }

    /// Calls the script once, with one entry for each number of units. Returns the instants of the units too.
    fn call(&mut self, key: &str, wanted: &[u32]) -> Vec<(Told, u64)> {
        let mut call = self.script.prepare_invoke();
        for wanted in wanted {
            call.key(key).arg(*wanted).arg(self.limit).arg(self.window_us);
        }
        let numbers: Vec<i64> =
            call.key(&self.epoch_key).arg(-1).arg(self.now_us).invoke(self.connection).unwrap();
        assert!(self.now_us.is_none_or(|now_us| now_us == numbers[0] as u64));
        let read = |ring: &[i64]| {
            let &[granted, used, next, full, stamp] = ring else { panic!("{ring:?}") };
            let (next_us, full_us) = (next as u64, full as u64);
            (Told { granted: granted as u32, used: used as u32, next_us, full_us }, stamp as u64)
        };
        numbers[3..].chunks(5).map(read).collect()
    }

    fn take(&mut self, wanted: &[u32]) -> Vec<Told> {
        let replies = self.call(&self.key.clone(), wanted);
        let granted = replies.iter().filter(|(told, _)| told.granted == 1);
        self.taken.extend(granted.map(|(_, stamp)| *stamp));
        replies.into_iter().map(|(told, _)| told).collect()
    }

    /// The verdict of the ring of `access`.
    fn expected(&mut self, wanted: u32) -> Told {
        let (limit, window_ns, now_ns) = (self.limit, self.window_us * 1_000, self.now_us.unwrap() * 1_000);
        let used = u32::MAX - self.ring.peek(u32::MAX, window_ns, now_ns).remaining;
        let granted = wanted > 0 && self.ring.take(limit, window_ns, now_ns).admitted;
        let Verdict { next_ns, full_ns, .. } = self.ring.peek(limit, window_ns, now_ns);
        Told { granted: granted.into(), used, next_us: next_ns / 1_000, full_us: full_ns / 1_000 }
    }

    /// The key of the same ring, asked about by one call after the other.
    fn alone(&self) -> String {
        format!("{}:alone", self.key)
    }

    fn compare(&mut self, wanted: &[u32]) {
        let together = self.take(wanted);
        let alone =
            wanted.iter().flat_map(|wanted| self.call(&self.alone(), &[*wanted])).map(|(told, _)| told);
        assert_eq!(together, alone.collect::<Vec<_>>(), "in one call, and one after the other");
        let expected: Vec<Told> = wanted.iter().map(|wanted| self.expected(*wanted)).collect();
        assert_eq!(together, expected, "at {:?} with a limit of {}", self.now_us, self.limit);
    }

    fn give_back(&mut self, ago: usize) {
        let Some(place) = self.taken.len().checked_sub(ago + 1) else { return };
        let stamp = self.taken.remove(place);
        for key in [self.key.clone(), self.alone()] {
            redis::cmd("LREM").arg(key).arg(-1).arg(stamp).exec(self.connection).unwrap();
        }
        self.ring.give_back(self.limit, self.window_us * 1_000, stamp * 1_000);
    }

    fn live_through(&mut self, step: &Step) {
        let now_us = self.now_us.unwrap();
        match step {
            Step::Forward(us) => self.now_us = Some(now_us + us),
            Step::Backward(us) => self.now_us = Some(now_us - us),
            Step::Limit(limit) => self.limit = *limit,
            Step::Take(units) => self.compare(&vec![1; *units]),
            Step::Peek => self.compare(&[0]),
            Step::GiveBack(ago) => {
                self.compare(&[0]);
                self.taken.retain(|taken| taken + self.window_us > now_us);
                self.give_back(*ago);
                self.compare(&[0]);
            }
        }
        // A unit that has left the window is gone for good, even if the clock goes back.
        self.taken.retain(|taken| taken + self.window_us > now_us);
    }

    /// When the ring expires in Redis, in milliseconds from now.
    fn left_ms(&mut self) -> i64 {
        redis::cmd("PTTL").arg(&self.key).query(self.connection).unwrap()
    }
}

#[test]
fn the_script_and_the_ring_give_the_same_verdicts() {
    let redis = Redis::shared();
    let (connection, case) = (RefCell::new(redis.connect()), Cell::new(0));
    let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
    let any_window = prop::sample::select(WINDOWS_US.to_vec());
    proptest!(config, |(window_us in any_window, steps in prop::collection::vec(any_step(), 20..80))| {
        case.set(case.get() + 1);
        let mut connection = connection.borrow_mut();
        let mut pair = Pair::new(&redis, &mut connection, &case.get().to_string(), window_us);
        steps.iter().for_each(|step| pair.live_through(step));
    });
}

#[test]
fn a_ring_expires_soon_after_its_last_unit() {
    let redis = Redis::shared();
    let mut connection = redis.connect();
    let mut pair = Pair::new(&redis, &mut connection, "a", MINUTE_US);
    pair.now_us = None;
    for _ in 0..2 {
        pair.take(&[1]);
        // A window, the rest of its eighth, and a second.
        let left_ms = pair.left_ms();
        assert!((60_000..=68_501).contains(&left_ms), "{left_ms}");
    }
    let epoch_left_ms: i64 = redis::cmd("PTTL").arg(&pair.epoch_key).query(pair.connection).unwrap();
    assert_eq!(epoch_left_ms, -1, "the epoch stays");
}

#[test]
fn no_ring_expires_before_its_last_unit() {
    let redis = Redis::shared();
    let (connection, case) = (RefCell::new(redis.connect()), Cell::new(0));
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
    let steps = prop::collection::vec((0u32..3, 0usize..6, -5_000_000i64..20_000_000), 10..60);
    proptest!(config, |(steps in steps)| {
        case.set(case.get() + 1);
        let mut connection = connection.borrow_mut();
        let mut pair = Pair::new(&redis, &mut connection, &format!("e{}", case.get()), MINUTE_US);
        // By the clock of the test: the expiry that the script set last.
        let (mut now_us, mut expires_us) = (START_US, 0);
        for (wanted, ago, later_us) in steps {
            now_us = now_us.strict_add_signed(later_us);
            pair.now_us = Some(now_us);
            redis::cmd("PERSIST").arg(&pair.key).exec(pair.connection).unwrap();
            if wanted == 2 {
                pair.give_back(ago);
            }
            let told = pair.take(&[u32::from(wanted > 0)]).remove(0);
            let left_ms = pair.left_ms();
            if left_ms >= 0 {
                expires_us = now_us + (left_ms as u64 + 1) * 1_000;
            }
            prop_assert!(left_ms == -2 || expires_us > now_us + told.full_us, "{told:?} {left_ms} ms");
        }
    });
}
