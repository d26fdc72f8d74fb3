//! Limits across all replicas, as clients see them.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use lastro_model::Plan;
use reqwest::Method;

use super::Fleet;
use super::redis::Redis;
use crate::app::soon;

const ANY: &str = "/api/v1/market/selic/current";

#[tokio::test]
async fn three_replicas_admit_30_of_95_anonymous_requests() {
    let redis = Redis::shared();
    let fleet = Fleet::start(&redis, 3).await;
    let answers = join_all((0..95).map(|_| fleet.get(ANY).send())).await;
    let admitted = answers.iter().filter(|answer| answer.status == 200);
    let told: BTreeSet<i64> = admitted.map(|answer| answer.number("x-ratelimit-remaining")).collect();
    assert_eq!(told, (0..30).collect(), "thirty, and each was told another rest");
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert_eq!(refused.len(), 65);
    assert!(refused.iter().all(|answer| (1..=60).contains(&answer.number("retry-after"))));
    // A replica without a rejection keeps its last reply from Redis for a second; a rejection corrects it.
    for app in &fleet.apps {
        app.get(ANY).send().await.expect(429);
    }
    // Free requests report the same quota, and are answered.
    for (method, path) in [(Method::OPTIONS, ANY), (Method::GET, "/pricing")] {
        let answer = fleet.request(method, path).send().await;
        assert!(answer.status < 300, "{path}: {}", answer.status);
        assert_eq!(answer.number("x-ratelimit-remaining"), 0, "{path}");
    }
}

#[tokio::test]
async fn three_replicas_admit_100_of_300_requests_on_a_bronze_key() {
    let redis = Redis::shared();
    let fleet = Fleet::start(&redis, 3).await;
    // Two of the replicas must look the key up in the database first.
    let key = fleet.apps[0].key(Plan::Bronze).await;
    let answers = join_all((0..300).map(|_| fleet.get(ANY).key(&key).send())).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(429)), (100, 200));
    fleet.get("/health").key(&key).send().await.expect(429);
}

#[tokio::test]
async fn a_new_plan_keeps_the_used_quota() {
    let redis = Redis::shared();
    let fleet = Fleet::start(&redis, 2).await;
    let key = fleet.apps[0].key(Plan::Free).await;
    let admitted = async |requests: usize| {
        let answers = join_all((0..requests).map(|_| fleet.get(ANY).key(&key).send())).await;
        answers.iter().filter(|answer| answer.status == 200).count()
    };
    assert_eq!(admitted(40).await, 30);
    let store = &fleet.apps[0].service.app.access.store;
    let records = store.set_plan(crate::app::id_of(&key), Plan::Bronze, None).await.unwrap();
    for keys in fleet.keys() {
        records.iter().for_each(|record| keys.upsert(record.clone(), 0));
    }
    assert_eq!(admitted(90).await, 70, "the refusals of the old plan are forgotten");
}

#[tokio::test]
async fn high_limits_are_exact_enough_and_never_exceeded() {
    let redis = Redis::shared();
    let fleet = Fleet::start(&redis, 2).await;
    let key = fleet.apps[0].ample_key(Plan::Platinum).await;
    for _ in 0..10 {
        let answers = join_all((0..20).map(|_| fleet.get(ANY).key(&key).send())).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
    }
    let left = fleet.get(ANY).key(&key).send().await.number("x-ratelimit-remaining");
    // Usage by the other replica within the last half second is not included yet.
    assert!((900_000..=999_950).contains(&left), "{left}");
}

#[tokio::test]
async fn registrations_and_rotations_are_counted_over_all_replicas() {
    let redis = Redis::shared();
    let fleet = Fleet::start_with(&redis, 3, |setup| {
        setup.settings.registrations.registrations_per_hour = 7;
    })
    .await;
    let register = || {
        let body = r#"{"name":"A","email":"a@example.com"}"#;
        fleet.request(Method::POST, "/api/v1/plans/register").body(body).send()
    };
    let answers = join_all((0..20).map(|_| register())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 7);
    let key = fleet.apps[0].ample_key(Plan::Gold).await;
    let mut rotated = (0, key);
    for _ in 0..21 {
        let body = r#"{"grace_seconds":60}"#;
        let app = &fleet.apps[rotated.0 % 3];
        let answer = app.post("/api/v1/keys/rotate", body).key(&rotated.1).send().await;
        if answer.status != 201 {
            assert_eq!(answer.status, 429);
            break;
        }
        rotated = (rotated.0 + 1, answer.json()["api_key"].as_str().unwrap().to_owned());
    }
    assert_eq!(rotated.0, 20);
}

#[tokio::test]
async fn two_exports_run_at_a_time_over_all_replicas() {
    let redis = Redis::shared();
    let fleet = Fleet::start(&redis, 2).await;
    let key = fleet.apps[0].key(Plan::Gold).await;
    let account = lastro_model::AccountId(crate::app::id_of(&key));
    let begin = async |replica: usize| {
        let app = &fleet.apps[replica].service.app;
        app.exports.begin_counted(app.access.quota.as_ref(), account, app.clock.now()).await
    };
    let running = (begin(0).await.unwrap(), begin(0).await.unwrap());
    let export = || fleet.apps[1].get("/api/v1/export/selic").key(&key).send();
    let left = fleet.get("/health").key(&key).send().await.number("x-ratelimit-remaining");
    let refused = export().await.expect(429);
    assert_eq!(refused.number("x-ratelimit-remaining"), left, "a refusal costs nothing");
    drop(running.0);
    // Redis receives the end, and the unit given back, a moment later.
    soon(async || export().await.status == 200).await;
}
