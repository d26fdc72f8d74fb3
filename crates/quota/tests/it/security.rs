//! Rights and certificates, as `docs/operations.md` asks for them.

use std::path::Path;

use lastro_quota::{Class, Settings, Unit};

use crate::replica::Replica;
use crate::server::Redis;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rights_that_the_manual_names_are_enough() {
    let mut redis = Redis::own();
    redis.make_old();
    let manual = include_str!("../../../../docs/operations.md");
    let line = manual.lines().find(|line| line.starts_with("ACL SETUSER")).expect("the line of the manual");
    redis.command(&line.replace(">PASSWORD", ">s3cret").split(' ').collect::<Vec<_>>());
    redis.url = redis.url.replace("redis://", "redis://lastro:s3cret@");
    let fleet = Replica::fleet(&redis, 2, 60_000_000_000).await;
    let replica = &fleet[0];
    assert!(replica.quota.is_shared(Class::Keys));
    // One is admitted, and Redis itself refuses the other, who has no note yet.
    for (replica, is_admitted) in fleet.iter().zip([true, false]) {
        assert_eq!(replica.take(&replica.of_address(1, 1)).await.verdict.admitted, is_admitted);
        assert_eq!(
            replica.quota.calls(Class::Addresses).failed.load(std::sync::atomic::Ordering::Relaxed),
            0
        );
    }
    for limit in [30, 20_000] {
        for _ in 0..3 {
            let claim = replica.of_key(limit);
            let charge = replica.take(&claim).await;
            assert_ne!(charge.unit, Unit::Own, "Redis decided");
            replica.quota.give_back(&claim, charge);
        }
    }
    let running = replica.begin_export("a", 1).await;
    assert!(running.is_some() && replica.begin_export("b", 1).await.is_none());
    drop(running);
    assert_eq!(replica.quota.calls(Class::Keys).failed.load(std::sync::atomic::Ordering::Relaxed), 0);
    redis.url = redis.url.replace("s3cret", "wrong");
    let locked_out = Replica::fleet(&redis, 1, 60_000_000_000).await;
    assert!(!locked_out[0].quota.is_shared(Class::Keys));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_is_checked_with_the_given_authorities() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls");
    let (certificate, key) = (fixtures.join("own-1.crt"), fixtures.join("own-1.key"));
    let (redis, port) = Redis::with_tls(&certificate, &key);
    redis.make_old();
    let url = format!("rediss://127.0.0.1:{port}");
    let connected = async |authorities| {
        let settings = Settings::new(&url, authorities, "lastro").unwrap();
        let quota = Replica::quota(settings);
        quota.connect().await;
        quota.is_shared(Class::Keys)
    };
    assert!(connected(Some(certificate.as_path())).await);
    assert!(!connected(None).await, "the public authorities do not know it");
}
