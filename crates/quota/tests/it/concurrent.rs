//! Many requests at once: each ring is counted as if it were alone, whatever happens to the calls and to the clients.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use lastro_quota::{BUDGET, Charge, LimitClass, Unit};

use crate::replica::{Replica, client};
use crate::server::Redis;

const MINUTE_NS: u64 = 60_000_000_000;

/// Sends one request of each address, all at once.
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
        assert_eq!(of_address, (0..LIMIT).collect::<Vec<_>>(), "each was told another rest");
    }
    let calls =
        |replica: &Arc<Replica>| replica.quota.calls(LimitClass::Addresses).answered.load(Ordering::Relaxed);
    let calls: u64 = fleet.iter().map(calls).sum();
    assert!(calls < 300, "{calls} calls for 1,200 requests");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_a_ring_are_served_in_their_order() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let replica = &fleet[0];
    // Sent in this order, before any reply.
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
async fn each_request_is_decided_by_the_limit_that_it_came_with() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let replica = &fleet[0];
    let limits = [10, 10, 2, 2, 10, 20_000, 10];
    let asking = limits.map(async |limit| replica.take(&replica.of_key(limit)).await.verdict);
    let verdicts = join_all(asking).await;
    assert_eq!(verdicts.iter().map(|verdict| verdict.limit).collect::<Vec<_>>(), limits);
    let admitted: Vec<bool> = verdicts.iter().map(|verdict| verdict.admitted).collect();
    // The lower limit is used up by the first two, and the blocks of a high limit are counted apart.
    assert_eq!(admitted, [true, true, false, false, true, true, true]);
    assert_eq!(replica.take(&replica.of_key(10)).await.verdict.remaining, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_disconnects_blocks_no_ring() {
    let redis = Redis::shared();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    let (mut going, mut staying) = (Vec::new(), Vec::new());
    for request in 0..200 {
        let replica = Arc::clone(&fleet[0]);
        let asking = tokio::spawn(async move { replica.take(&replica.of_address(request % 40, 100)).await });
        let group = if request % 3 == 0 { &mut going } else { &mut staying };
        group.push(asking);
        // At any point of the call.
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
async fn requests_whose_calls_fail_are_decided_by_the_share() {
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

/// A flood does not fill the queue of a slow Redis, which other classes and replicas share.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bounded_number_of_calls_is_pending() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet_with(&redis, 1, MINUTE_NS, BUDGET).await;
    redis.command(&["CLIENT", "PAUSE", "600", "ALL"]);
    let charges = one_of_each(&fleet[0], 900, 5).await;
    assert!(charges.iter().all(|charge| charge.verdict.admitted && charge.unit == Unit::Own));
    let late = fleet[0].quota.calls(LimitClass::Addresses).late.load(Ordering::Relaxed);
    assert!((1..10).contains(&late), "{late} late calls");
}

/// The number of times Redis has run a command.
fn runs(connection: &mut redis::Connection, command: &str) -> usize {
    let info: String = redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let line = info.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:calls=")));
    line.and_then(|line| line.split(',').next()).map_or(0, |count| count.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ring_in_use_takes_few_commands_a_request() {
    let redis = Redis::own();
    redis.make_old();
    let fleet = Replica::fleet(&redis, 1, MINUTE_NS).await;
    for taken in 1..=20 {
        let verdict = fleet[0].take(&fleet[0].of_address(1, 30)).await.verdict;
        assert_eq!((verdict.admitted, verdict.remaining), (true, 30 - taken));
    }
    let connection = &mut redis.connect();
    let counts = ["rpush", "lindex", "ltrim", "llen"].map(|command| runs(connection, command));
    // Both ends of the list are read, except of an empty one.
    assert_eq!(counts, [20, 39, 0, 0]);
    let expiries = runs(connection, "pexpire");
    assert!(
        (1..=2).contains(&expiries),
        "once, and again if an eighth of a minute ends meanwhile: {expiries}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_of_late_replies_are_given_back_if_refused() {
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
