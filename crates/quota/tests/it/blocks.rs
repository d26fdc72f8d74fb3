//! Blocks of units, for high limits.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use lastro_quota::Unit;
use proptest::prelude::*;
use redis::Script;

use crate::replica::{Replica, most_in_a_window};
use crate::server::Redis;

const WINDOW_US: u64 = 60_000_000;
const BUCKET_US: u64 = 500_000;
const START_US: u64 = 1_793_620_800_123_456;

fn script() -> Script {
    Script::new(concat!(
        include_str!("../../src/scripts/common.lua"),
        include_str!("../../src/scripts/block.lua")
    ))
}

#[derive(Debug, Clone)]
struct Step {
    replica: usize,
    wanted: u64,
    /// Quarters of the held units that are used after the grant.
    used_quarters: u64,
    wait_us: u64,
    /// The reply is lost: nothing of the grant is used or given back.
    is_lost: bool,
}

fn any_step() -> impl Strategy<Value = Step> {
    (0usize..3, 1u64..60, 0u64..=4, 0u64..3_000_000, prop::bool::weighted(0.1)).prop_map(
        |(replica, wanted, used_quarters, wait_us, is_lost)| Step {
            replica,
            wanted,
            used_quarters,
            wait_us,
            is_lost,
        },
    )
}

#[derive(Debug, Default, Clone, Copy)]
struct Held {
    left: u64,
    bucket: u64,
    ends_us: u64,
}

/// Units are used at the last moment that a block allows: the worst case.
#[test]
fn no_window_exceeds_the_limit_even_with_lost_blocks() {
    let redis = Redis::shared();
    let script = script();
    let (connection, case, limit) = (RefCell::new(redis.connect()), Cell::new(0), 100u64);
    let config = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(any_step(), 20..150))| {
        case.set(case.get() + 1);
        let key = format!("{}:{{{}}}", redis.prefix, case.get());
        let (mut now_us, mut held, mut uses) = (START_US, [Held::default(); 3], Vec::new());
        for Step { replica, wanted, used_quarters, wait_us, is_lost } in steps {
            now_us += wait_us;
            let block = &mut held[replica];
            let unused = if now_us >= block.ends_us { std::mem::take(&mut block.left) } else { 0 };
            let numbers: Vec<i64> = script
                .key(&key)
                .key(format!("{}:{{epoch}}", redis.prefix))
                .arg(wanted).arg(limit).arg(WINDOW_US).arg(-1)
                .arg(BUCKET_US).arg(unused).arg(block.bucket).arg(now_us)
                .invoke(&mut connection.borrow_mut())
                .unwrap();
            let [_, _, _, granted, sum, _, _, bucket, valid_us] = numbers[..] else { panic!("{numbers:?}") };
            prop_assert!(sum + granted <= limit as i64);
            prop_assert!(granted as u64 == wanted.min(limit - sum as u64), "what is free is given");
            if is_lost {
                *block = Held::default();
                continue;
            }
            if block.bucket != bucket as u64 {
                *block = Held { left: 0, bucket: bucket as u64, ends_us: now_us + valid_us as u64 };
            }
            block.left += granted as u64;
            let used = block.left * used_quarters / 4;
            block.left -= used;
            uses.extend(std::iter::repeat_n(block.ends_us - 1, used as usize));
        }
        prop_assert!(most_in_a_window(uses, WINDOW_US) <= limit as usize);
    });
}

/// Units of an earlier bucket that are given back are free at once.
#[test]
fn unused_units_are_free_for_others() {
    let redis = Redis::shared();
    let (mut connection, script) = (redis.connect(), script());
    let key = format!("{}:{{a}}", redis.prefix);
    let mut ask = |wanted: u64, unused: u64, earlier: i64, now_us: u64| -> Vec<i64> {
        let mut call = script.key(&key);
        call.key(format!("{}:{{epoch}}", redis.prefix)).arg(wanted).arg(100).arg(WINDOW_US).arg(-1);
        call.arg(BUCKET_US).arg(unused).arg(earlier).arg(now_us).invoke(&mut connection).unwrap()
    };
    let first = ask(80, 0, 0, START_US);
    assert_eq!(first[3], 80);
    assert_eq!(ask(80, 0, 0, START_US + 1)[3], 20);
    assert_eq!(ask(5, 50, first[7], START_US + BUCKET_US)[3..5], [5, 50]);
    let full = ask(100, 0, 0, START_US + BUCKET_US);
    assert_eq!(full[3], 45);
    let refused = ask(1, 0, 0, START_US + BUCKET_US);
    assert_eq!(refused[3], 0);
    let next_us = refused[5] as u64;
    assert_eq!(ask(1, 0, 0, START_US + BUCKET_US + next_us - 1)[3], 0);
    assert_eq!(ask(1, 0, 0, START_US + BUCKET_US + next_us)[3], 1, "a client that waits as told is admitted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocks_never_exceed_the_limit_and_use_nearly_all_of_it() {
    let redis = Redis::shared();
    redis.make_old();
    let limit = 10_500;
    let fleet = Replica::fleet(&redis, 2, 60_000_000_000).await;
    let mut asking = tokio::task::JoinSet::new();
    for worker in 0..8 {
        let replica = Arc::clone(&fleet[worker % 2]);
        asking.spawn(async move {
            let mut admitted = 0;
            for _ in 0..1_500 {
                let charge = replica.take(&replica.of_key(limit)).await;
                assert_ne!(charge.unit, Unit::Ring { at_us: 0 });
                admitted += u32::from(charge.verdict.admitted);
            }
            admitted
        });
    }
    let admitted: u32 = asking.join_all().await.into_iter().sum();
    // The last block of one replica, an eighth of what was free then, may lie unused while the other is refused, and on a
    // busy machine another one whose reply came too late.
    assert!(admitted <= limit && admitted >= limit - limit / 4, "{admitted}");
    let calls = &fleet[0].quota.calls(lastro_quota::LimitClass::Keys).answered;
    let calls = calls.load(std::sync::atomic::Ordering::Relaxed);
    assert!(calls < 3_000, "6,000 requests of one replica took {calls} calls");
}
