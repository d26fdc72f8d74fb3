//! The number of running exports, over all replicas.

use std::time::Duration;

use crate::replica::{Replica, account};
use crate::server::Redis;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_exports_run_at_a_time_over_all_replicas() {
    let redis = Redis::shared();
    let fleet = Replica::fleet(&redis, 3, 60_000_000_000).await;
    let begin = async |replica: usize, name: &str| fleet[replica].begin_export(name, 2).await;
    let (first, second) = (begin(0, "a").await.unwrap(), begin(1, "b").await.unwrap());
    assert!(begin(2, "c").await.is_none());
    drop(first);
    // Redis learns of the end a moment later.
    let mut third = None;
    for _ in 0..100 {
        third = begin(2, "d").await;
        if third.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(third.is_some() && begin(0, "e").await.is_none());
    drop(second);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_export_after_the_other_is_never_refused() {
    let redis = Redis::shared();
    let fleet = Replica::fleet(&redis, 2, 60_000_000_000).await;
    let _long = fleet[0].begin_export("long", 2).await.unwrap();
    for number in 0..50 {
        let running = fleet[number % 2].begin_export(&format!("short {number}"), 2).await;
        assert!(running.is_some(), "{number}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_of_a_dead_replica_expire() {
    let redis = Redis::shared();
    let fleet = Replica::fleet(&redis, 1, 60_000_000_000).await;
    let key = format!("{}:{{x:{}}}", redis.prefix, account());
    let mut connection = redis.connect();
    // Two that ran out in 1970.
    redis::cmd("ZADD").arg(&key).arg(1).arg("dead").arg(2).arg("gone").exec(&mut connection).unwrap();
    let running = fleet[0].begin_export("a", 2).await;
    assert!(running.is_some());
    let left: Vec<String> = redis::cmd("ZRANGE").arg(&key).arg(0).arg(-1).query(&mut connection).unwrap();
    assert_eq!(left, ["a"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exports_run_while_redis_is_away() {
    let mut redis = Redis::own();
    let fleet = Replica::fleet(&redis, 1, 60_000_000_000).await;
    redis.kill();
    for name in ["a", "b", "c"] {
        assert!(fleet[0].begin_export(name, 2).await.is_some());
    }
}
