//! A Redis outage under several replicas: each admits its share, no request fails, and metrics report it.

use futures_util::future::join_all;
use lastro_model::Plan;

use super::Fleet;
use super::redis::Redis;
use crate::app::{TestApp, soon};

const ANY: &str = "/api/v1/market/selic/current";

async fn statuses(fleet: &Fleet, key: &str, requests: usize) -> (usize, usize) {
    let answers = join_all((0..requests).map(|_| fleet.get(ANY).key(key).send())).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!(count(200) + count(429), requests, "nothing but these two");
    (count(200), count(429))
}

async fn mode(app: &TestApp) -> &'static str {
    let (_, metrics) = app.admin("/metrics").await;
    let is_so =
        |mode| metrics.contains(&format!("lastro_limiter_mode{{class=\"keys\",mode=\"{mode}\"}} 1\n"));
    assert_ne!(is_so("shared"), is_so("share"), "{metrics}");
    if is_so("shared") { "shared" } else { "share" }
}

#[tokio::test]
async fn without_redis_each_replica_admits_its_share() {
    let mut redis = Redis::own();
    let fleet = Fleet::start(&redis, 2).await;
    let (before, after) = (fleet.apps[0].key(Plan::Free).await, fleet.apps[0].key(Plan::Free).await);
    assert_eq!(statuses(&fleet, &before, 50).await.0, 30);
    assert_eq!(mode(&fleet.apps[0]).await, "shared");
    let (_, metrics) = fleet.apps[0].admin("/metrics").await;
    for class in ["keys", "addresses"] {
        let calls = format!("\nlastro_redis_call_duration_seconds_count{{class=\"{class}\"}} ");
        let count = metrics.split_once(&calls).and_then(|(_, rest)| rest.split('\n').next());
        assert!(count.is_some_and(|count| count != "0"), "{class}: {metrics}");
        assert!(
            metrics.contains(&format!("\nlastro_redis_calls{{class=\"{class}\",state=\"waiting\"}} 0\n"))
        );
    }
    redis.kill();
    for app in &fleet.apps {
        soon(async || mode(app).await == "share").await;
        let (status, _) = app.admin("/readyz").await;
        assert_eq!(status, 200);
    }
    let (more, _) = statuses(&fleet, &before, 100).await;
    assert!(more < 30, "less than twice the limit around the loss, and {more} came after it");
    for app in &fleet.apps {
        let first = app.get(ANY).key(&after).send().await.expect(200);
        let told = (first.number("x-ratelimit-limit"), first.number("x-ratelimit-remaining"));
        assert_eq!(told, (30, 14), "the limit is the plan's, the rest is the share's");
    }
    let (admitted, _) = statuses(&fleet, &after, 150).await;
    assert_eq!(admitted, 28, "all shares together are the limit");
    redis.start_again();
    soon(async || {
        let calls = &fleet.apps[0].service.app.access.quota.as_ref().unwrap();
        let answered =
            calls.calls(lastro_quota::LimitClass::Keys).answered.load(std::sync::atomic::Ordering::Relaxed);
        fleet.apps[0].get(ANY).key(&after).send().await.expect(429);
        answered > 0
    })
    .await;
    assert_eq!(
        mode(&fleet.apps[0]).await,
        "share",
        "it came back without its data, and is not believed for a minute"
    );
}

#[tokio::test]
async fn a_redis_outage_at_startup_is_not_a_failure() {
    let mut redis = Redis::own();
    let fleet = {
        let url = redis.url.clone();
        let unused = Redis::shared();
        redis.kill();
        Fleet::start_with(&unused, 1, |setup| {
            setup.settings.redis.redis = Some(lastro_config::RedisUrl(url.clone()));
        })
        .await
    };
    fleet.apps[0].get(ANY).send().await.expect(200);
    assert_eq!(mode(&fleet.apps[0]).await, "share");
}

#[tokio::test]
async fn a_process_without_redis_reports_no_limiter_mode() {
    let app = TestApp::start().await;
    let (_, metrics) = app.admin("/metrics").await;
    assert!(!metrics.contains("\nlastro_limiter_mode"), "its name is there, but no value");
}
