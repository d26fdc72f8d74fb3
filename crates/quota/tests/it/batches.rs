//! Many rings in one call: each is counted as if it were alone, whatever becomes of the call and of those who wait for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use lastro_quota::{BUDGET, Charge, Class, Unit};

use crate::replica::{Replica, client};
use crate::server::Redis;

const MINUTE_NS: u64 = 60_000_000_000;

/// One request of each address, all of them at once.
async fn one_of_each(replica: &Replica, addresses: u32, limit: u32) -> Vec<Charge> {
    join_all((0..addresses).map(async |address| replica.take(&replica.of_address(address, limit)).await))
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_rings_at_once_have_exactly_their_limit_each() {
    const LIMIT: u32 = 5;
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 3, MINUTE_NS).await;
    let mut asking = tokio::task::JoinSet::new();
    for request in 0..1_200 {
        let (replica, address) = (Arc::clone(&fleet[fastrand::usize(..3)]), request % 100);
        asking
            .spawn(async move { (address, replica.take(&replica.of_address(address, LIMIT)).await.verdict) });
    }
    let mut remaining = vec![Vec::new(); 100];
    for (address, verdict) in asking.join_all().await.into_iter().filter(|(_, verdict)| verdict.admitted) {
        remaining[address as usize].push(verdict.remaining);
    }
    for mut of_address in remaining {
        of_address.sort_unstable();
        assert_eq!(of_address, (0..LIMIT).collect::<Vec<_>>(), "each of them was told another rest");
    }
    let calls =
        |replica: &Arc<Replica>| replica.quota.calls(Class::Addresses).answered.load(Ordering::Relaxed);
    let calls: u64 = fleet.iter().map(calls).sum();
    assert!(calls < 600, "{calls} calls for 1,200 requests");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_first_to_a_ring_is_served_first_whoever_travels_along() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let replica = &fleet[0];
    // They are asked for in this order, and none is waited for before all are.
    let asking =
        (0..90).map(async |request| replica.take(&replica.of_address(request % 3, 10)).await.verdict);
    let verdicts = join_all(asking).await;
    for address in 0..3 {
        let of_address: Vec<_> = verdicts.iter().skip(address).step_by(3).collect();
        let remaining: Vec<u32> =
            of_address.iter().filter(|verdict| verdict.admitted).map(|verdict| verdict.remaining).collect();
        assert_eq!(remaining, (0..10).rev().collect::<Vec<_>>());
        assert!(of_address[..10].iter().all(|verdict| verdict.admitted));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_that_is_changed_in_between_counts_for_who_came_with_it() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let replica = &fleet[0];
    let limits = [10, 10, 2, 2, 10, 20_000, 10];
    let asking = limits.map(async |limit| replica.take(&replica.of_key(limit)).await.verdict);
    let verdicts = join_all(asking).await;
    assert_eq!(verdicts.iter().map(|verdict| verdict.limit).collect::<Vec<_>>(), limits);
    let admitted: Vec<bool> = verdicts.iter().map(|verdict| verdict.admitted).collect();
    // Those of one limit go together, and the lower one is used up by them.
    assert_eq!(admitted, [true, true, false, false, true, true, true]);
    assert_eq!(replica.take(&replica.of_key(10)).await.verdict.remaining, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_takes_no_ring_along() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let (mut going, mut staying) = (Vec::new(), Vec::new());
    for request in 0..200 {
        let replica = Arc::clone(&fleet[0]);
        let asking = tokio::spawn(async move { replica.take(&replica.of_address(request % 40, 100)).await });
        let company = if request % 3 == 0 { &mut going } else { &mut staying };
        company.push(asking);
        // At any point of its way.
        if request % 7 == 0 {
            tokio::task::yield_now().await;
            going.iter().for_each(tokio::task::JoinHandle::abort);
        }
    }
    for answered in join_all(staying).await {
        assert_ne!(answered.unwrap().unit, Unit::Own, "Redis decided");
    }
    let again = one_of_each(&fleet[0], 40, 100).await;
    assert!(again.iter().all(|charge| charge.verdict.admitted && charge.unit != Unit::Own));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_a_call_that_fails_decide_by_their_share() {
    let mut redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 2, MINUTE_NS).await;
    assert!(one_of_each(&fleet[0], 50, 4).await.iter().all(|charge| charge.unit != Unit::Own));
    redis.kill();
    // The share is two, and one of each was admitted already.
    for is_admitted in [true, false] {
        let charges = one_of_each(&fleet[0], 50, 4).await;
        assert!(
            charges.iter().all(|charge| charge.unit == Unit::Own && charge.verdict.admitted == is_admitted)
        );
    }
}

/// How often a command was run in Redis, by whomever.
fn runs(connection: &mut redis::Connection, command: &str) -> usize {
    let told: String = redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let line = told.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:calls=")));
    line.and_then(|line| line.split(',').next()).map_or(0, |count| count.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ring_in_use_takes_redis_one_command_a_request() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    for taken in 1..=20 {
        let verdict = fleet[0].take(&fleet[0].of_address(1, 30)).await.verdict;
        assert_eq!((verdict.admitted, verdict.remaining), (true, 30 - taken));
    }
    let connection = &mut redis.connect();
    let [pushes, looks, ends] = ["rpush", "lindex", "pexpire"].map(|command| runs(connection, command));
    // The first, with no instant known at all, had to look at both ends; the eighth of a minute may end meanwhile.
    assert_eq!((pushes, looks), (20, 2));
    assert!((1..=2).contains(&ends), "{ends}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_late_is_put_right_in_all_its_rings() {
    const RINGS: u32 = 40;
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet_with(&redis, 2, MINUTE_NS, BUDGET).await;
    // The share of two is one: afterwards it is used up.
    let first = one_of_each(&fleet[0], RINGS, 2).await;
    assert!(first.iter().all(|charge| charge.verdict.admitted));
    redis.command(&["CLIENT", "PAUSE", "1200", "ALL"]);
    let late = one_of_each(&fleet[0], RINGS, 2).await;
    assert!(late.iter().all(|charge| !charge.verdict.admitted), "by the share, though Redis has a unit left");
    let mut connection = redis.connect();
    for _ in 0..1_000 {
        if runs(&mut connection, "lrem") == RINGS as usize {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for address in 0..RINGS {
        let key = format!("{}:{{a:{}}}", redis.prefix, client(address));
        let units: u32 = redis::cmd("LLEN").arg(key).query(&mut connection).unwrap();
        assert_eq!(units, 1, "the unit that nobody was admitted for is given back");
    }
}
