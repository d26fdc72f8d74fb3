//! Several replicas on one Redis: the limit is exact, in both directions.

use std::sync::Arc;
use std::time::Duration;

use lastro_quota::{Charge, LimitClass, Unit};

use crate::replica::{Replica, most_in_a_window};
use crate::server::Redis;

const MINUTE_NS: u64 = 60_000_000_000;

/// Sends requests to random replicas, all at once.
async fn all_at_once(fleet: &[Arc<Replica>], requests: usize, limit: u32, by_key: bool) -> Vec<Charge> {
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..requests {
        let replica = Arc::clone(&fleet[fastrand::usize(..fleet.len())]);
        asking.spawn(async move {
            let claim = if by_key { replica.of_key(limit) } else { replica.of_address(1, limit) };
            replica.take(&claim).await
        });
    }
    asking.join_all().await
}

fn admitted(charges: &[Charge]) -> usize {
    charges.iter().filter(|charge| charge.verdict.admitted).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_the_limit_is_admitted_over_all_replicas() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, MINUTE_NS).await;
    let anonymous = all_at_once(&fleet, 95, 30, false).await;
    assert_eq!(admitted(&anonymous), 30);
    let bronze = all_at_once(&fleet, 300, 100, true).await;
    assert_eq!(admitted(&bronze), 100);
    let mut remaining: Vec<u32> = bronze
        .iter()
        .filter(|charge| charge.verdict.admitted)
        .map(|charge| charge.verdict.remaining)
        .collect();
    remaining.sort_unstable();
    assert_eq!(remaining, (0..100).collect::<Vec<_>>(), "each of them was told another rest");
    let refused = bronze.iter().find(|charge| !charge.verdict.admitted).unwrap().verdict;
    assert_eq!((refused.limit, refused.remaining), (100, 0));
    assert!(refused.next_ns <= MINUTE_NS && refused.next_ns > MINUTE_NS / 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_from_memory_are_never_wrong() {
    let redis = Redis::shared();
    redis.make_old();
    // A window of a second and a half, so that refusals end during the test.
    let fleet = Replica::fleet(&redis, 2, 1_500_000_000).await;
    for replica in &fleet {
        assert!(replica.quota.is_shared(LimitClass::Keys), "the epoch is old");
    }
    assert_eq!(admitted(&all_at_once(&fleet, 40, 10, true).await), 10);
    for replica in &fleet {
        // The first refusal may need a call; from then on it is known.
        replica.take(&replica.of_key(10)).await;
        let refused = replica.quota.take_at_once(&replica.of_key(10)).expect("a known refusal");
        assert!(!refused.verdict.admitted);
        let raised = replica.of_key(11);
        assert!(replica.quota.take_at_once(&raised).is_none(), "another limit needs a call");
    }
    let refused = fleet[0].take(&fleet[0].of_key(10)).await.verdict;
    tokio::time::sleep(Duration::from_nanos(refused.next_ns)).await;
    let elsewhere = fleet[1].take(&fleet[1].of_key(10)).await.verdict;
    assert!(elsewhere.admitted, "a client that waits as told is admitted at any replica");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trickle_never_exceeds_the_limit_in_any_window() {
    let redis = Redis::shared();
    redis.make_old();
    let (limit, window_ns) = (60, 1_000_000_000);
    let fleet = Replica::fleet(&redis, 3, window_ns).await;
    let (mut asking, mut instants) = (tokio::task::JoinSet::new(), Vec::new());
    // One and a half times the limit, for four windows.
    for _ in 0..360 {
        let replica = Arc::clone(&fleet[fastrand::usize(..3)]);
        asking.spawn(async move { replica.take(&replica.of_key(limit)).await });
        tokio::time::sleep(Duration::from_millis(11)).await;
    }
    for charge in asking.join_all().await.into_iter().filter(|charge| charge.verdict.admitted) {
        let Unit::Ring { at_us } = charge.unit else { panic!("Redis decided, {charge:?}") };
        instants.push(at_us);
    }
    assert!(instants.len() > 3 * limit as usize, "and the limit is used: {}", instants.len());
    assert!(most_in_a_window(instants, window_ns / 1_000) <= limit as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unit_given_back_is_free_at_every_replica() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 2, MINUTE_NS).await;
    let claim = fleet[0].of_address(1, 2);
    let first = fleet[0].take(&claim).await;
    let second = fleet[0].take(&claim).await;
    assert!(first.verdict.admitted && second.verdict.admitted);
    let after = fleet[0].quota.give_back(&claim, second);
    assert_eq!(after.remaining, 1);
    // Redis learns of it a moment later.
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let looked = fleet[1].quota.peek(&fleet[1].of_address(1, 2)).await;
        if looked.remaining == 1 {
            break;
        }
    }
    assert_eq!(admitted(&all_at_once(&fleet, 10, 2, false).await), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn peeking_consumes_nothing_and_is_cached_for_a_second() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let replica = &fleet[0];
    assert!(replica.quota.peek_at_once(&replica.of_key(30)).is_none());
    let looked = replica.quota.peek(&replica.of_key(30)).await;
    assert_eq!((looked.admitted, looked.remaining), (true, 30));
    assert!(replica.quota.peek_at_once(&replica.of_key(30)).is_some());
    assert_eq!(replica.take(&replica.of_key(30)).await.verdict.remaining, 29);
    assert_eq!(replica.quota.peek(&replica.of_key(30)).await.remaining, 29);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_replicas_tell_the_same_reset() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, MINUTE_NS).await;
    fleet[0].take(&fleet[0].of_key(30)).await;
    let mut resets = Vec::new();
    for replica in &fleet {
        let claim = replica.of_key(30);
        resets.push(replica.quota.peek(&claim).await.reset_unix_seconds(claim.now.unix_ms));
    }
    assert!(resets.iter().all(|reset| *reset == resets[0]), "{resets:?}");
}

/// With the budget of production.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_distant_redis_counts_exactly_too() {
    let redis = Redis::shared();
    redis.make_old();
    let far = redis.far_away(Duration::from_millis(25)).await;
    let fleet = Replica::fleet_with(&far, 3, MINUTE_NS, lastro_quota::BUDGET).await;
    let charges = all_at_once(&fleet, 300, 100, true).await;
    let late: u64 = fleet.iter().map(|replica| replica.late_calls()).sum();
    // A machine too busy to read replies in time decides by shares, and counts late calls.
    assert!(admitted(&charges) == 100 || late > 0, "{} admitted", admitted(&charges));
    assert!(admitted(&charges) <= 200);
}
