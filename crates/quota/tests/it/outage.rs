//! A Redis that dies, returns empty, sleeps or refuses calls: admissions stay within their bounds, and no request waits long.

use std::sync::Arc;
use std::time::Duration;

use lastro_quota::{LimitClass, Unit};

use crate::replica::{Replica, most_in_a_window};
use crate::server::Redis;

const WINDOW_NS: u64 = 1_000_000_000;
pub(crate) const LIMIT: u32 = 30;

/// The time of an admission, by the clock that all replicas of a test share, and its decider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admission {
    at_ns: u64,
    pub by_redis: bool,
}

/// Sends requests of one key to random replicas, one every ten milliseconds.
pub(crate) async fn load(fleet: &[Arc<Replica>], steps: usize) -> Vec<Admission> {
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..steps {
        let replica = Arc::clone(&fleet[fastrand::usize(..fleet.len())]);
        asking.spawn(async move {
            let claim = replica.of_key(LIMIT);
            let charge = replica.take(&claim).await;
            let by_redis = charge.unit != Unit::Own;
            charge.verdict.admitted.then_some(Admission { at_ns: claim.now.monotonic_ns, by_redis })
        });
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    asking.join_all().await.into_iter().flatten().collect()
}

fn most(admissions: &[Admission]) -> usize {
    most_in_a_window(admissions.iter().map(|admission| admission.at_ns).collect(), WINDOW_NS)
}

pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come true: {what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_killed_and_started_again_without_its_data() {
    let mut redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, WINDOW_NS).await;
    let mut all = load(&fleet, 150).await;
    assert!(all.iter().all(|admission| admission.by_redis));
    redis.kill();
    let during = load(&fleet, 200).await;
    assert!(during.iter().filter(|admission| admission.by_redis).count() == 0);
    assert!(during.len() > LIMIT as usize, "shares are used: {}", during.len());
    assert!(most(&during) <= LIMIT as usize, "{} while away", most(&during));
    all.extend(&during);
    redis.start_again();
    let after = load(&fleet, 250).await;
    all.extend(&after);
    assert!(most(&all) <= 2 * LIMIT as usize, "{}", most(&all));
    // Limits by the second are decided by Redis again, those by the minute not yet.
    let last = load(&fleet, 150).await;
    assert!(last.iter().all(|admission| admission.by_redis), "exact again a window after the return");
    assert!(last.len() >= LIMIT as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emptied_redis_gives_no_quota_away() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, 60_000_000_000).await;
    let before = load(&fleet, 60).await;
    assert_eq!(before.len(), LIMIT as usize);
    redis.command(&["FLUSHALL"]);
    let after = load(&fleet, 120).await;
    assert!(before.len() + after.len() < 2 * LIMIT as usize, "{}", after.len());
    assert!(fleet.iter().all(|replica| !replica.quota.is_shared(LimitClass::Keys)), "the epoch is young");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_waits_for_a_sleeping_redis() {
    let redis = Arc::new(Redis::own());
    redis.make_old();
    let fleet = Replica::fleet_with(&redis, 2, 60_000_000_000, lastro_quota::BUDGET).await;
    let sleeper = Arc::clone(&redis);
    let sleeping = tokio::task::spawn_blocking(move || sleeper.command(&["DEBUG", "SLEEP", "3"]));
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut admitted = 0;
    for bits in 0..8 {
        let claim = fleet[bits % 2].of_address(1, LIMIT);
        admitted += u32::from(fleet[bits % 2].take(&claim).await.verdict.admitted);
    }
    assert!(!sleeping.is_finished(), "all were answered while Redis slept");
    assert_eq!(admitted, 8, "by the shares");
    assert!(!fleet[0].quota.is_shared(LimitClass::Addresses));
    sleeping.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_scripts_are_sent_again() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 2, 60_000_000_000).await;
    let before = load(&fleet, 10).await;
    redis.command(&["SCRIPT", "FLUSH"]);
    let after = load(&fleet, 50).await;
    assert_eq!(before.len() + after.len(), LIMIT as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_decide_if_redis_has_no_memory() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, 60_000_000_000).await;
    redis.command(&["CONFIG", "SET", "maxmemory", "1mb"]);
    let admissions = load(&fleet, 120).await;
    assert!(admissions.len() <= LIMIT as usize, "{}", admissions.len());
    assert!(admissions.len() >= LIMIT as usize - 3, "{}", admissions.len());
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_absent_at_startup_is_found_later() {
    let mut redis = Redis::own();
    redis.kill();
    let fleet = Replica::fleet(&redis, 2, WINDOW_NS).await;
    let claim = fleet[1].of_key(LIMIT);
    let charge = fleet[1].quota.take_at_once(&claim).expect("no call");
    assert_eq!((charge.verdict.limit, charge.verdict.remaining), (LIMIT, LIMIT / 2 - 1));
    redis.start_again();
    let answered = |replica: &Replica| {
        replica.quota.calls(LimitClass::Keys).answered.load(std::sync::atomic::Ordering::Relaxed) > 0
    };
    until("a connection", || fleet.iter().all(|replica| answered(replica))).await;
    tokio::time::sleep(Duration::from_nanos(WINDOW_NS)).await;
    let admissions = load(&fleet, 60).await;
    assert!(admissions.iter().all(|admission| admission.by_redis));
}

/// No replica has admitted anything that an empty Redis could have lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_minute_of_a_new_fleet_is_exact() {
    let redis = Redis::own();
    let fleet = Replica::fleet(&redis, 3, 60_000_000_000).await;
    assert!(fleet.iter().all(|replica| replica.quota.is_shared(LimitClass::Keys)));
    // All at one replica: its share alone would be a third.
    let admissions = load(&fleet[..1], 2 * LIMIT as usize).await;
    assert_eq!(admissions.len(), LIMIT as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_replica_does_not_hide_a_loss_of_data() {
    let redis = Redis::own();
    let fleet = Replica::fleet(&redis, 2, 60_000_000_000).await;
    let before = load(&fleet, 2 * LIMIT as usize).await;
    assert_eq!(before.len(), LIMIT as usize);
    redis.command(&["FLUSHALL"]);
    // The first to probe it is a replica that has seen no epoch.
    let newcomer = Replica::fleet(&redis, 1, 60_000_000_000).await;
    load(&fleet, 4).await;
    until("all replicas notice", || {
        fleet.iter().chain(&newcomer).all(|replica| !replica.quota.is_shared(LimitClass::Keys))
    })
    .await;
    let after = load(&fleet, 2 * LIMIT as usize).await;
    assert!(before.len() + after.len() < 2 * LIMIT as usize, "{}", after.len());
}
