//! The rate limit over HTTP: exact, reported truthfully in headers, and separate for each client.

use std::time::Duration;

use lastro_model::Plan;
use reqwest::Method;

use crate::app::{TestApp, id_of, stray_key};

const ANY: &str = "/api/v1/market/selic/current";

#[tokio::test]
async fn exactly_thirty_requests_a_minute_are_admitted_without_a_key() {
    let app = TestApp::start().await;
    for used in 1..=30 {
        let answer = app.get(ANY).send().await.expect(200);
        assert_eq!(
            (answer.number("x-ratelimit-limit"), answer.number("x-ratelimit-remaining")),
            (30, 30 - used)
        );
        app.advance_seconds(1);
    }
    let refused = app.get(ANY).send().await.expect(429);
    assert_eq!((refused.number("x-ratelimit-remaining"), refused.number("retry-after")), (0, 30));
    assert_eq!(refused.header("ratelimit"), "\"free\";r=0;t=30");
    app.advance(Duration::from_millis(29_999));
    app.get(ANY).send().await.expect(429);
    app.advance(Duration::from_millis(1));
    app.get(ANY).send().await.expect(200);
    app.get(ANY).send().await.expect(429);
}

#[tokio::test]
async fn a_client_that_waits_for_retry_after_is_admitted() {
    let app = TestApp::start().await;
    let key = app.key_with_limit(Plan::Gold, Some(5)).await;
    for round in 0..6u64 {
        app.advance(Duration::from_millis(137 * round));
        let mut answer = app.get(ANY).key(&key).send().await;
        while answer.status != 429 {
            app.advance(Duration::from_millis(731));
            answer = app.get(ANY).key(&key).send().await;
        }
        app.advance_seconds(answer.number("retry-after") as u64);
        let admitted = app.get(ANY).key(&key).send().await.expect(200);
        let reset = admitted.number("x-ratelimit-reset");
        let now = app.timestamp().as_millisecond();
        app.advance(Duration::from_millis((reset * 1000 - now) as u64));
        let whole = app.request(Method::OPTIONS, ANY).key(&key).send().await.expect(204);
        assert_eq!(whole.number("x-ratelimit-remaining"), 5, "round {round}");
    }
}

#[tokio::test]
async fn rejections_consume_nothing_and_failures_consume_one() {
    let app = TestApp::start().await;
    let key = app.key_with_limit(Plan::Free, Some(6)).await;
    let cases = [
        ("/api/v1/market/selic?limit=0", 400),
        ("/api/v1/companies", 403),
        ("/api/v1/nothing", 404),
        ("/health", 200),
        ("/api/v1/plans", 200),
        ("/api/", 404),
    ];
    for (left, (path, status)) in (0..6).rev().zip(cases) {
        let answer = app.get(path).key(&key).send().await.expect(status);
        assert_eq!(answer.number("x-ratelimit-remaining"), left, "{path}");
    }
    for _ in 0..20 {
        app.get(ANY).key(&key).send().await.expect(429);
    }
    app.advance_seconds(60);
    assert_eq!(app.get(ANY).key(&key).send().await.expect(200).number("x-ratelimit-remaining"), 5);
    let other_method = app.request(Method::DELETE, ANY).key(&key).send().await.expect(405);
    assert_eq!(other_method.number("x-ratelimit-remaining"), 4);
    let head = app.request(Method::HEAD, ANY).key(&key).send().await.expect(200);
    assert_eq!(head.number("x-ratelimit-remaining"), 3);
}

#[tokio::test]
async fn assets_and_options_are_free_even_when_nothing_is_left() {
    let app = TestApp::start().await;
    for left in (0..30).rev() {
        app.get("/assets/lastro.css").send().await.expect(200);
        app.request(Method::OPTIONS, "/api/v1/companies").send().await.expect(204);
        assert_eq!(app.get(ANY).send().await.expect(200).number("x-ratelimit-remaining"), left);
    }
    app.get(ANY).send().await.expect(429);
    assert_eq!(app.get("/assets/lastro.css").send().await.expect(200).number("x-ratelimit-remaining"), 0);
    app.get("/docs/assets/scalar.js").send().await.expect(200);
    app.request(Method::OPTIONS, ANY).send().await.expect(204);
    app.get("/health").send().await.expect(429);
    app.get("/api/v1/nothing").send().await.expect(429);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bronze_key_admits_100_of_200_concurrent_requests() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Bronze).await;
    let all = (0..200).map(|_| app.get(ANY).key(&key).send());
    let answers = futures_util::future::join_all(all).await;
    let with = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((with(200), with(429)), (100, 100));
    let mut left: Vec<i64> =
        answers.iter().filter(|a| a.status == 200).map(|a| a.number("x-ratelimit-remaining")).collect();
    left.sort_unstable();
    assert_eq!(left, (0..100).collect::<Vec<i64>>());
}

#[tokio::test]
async fn keys_and_addresses_are_counted_apart() {
    let app = TestApp::start().await;
    let (one, other) = (app.key_with_limit(Plan::Free, Some(2)).await, app.key(Plan::Free).await);
    for _ in 0..2 {
        app.get(ANY).key(&one).send().await.expect(200);
    }
    app.get(ANY).key(&one).send().await.expect(429);
    assert_eq!(app.get(ANY).key(&other).send().await.expect(200).number("x-ratelimit-remaining"), 29);
    assert_eq!(app.get(ANY).send().await.expect(200).number("x-ratelimit-remaining"), 29);
}

#[tokio::test]
async fn bad_keys_are_charged_to_the_address() {
    let app = TestApp::start().await;
    let good = app.key(Plan::Gold).await;
    for used in 1..=30 {
        let answer = app.get(ANY).key(&stray_key()).send().await.expect(401);
        assert_eq!((answer.header("x-plan"), answer.number("x-ratelimit-remaining")), ("free", 30 - used));
    }
    app.get(ANY).key(&stray_key()).send().await.expect(429);
    app.get(ANY).key("nonsense").send().await.expect(429);
    app.get(ANY).send().await.expect(429);
    assert_eq!(app.get(ANY).key(&good).send().await.expect(200).number("x-ratelimit-remaining"), 499);
}

#[tokio::test]
async fn an_upgrade_keeps_the_used_quota_and_raises_the_limit() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Free).await;
    for _ in 0..30 {
        app.get(ANY).key(&key).send().await.expect(200);
    }
    app.get(ANY).key(&key).send().await.expect(429);
    let records = app.service.app.access.store.set_plan(id_of(&key), Plan::Bronze, None).await.unwrap();
    records.into_iter().for_each(|record| app.service.app.access.keys.upsert(record, 0));
    assert_eq!(app.get(ANY).key(&key).send().await.expect(200).number("x-ratelimit-remaining"), 69);
}

#[tokio::test]
async fn forwarded_addresses_of_untrusted_clients_are_ignored() {
    let app = TestApp::start().await;
    for used in 1..=3 {
        let answer =
            app.get(ANY).header("x-forwarded-for", &format!("203.0.113.{used}")).send().await.expect(200);
        assert_eq!(answer.number("x-ratelimit-remaining"), 30 - used);
    }
}

#[tokio::test]
async fn the_rightmost_untrusted_forwarded_address_is_the_client() {
    let trusted = "127.0.0.0/8, 10.0.0.0/8".to_owned();
    let app = TestApp::start_with(|setup| setup.settings.trusted_proxies = trusted).await;
    let left = async |forwarded: &str| {
        app.get(ANY)
            .header("x-forwarded-for", forwarded)
            .send()
            .await
            .expect(200)
            .number("x-ratelimit-remaining")
    };
    assert_eq!(left("203.0.113.7").await, 29);
    assert_eq!(left("198.51.100.1, 203.0.113.7").await, 28);
    assert_eq!(left("198.51.100.1, 203.0.113.7, 10.1.2.3").await, 27);
    assert_eq!(left("::ffff:203.0.113.7").await, 26);
    assert_eq!(left("198.51.100.1").await, 29);
    assert_eq!(left("2001:db8:1:2::1").await, 29);
    assert_eq!(left("2001:db8:1:2:ffff::9").await, 28);
    assert_eq!(left("2001:db8:1:3::1").await, 29);
    let lines = app.get(ANY).header("x-forwarded-for", "203.0.113.7").header("x-forwarded-for", "10.9.9.9");
    assert_eq!(lines.send().await.expect(200).number("x-ratelimit-remaining"), 25);
}

#[tokio::test]
async fn addresses_beyond_the_capacity_share_a_limit() {
    let trusted = "127.0.0.1".to_owned();
    let app = TestApp::start_with(|setup| {
        setup.settings.trusted_proxies = trusted;
        setup.settings.limiter_capacity = 8;
    })
    .await;
    let mut admitted = 0;
    for number in 0..120 {
        let from = format!("203.0.113.{number}");
        admitted += u32::from(app.get(ANY).header("x-forwarded-for", &from).send().await.status == 200);
    }
    assert!((38..=80).contains(&admitted), "{admitted}");
}
