//! A Redis that replies but is unreliable: it evicts keys, refuses to write, or is replaced by another in the middle of a
//! window. No request fails, and admissions stay within their bounds.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use lastro_quota::LimitClass;

use crate::outage::{LIMIT, load, until};
use crate::replica::Replica;
use crate::server::Redis;

const MINUTE_NS: u64 = 60_000_000_000;

/// Makes Redis reach its `maxmemory` and evict by this policy, until it holds no key of this pattern.
fn evict(redis: &Redis, policy: &str, pattern: &str) {
    let mut connection = redis.connect();
    redis.command(&["CONFIG", "SET", "maxmemory-policy", policy]);
    redis.command(&["CONFIG", "SET", "maxmemory-samples", "64"]);
    for round in 0..100 {
        let left: Vec<String> = redis::cmd("KEYS").arg(pattern).query(&mut connection).unwrap();
        if left.is_empty() {
            redis.command(&["CONFIG", "SET", "maxmemory", "0"]);
            return;
        }
        let mut others = redis::pipe();
        for number in 0..100 {
            others.cmd("SET").arg(format!("other-{round}-{number}")).arg("x".repeat(500)).arg("EX").arg(60);
        }
        others.exec(&mut connection).unwrap();
        let info: String = redis::cmd("INFO").arg("memory").query(&mut connection).unwrap();
        let used = info.lines().find_map(|line| line.strip_prefix("used_memory:")).unwrap();
        let less = used.parse::<u64>().unwrap() - 10_000;
        redis.command(&["CONFIG", "SET", "maxmemory", &less.to_string()]);
    }
    panic!("{pattern} is still there");
}

fn failed_calls(fleet: &[Arc<Replica>]) -> u64 {
    fleet.iter().map(|replica| replica.quota.calls(LimitClass::Keys).failed.load(Ordering::Relaxed)).sum()
}

/// The epoch does not expire and so is not evicted: only its own ring shows a replica that data was lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evicted_ring_gives_no_replica_more_than_the_limit() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, MINUTE_NS).await;
    assert_eq!(load(&fleet[..1], 40).await.len(), LIMIT as usize);
    for _ in 0..2 {
        evict(&redis, "volatile-lru", "*{k:*");
        assert_eq!(load(&fleet[..1], 40).await.len(), 0, "it has admitted the limit itself");
    }
    let elsewhere = load(&fleet[1..], 100).await.len();
    assert!(elsewhere <= 2 * LIMIT as usize, "{elsewhere}");
    assert_eq!(failed_calls(&fleet), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evicted_blocks_give_no_replica_more_than_the_limit() {
    const MANY: u32 = 10_001;
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let take = async || fleet[0].take(&fleet[0].of_key(MANY)).await;
    let mut admitted = 0;
    while take().await.verdict.admitted {
        admitted += 1;
    }
    assert!((MANY - 100..=MANY).contains(&admitted), "{admitted}");
    evict(&redis, "volatile-lru", "*:block");
    // Until then the last refusal is remembered.
    tokio::time::sleep(Duration::from_millis(600)).await;
    while take().await.verdict.admitted {
        admitted += 1;
    }
    assert!(admitted <= MANY, "{admitted}");
}

/// The epoch is evicted too, so all replicas notice the loss.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evicted_epoch_admits_less_than_twice_the_limit() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, MINUTE_NS).await;
    let before = load(&fleet, 60).await.len();
    assert_eq!(before, LIMIT as usize);
    evict(&redis, "allkeys-random", &format!("{}:*", redis.prefix));
    let after = load(&fleet, 120).await.len();
    assert!(before + after < 2 * LIMIT as usize, "{after}");
    assert_eq!(failed_calls(&fleet), 0);
}

/// Sends requests while Redis refuses to write, and afterwards.
async fn refusing_writes(redis: &Redis, refuse: impl FnOnce(), relent: impl FnOnce()) {
    redis.make_old();
    let fleet = Replica::fleet(redis, 3, MINUTE_NS).await;
    assert!(load(&fleet, 3).await.iter().all(|admission| admission.by_redis));
    refuse();
    let admitted = load(&fleet, 120).await;
    assert!(admitted.iter().all(|admission| !admission.by_redis));
    // Three of the shares were used before.
    assert_eq!(admitted.len(), LIMIT as usize - 3, "all shares together are the limit");
    assert!(failed_calls(&fleet) > 0);
    let answered =
        |replica: &Arc<Replica>| replica.quota.calls(LimitClass::Keys).answered.load(Ordering::Relaxed);
    let before: Vec<u64> = fleet.iter().map(answered).collect();
    relent();
    until("it answers again", || {
        fleet.iter().zip(&before).all(|(replica, before)| answered(replica) > *before)
    })
    .await;
    assert_eq!(load(&fleet, 60).await.len(), 0, "admissions that Redis did not count still count");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_decide_if_redis_is_a_read_only_replica() {
    let redis = Redis::own();
    // As after a failover that has not reached our replicas: the old primary follows another server, still unreachable.
    let refuse = || redis.command(&["REPLICAOF", "127.0.0.1", "1"]);
    refusing_writes(&redis, refuse, || redis.command(&["REPLICAOF", "NO", "ONE"])).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_decide_if_redis_cannot_save() {
    let directory = tempfile::tempdir().unwrap();
    let redis = Redis::saving_to(directory.path());
    let refuse = || {
        let mut connection = redis.connect();
        directory.close().unwrap();
        redis::cmd("BGSAVE").exec(&mut connection).unwrap();
        let refuses = || {
            let set = redis::cmd("SET").arg("any").arg(1).exec(&mut redis.connect());
            set.is_err_and(|error| error.code() == Some("MISCONF"))
        };
        while !refuses() {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    refusing_writes(&redis, refuse, || {
        redis.command(&["CONFIG", "SET", "stop-writes-on-bgsave-error", "no"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_over_to_an_empty_redis_stays_below_twice_the_limit() {
    let mut redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, MINUTE_NS).await;
    let before = load(&fleet, 20).await.len();
    assert_eq!(before, 20);
    // Another takes over the address in the middle of the window, and knows nothing of it.
    redis.kill();
    redis.start_again();
    let after = load(&fleet, 120).await.len();
    assert!(before + after < 2 * LIMIT as usize, "{after}");
    assert!(before + after >= LIMIT as usize - 3, "the rest of the limit is there: {after}");
}
