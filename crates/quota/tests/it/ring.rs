//! `ring.lua` beside the ring of `access`: whatever happens to both, they say the same, be it asked about one ring or many,
//! and whatever the caller remembers.

use std::cell::{Cell, RefCell};

use lastro_access::{Ring, Verdict};
use proptest::prelude::*;
use redis::{Connection, Script};

use crate::server::Redis;

const MINUTE_US: u64 = 60_000_000;
const HOUR_US: u64 = 60 * MINUTE_US;
/// A time of day as Redis shows it: sixteen digits.
const START_US: u64 = 1_793_620_800_123_456;
/// The windows of the rings that are asked about together.
const WINDOWS_US: [u64; 5] = [MINUTE_US, MINUTE_US, MINUTE_US, HOUR_US, 1_500_001];

#[derive(Debug, Clone)]
enum Step {
    /// What one of the callers asks in one call, each about one of the rings.
    Call(usize, Vec<(usize, Ask)>),
    /// What one of them remembers is lost.
    Forget(usize),
    Forward(u64),
    Backward(u64),
    Limit(usize, u32),
}

#[derive(Debug, Clone, Copy)]
enum Ask {
    /// So many at once.
    Take(u32),
    Peek,
    /// The unit that was taken so many takes ago.
    GiveBack(usize),
}

fn any_ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        6 => (1u32..5).prop_map(Ask::Take),
        1 => (50u32..1_500).prop_map(Ask::Take),
        2 => Just(Ask::Peek),
        2 => (0usize..6).prop_map(Ask::GiveBack),
    ]
}

/// About as many rings as this; about one ring it is all the same call after call.
fn any_step(rings: usize) -> impl Strategy<Value = Step> {
    let call = prop::collection::vec((0..rings, any_ask()), 1..=2 * rings - 1);
    prop_oneof![
        10 => (0..CALLERS, call).prop_map(|(caller, asks)| Step::Call(caller, asks)),
        1 => (0..CALLERS).prop_map(Step::Forget),
        4 => (1u64..20_000_000).prop_map(Step::Forward),
        1 => (MINUTE_US - 2..MINUTE_US + 3).prop_map(Step::Forward),
        2 => (1u64..5_000_000).prop_map(Step::Backward),
        2 => (0..rings, prop::sample::select(vec![0u32, 1, 2, 7, 30, 100, 2_000]))
            .prop_map(|(ring, limit)| Step::Limit(ring, limit)),
    ]
}

/// Replicas, each of which remembers what it was told itself.
const CALLERS: usize = 3;

/// What a caller remembers of a ring, zero for what it does not.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    oldest_us: u64,
    granted_us: u64,
    /// How often units had been given back by then. One of later may have been the oldest.
    returns: u32,
}

/// What the script is asked about one ring.
#[derive(Debug, Clone)]
struct Question {
    key: String,
    units: u32,
    limit: u32,
    window_us: u64,
    given_back_us: u64,
    known: Known,
}

/// What it answers.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    granted: u32,
    used: u32,
    next_us: u64,
    full_us: u64,
}

fn script() -> Script {
    Script::new(concat!(
        include_str!("../../src/scripts/epoch.lua"),
        include_str!("../../src/scripts/ring.lua")
    ))
}

/// One call; by Redis' clock where no other time is told.
fn call(
    (script, connection, names): (&Script, &mut Connection, &[String; 2]),
    now_us: Option<u64>,
    questions: &[Question],
) -> Vec<(Told, u64)> {
    let now = now_us.map_or(String::new(), |now_us| now_us.to_string());
    let mut written = Vec::new();
    let mut invocation = script.prepare_invoke();
    for Question { key, units, limit, window_us, given_back_us, known } in questions {
        invocation.key(key);
        let Known { oldest_us, granted_us, .. } = *known;
        for number in [(*units).into(), (*limit).into(), *window_us, *given_back_us, oldest_us, granted_us] {
            written.extend_from_slice(&number.to_be_bytes());
        }
    }
    let [epoch, latest] = names;
    let told: Vec<u8> =
        invocation.key(epoch).key(latest).arg(now).arg("").arg(written).invoke(connection).unwrap();
    let (numbers, []) = told.as_chunks() else { panic!("{} bytes", told.len()) };
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_be_bytes(*bytes)).collect();
    assert!(now_us.is_none_or(|now_us| numbers[0] == now_us));
    let answer = |numbers: &[u64]| {
        let &[granted, used, next_us, full_us, stamp] = numbers else { panic!("{numbers:?}") };
        (Told { granted: granted as u32, used: used as u32, next_us, full_us }, stamp)
    };
    numbers[3..].chunks(5).map(answer).collect()
}

/// A ring here, and its key there.
struct Pair {
    key: String,
    ring: Ring,
    window_us: u64,
    limit: u32,
    taken: Vec<u64>,
    known: [Known; CALLERS],
    returns: u32,
}

impl Pair {
    fn new(key: String, window_us: u64) -> Self {
        let (ring, known) = (Ring::new(), Default::default());
        Self { key, ring, window_us, limit: 30, taken: Vec::new(), known, returns: 0 }
    }

    /// What there is to ask, if anything was taken that could be given back: what is over by now is gone for good.
    fn question(&mut self, caller: usize, ask: Ask, now_us: u64) -> Option<Question> {
        self.taken.retain(|taken| taken + self.window_us > now_us);
        let (units, given_back_us) = match ask {
            Ask::Take(wanted) => (wanted, 0),
            Ask::Peek => (0, 0),
            Ask::GiveBack(ago) => (1, self.taken.remove(self.taken.len().checked_sub(ago + 1)?)),
        };
        let (key, limit, window_us) = (self.key.clone(), self.limit, self.window_us);
        Some(Question { key, units, limit, window_us, given_back_us, known: self.known[caller] })
    }

    /// What a caller remembers of an answer.
    fn remember(&mut self, caller: usize, question: &Question, told: &Told, stamp: u64, now_us: u64) {
        self.returns += u32::from(question.given_back_us > 0);
        let has_oldest = (1..question.limit).contains(&(told.used + told.granted));
        let oldest_us = if has_oldest { now_us + told.next_us - self.window_us } else { 0 };
        let granted_us = if told.granted > 0 { stamp } else { 0 };
        // It may have been told what it said itself.
        let is_new = question.given_back_us > 0 || oldest_us != question.known.oldest_us;
        let returns = if is_new { self.returns } else { question.known.returns };
        self.known[caller] = Known { oldest_us, granted_us, returns };
        self.taken.extend(std::iter::repeat_n(stamp, told.granted.min(3) as usize));
    }

    /// While the clock is behind, what is granted after units were given back may be older than what was.
    fn forget_what_may_be_too_new(&mut self) {
        let stale = self.known.iter_mut().filter(|known| known.returns < self.returns);
        stale.for_each(|known| *known = Known { returns: self.returns, ..Known::default() });
    }

    /// What the ring of `access` says.
    fn answer(&mut self, question: &Question, now_us: u64) -> Told {
        let Question { units, limit, given_back_us, .. } = *question;
        let (window_ns, now_ns) = (self.window_us * 1_000, now_us * 1_000);
        let wanted = if given_back_us > 0 { 0 } else { units };
        if given_back_us > 0 {
            self.ring.peek(limit, window_ns, now_ns);
            self.ring.give_back(limit, window_ns, given_back_us * 1_000);
        }
        let used = u32::MAX - self.ring.peek(u32::MAX, window_ns, now_ns).remaining;
        let granted =
            (0..wanted).filter(|_| self.ring.take(limit, window_ns, now_ns).admitted).count() as u32;
        let Verdict { next_ns, full_ns, .. } = self.ring.peek(limit, window_ns, now_ns);
        Told { granted, used, next_us: next_ns / 1_000, full_us: full_ns / 1_000 }
    }
}

/// Rings that are asked about in one call, and again in calls of their own under another name.
struct Rings<'a> {
    there: (&'a Script, &'a mut Connection, &'a [String; 2]),
    pairs: Vec<Pair>,
    now_us: u64,
    latest_us: u64,
}

impl Rings<'_> {
    fn live_through(&mut self, step: &Step) {
        match step {
            Step::Forward(us) => self.now_us += us,
            Step::Backward(us) => self.now_us -= us,
            Step::Limit(ring, limit) => self.pairs[*ring].limit = *limit,
            Step::Call(caller, asks) => self.call(*caller, asks),
            Step::Forget(caller) => {
                self.pairs.iter_mut().for_each(|pair| pair.known[*caller] = Known::default());
            }
        }
    }

    fn call(&mut self, caller: usize, asks: &[(usize, Ask)]) {
        self.latest_us = self.latest_us.max(self.now_us);
        let question = |(ring, ask): &(usize, Ask)| {
            Some((*ring, self.pairs[*ring].question(caller, *ask, self.now_us)?))
        };
        let (rings, questions): (Vec<usize>, Vec<Question>) = asks.iter().filter_map(question).collect();
        let together = self.ask(&questions);
        for ((ring, question), (told, stamp)) in rings.into_iter().zip(&questions).zip(together) {
            let pair = &mut self.pairs[ring];
            let mut expected = pair.answer(question, self.now_us);
            if question.known.returns < pair.returns && told.used + told.granted < question.limit {
                // It may remember an older one than there is; nobody has to wait, so nobody is told.
                assert!(told.next_us <= expected.next_us);
                expected.next_us = told.next_us;
            }
            assert_eq!(told, expected, "{question:?} at {}", self.now_us);
            pair.remember(caller, question, &told, stamp, self.now_us);
            if self.now_us < self.latest_us {
                pair.forget_what_may_be_too_new();
            }
            let alone = Question { key: format!("{}:alone", question.key), ..question.clone() };
            assert_eq!(self.ask(&[alone]), [(told, stamp)], "one after the other");
        }
    }

    fn ask(&mut self, questions: &[Question]) -> Vec<(Told, u64)> {
        let (script, connection, names) = &mut self.there;
        call((script, connection, names), Some(self.now_us), questions)
    }
}

fn compare(cases: u32, rings: usize) {
    let redis = Redis::shared();
    let script = script();
    let (connection, case) = (RefCell::new(redis.connect()), Cell::new(0));
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(any_step(rings), 20..80))| {
        case.set(case.get() + 1);
        let pair = |(place, window_us): (usize, &u64)| {
            Pair::new(format!("{}:{{{}-{place}}}", redis.prefix, case.get()), *window_us)
        };
        let pairs = WINDOWS_US.iter().take(rings).enumerate().map(pair).collect();
        let names = names(&redis, case.get());
        let there = (&script, &mut *connection.borrow_mut(), &names);
        let mut rings = Rings { there, pairs, now_us: START_US, latest_us: START_US };
        for step in &steps {
            rings.live_through(step);
        }
    });
}

#[test]
fn the_script_and_the_ring_say_the_same() {
    compare(120, 1);
}

#[test]
fn many_rings_in_one_call_are_as_each_of_them_by_itself() {
    compare(60, WINDOWS_US.len());
}

/// Of the epoch and the latest instant. Each case has a clock of its own.
fn names(redis: &Redis, case: usize) -> [String; 2] {
    [format!("{}:{{epoch}}", redis.prefix), format!("{}:{{latest-{case}}}", redis.prefix)]
}

/// The clock goes back and the oldest unit is given back meanwhile, and one of the callers still remembers it.
#[test]
fn who_remembers_what_is_no_more_refuses_nobody() {
    let redis = Redis::shared();
    let (mut connection, script, names) = (redis.connect(), script(), names(&redis, 0));
    let asked = Pair::new(format!("{}:{{r}}", redis.prefix), MINUTE_US).question(0, Ask::Take(1), 0).unwrap();
    let asked = Question { limit: 3, ..asked };
    let mut ask = |after_us: u64, question: Question| {
        let now_us = Some(START_US + after_us);
        call((&script, &mut connection, &names), now_us, &[question]).remove(0).0
    };
    assert_eq!(ask(1_000_000, asked.clone()).granted, 1);
    let given_back = Question { given_back_us: START_US + 1_000_000, ..asked.clone() };
    assert_eq!(ask(500_000, given_back).used, 0);
    assert_eq!(ask(500_000, asked.clone()).granted, 1);
    assert_eq!(ask(600_000, Question { units: 2, ..asked.clone() }).granted, 2);
    let known = Known { oldest_us: START_US + 1_000_000, ..Known::default() };
    let peek = Question { units: 0, known, ..asked.clone() };
    assert_eq!(ask(59_000_000, peek.clone()).used, 3);
    // One of them is over by then, though not the one that is remembered.
    let told = ask(60_550_000, Question { known, ..asked.clone() });
    assert_eq!(told, Told { granted: 1, used: 2, next_us: 50_000, full_us: MINUTE_US });
    assert_eq!(ask(60_900_000, peek), Told { granted: 0, used: 1, next_us: 59_650_000, full_us: 59_650_000 });
}

#[test]
fn an_end_that_was_told_by_a_later_clock_is_told_again() {
    let redis = Redis::shared();
    let (mut connection, script, names) = (redis.connect(), script(), names(&redis, 0));
    let key = format!("{}:{{t}}", redis.prefix);
    let asked = Pair::new(key.clone(), MINUTE_US).question(0, Ask::Take(1), 0).unwrap();
    call((&script, &mut connection, &names), Some(START_US), std::slice::from_ref(&asked));
    redis::cmd("PERSIST").arg(&key).exec(&mut connection).unwrap();
    let known = Known { granted_us: START_US + 5_000_000, ..Known::default() };
    call((&script, &mut connection, &names), Some(START_US + 1), &[Question { known, ..asked }]);
    assert!(left_ms(&mut connection, &key) > 60_000);
}

/// When a ring in Redis ends, in milliseconds from now.
fn left_ms(connection: &mut Connection, key: &str) -> i64 {
    redis::cmd("PTTL").arg(key).query(connection).unwrap()
}

#[test]
fn a_ring_in_redis_ends_after_its_last_unit_and_not_much_later() {
    let redis = Redis::shared();
    let (mut connection, script) = (redis.connect(), script());
    let (key, names) = (format!("{}:{{a}}", redis.prefix), names(&redis, 0));
    let mut question = Pair::new(key.clone(), MINUTE_US).question(0, Ask::Take(5), 0).unwrap();
    for _ in 0..2 {
        let told = call((&script, &mut connection, &names), None, std::slice::from_ref(&question));
        question.known.granted_us = told[0].1;
        // A window, the rest of its eighth, and a second.
        let left_ms = left_ms(&mut connection, &key);
        assert!((60_000..=68_501).contains(&left_ms), "{left_ms}");
    }
    assert_eq!(left_ms(&mut connection, &names[0]), -1, "the epoch stays");
}

#[test]
fn no_ring_in_redis_ends_before_its_last_unit() {
    let redis = Redis::shared();
    let script = script();
    let (connection, case) = (RefCell::new(redis.connect()), Cell::new(0));
    let config = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
    let steps = prop::collection::vec((0..CALLERS, any_ask(), -5_000_000i64..20_000_000), 10..60);
    proptest!(config, |(steps in steps)| {
        case.set(case.get() + 1);
        let (mut now_us, connection) = (START_US, &mut *connection.borrow_mut());
        let mut pair = Pair::new(format!("{}:{{e{}}}", redis.prefix, case.get()), MINUTE_US);
        let names = names(&redis, case.get());
        // By the clock of this test: what Redis was told last, and when.
        let mut ends_us = 0;
        for (caller, ask, later_us) in steps {
            now_us = now_us.strict_add_signed(later_us);
            let Some(question) = pair.question(caller, ask, now_us) else { continue };
            redis::cmd("PERSIST").arg(&pair.key).exec(connection).unwrap();
            let told = call((&script, connection, &names), Some(now_us), std::slice::from_ref(&question));
            let (told, stamp) = &told[0];
            pair.remember(caller, &question, told, *stamp, now_us);
            let left_ms = left_ms(connection, &pair.key);
            if left_ms >= 0 {
                ends_us = now_us + (left_ms as u64 + 1) * 1_000;
            }
            prop_assert!(left_ms == -2 || ends_us > now_us + told.full_us, "{told:?} {left_ms} ms");
        }
    });
}
