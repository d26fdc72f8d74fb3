//! Limits apart from the quota: pages, lookups of unknown keys, registrations.

use futures_util::future::join_all;
use lastro_access::{Applicant, Grant, IssuedKey};
use lastro_model::Plan;
use lastro_store::faulty::Operation;
use reqwest::Method;

use crate::answer::Answer;
use crate::app::{TestApp, soon, stray_key};

const ANY: &str = "/api/v1/market/selic/current";
const REGISTER: &str = "/api/v1/plans/register";
const APPLICANT: &str = r#"{"name":"Ana Souza","email":"ana@example.com"}"#;

/// A service that accepts any client address from a trusted proxy.
async fn behind_a_proxy() -> TestApp {
    TestApp::start_with(|setup| setup.settings.trusted_proxies = "127.0.0.1".to_owned()).await
}

async fn register_from(app: &TestApp, address: &str) -> Answer {
    app.post(REGISTER, APPLICANT).header("x-forwarded-for", address).send().await
}

async fn use_up_quota(app: &TestApp) {
    for _ in 0..30 {
        app.get(ANY).send().await.expect(200);
    }
    app.get(ANY).send().await.expect(429);
}

#[tokio::test]
async fn pages_and_registration_work_without_quota() {
    let app = TestApp::start().await;
    use_up_quota(&app).await;
    for path in ["/pricing", "/docs", "/docs/openapi.yaml", "/assets/lastro.css", "/docs/assets/scalar.js"] {
        assert_eq!(app.get(path).send().await.expect(200).number("x-ratelimit-remaining"), 0, "{path}");
    }
    app.get("/no-such-page").send().await.expect(404);
    app.request(Method::DELETE, "/pricing").send().await.expect(405);
    app.get("/api/v1/plans").send().await.expect(429);
    let issued = app.post(REGISTER, APPLICANT).send().await.expect(201).json();
    app.get(ANY).key(issued["api_key"].as_str().unwrap()).send().await.expect(200);
    app.post("/pricing", "name=Ana&email=ana%40example.com").send().await.expect(201);
}

#[tokio::test]
async fn an_address_opens_six_hundred_pages_a_minute() {
    let app = TestApp::start().await;
    for page in ["/pricing", "/assets/lastro.css", "/docs/openapi.yaml", "/nowhere", "/docs"].repeat(120) {
        assert_ne!(app.request(Method::HEAD, page).send().await.status, 429, "{page}");
    }
    for page in ["/pricing", "/assets/lastro.css", "/nowhere"] {
        let refused = app.get(page).send().await.expect(429);
        assert_eq!(refused.number("x-ratelimit-remaining"), 30, "the quota is another matter");
        assert_eq!(refused.number("retry-after"), 60);
    }
    app.get(ANY).send().await.expect(200);
    app.post(REGISTER, APPLICANT).send().await.expect(201);
    app.advance_seconds(60);
    app.get("/pricing").send().await.expect(200);
}

#[tokio::test]
async fn a_new_key_works_when_the_keyless_quota_is_used_up() {
    let app = TestApp::start().await;
    use_up_quota(&app).await;
    let key = elsewhere_made(&app).await;
    app.get(ANY).key(&key).send().await.expect(200);
}

/// A key created by another process, which this one has not seen yet.
pub(crate) async fn elsewhere_made(app: &TestApp) -> String {
    let issued =
        IssuedKey::generate(app.service.app.access.keys.pepper(), &mut lastro_background::clock::fill_random);
    let applicant = Applicant::new("Elsewhere", "elsewhere@example.com").unwrap();
    let new = issued.for_new_account(applicant, Grant::by_operator(Plan::Gold, None), app.timestamp());
    app.elsewhere().await.insert_key(new).await.unwrap();
    issued.key.reveal().to_owned()
}

#[tokio::test]
async fn free_requests_never_query_the_store() {
    let app = TestApp::start().await;
    app.faults.panic_on(Operation::Key);
    for _ in 0..5 {
        let stray = stray_key();
        app.request(Method::OPTIONS, ANY).key(&stray).send().await.expect(204);
        for page in ["/pricing", "/docs", "/assets/lastro.css"] {
            app.get(page).key(&stray).send().await.expect(200);
        }
        app.get("/nowhere").key(&stray).send().await.expect(404);
        app.post(REGISTER, APPLICANT).key(&stray).send().await.expect(201);
    }
    app.get(ANY).key(&stray_key()).send().await.expect(500);
}

async fn panics(app: &TestApp) -> bool {
    !app.admin("/metrics").await.1.contains("lastro_panics_total 0\n")
}

#[tokio::test]
async fn unknown_key_lookups_are_limited_to_60_a_minute_per_address() {
    let app = TestApp::start().await;
    for _ in 0..60 {
        let status = app.get(ANY).key(&stray_key()).send().await.status;
        assert!([401, 429].contains(&status), "the quota of the address is charged as before: {status}");
    }
    app.faults.panic_on(Operation::Key);
    app.advance_seconds(59);
    app.get(ANY).key(&stray_key()).send().await.expect(429);
    assert!(!panics(&app).await, "the store was asked");
    app.advance_seconds(1);
    app.get(ANY).key(&stray_key()).send().await.expect(500);
}

#[tokio::test]
async fn unknown_key_lookups_are_limited_to_600_a_minute_per_network() {
    let app = behind_a_proxy().await;
    let ask = async |address: String| {
        app.get(ANY).key(&stray_key()).header("x-forwarded-for", &address).send().await
    };
    for number in 0..600 {
        ask(format!("10.0.0.{}", number / 30)).await.expect(401);
    }
    app.advance_seconds(10);
    let refused = ask("10.0.0.99".into()).await.expect(429);
    assert!(refused.text().contains("unknown API keys"), "{}", refused.text());
    assert_eq!((refused.number("retry-after"), refused.number("x-ratelimit-remaining")), (50, 30));
    ask("10.0.1.99".into()).await.expect(401);
}

/// Sends more requests than there may be lookups for one address, or pending in total.
#[tokio::test]
async fn concurrent_requests_with_a_new_key_share_one_lookup() {
    let app = TestApp::start().await;
    let key = elsewhere_made(&app).await;
    app.faults.delay(std::time::Duration::from_millis(50));
    for answer in join_all((0..90).map(|_| app.get(ANY).key(&key).send())).await {
        answer.expect(200);
    }
    let stray = stray_key();
    for answer in join_all((0..90).map(|_| app.get(ANY).key(&stray).send())).await {
        assert!(!answer.text().contains("unknown API keys"), "it was asked for more than once");
    }
}

#[tokio::test]
async fn lookups_of_existing_keys_are_not_limited() {
    let app = behind_a_proxy().await;
    for _ in 0..70 {
        let key = elsewhere_made(&app).await;
        app.get(ANY).key(&key).header("x-forwarded-for", "10.0.0.1").send().await.expect(200);
    }
}

#[tokio::test]
async fn store_failures_do_not_count_as_unknown_keys() {
    let app = TestApp::start().await;
    for _ in 0..70 {
        app.faults.fail_next(Operation::Key);
        let status = app.get(ANY).key(&stray_key()).send().await.status;
        assert!([503, 429].contains(&status), "{status}");
    }
    app.faults.panic_on(Operation::Key);
    app.get(ANY).key(&stray_key()).send().await;
    assert!(panics(&app).await, "the store was not asked");
}

#[tokio::test]
async fn registrations_are_limited_per_network_and_in_total() {
    let app = behind_a_proxy().await;
    for host in 0..10 {
        for _ in 0..30 {
            register_from(&app, &format!("10.0.0.{host}")).await.expect(201);
        }
    }
    let refused = register_from(&app, "10.0.0.0").await.expect(429);
    assert!(refused.text().contains("from this address"), "{}", refused.text());
    let refused = register_from(&app, "10.0.0.99").await.expect(429);
    assert!(refused.text().contains("from this network"), "{}", refused.text());
    assert_eq!(refused.number("retry-after"), 3600);
    // New networks have the other half of the burst; known ones wait for it to refill.
    for network in 0..300 {
        register_from(&app, &format!("10.{}.{}.1", 1 + network / 200, network % 200)).await.expect(201);
    }
    let refused = register_from(&app, "10.9.0.1").await.expect(429);
    assert!(refused.text().contains("at this moment"), "{}", refused.text());
    app.advance_seconds(refused.number("retry-after") as u64);
    register_from(&app, "10.9.0.1").await.expect(201);
}

#[tokio::test]
async fn ipv6_clients_register_by_64_bits_and_networks_by_48() {
    let app = behind_a_proxy().await;
    for host in 1..=30 {
        register_from(&app, &format!("2001:db8:1:2::{host:x}")).await.expect(201);
    }
    let refused = register_from(&app, "[2001:db8:1:2:9:9:9:9]:443").await.expect(429);
    assert!(refused.text().contains("from this address"), "{}", refused.text());
    for subnet in 0..270 {
        register_from(&app, &format!("2001:db8:1:a{subnet:03x}::1")).await.expect(201);
    }
    let refused = register_from(&app, "2001:db8:1:ffff::1").await.expect(429);
    assert!(refused.text().contains("from this network"), "{}", refused.text());
    register_from(&app, "2001:db8:2:ffff::1").await.expect(201);
}

#[tokio::test]
async fn a_mapped_address_registers_as_its_ipv4() {
    let app = behind_a_proxy().await;
    for number in 0..30 {
        let notation = ["192.0.2.7", "::ffff:192.0.2.7", "[::ffff:192.0.2.7]:80"][number % 3];
        register_from(&app, notation).await.expect(201);
    }
    register_from(&app, "192.0.2.7").await.expect(429);
    register_from(&app, "::ffff:192.0.2.7").await.expect(429);
    register_from(&app, "::ffff:192.0.2.8").await.expect(201);
}

#[tokio::test]
async fn cross_origin_pages_cannot_register_visitors() {
    let app = TestApp::start().await;
    for path in [REGISTER, "/pricing"] {
        for (name, value) in [
            ("origin", "https://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1"),
            ("sec-fetch-site", "cross-site"),
        ] {
            let refused = app.post(path, APPLICANT).header(name, value).send().await.expect(403);
            assert_eq!(refused.json()["error"], "forbidden", "{path} {name}: {value}");
        }
        let preflight = app.request(Method::OPTIONS, path).header("origin", "https://evil.example");
        assert_eq!(preflight.send().await.expect(204).header("access-control-allow-origin"), "");
    }
    let ours = format!("http://{}", app.service.address);
    let issued = app.post(REGISTER, APPLICANT).header("origin", &ours).send().await.expect(201);
    assert_eq!(issued.header("access-control-allow-origin"), "");
    assert_eq!(issued.header("cache-control"), "no-store");
    let form = "name=Ana&email=ana%40example.com";
    app.post("/pricing", form).header("sec-fetch-site", "same-origin").send().await.expect(201);
}

#[tokio::test]
async fn a_registration_that_the_store_lost_does_not_count() {
    let app = TestApp::start_with(|setup| setup.settings.registrations.registrations_per_hour = 1).await;
    app.faults.fail_next(Operation::InsertKey);
    app.post(REGISTER, APPLICANT).send().await.expect(503);
    app.post(REGISTER, APPLICANT).send().await.expect(201);
    app.post(REGISTER, APPLICANT).send().await.expect(429);
}

#[tokio::test]
async fn keys_in_memory_are_bounded_and_the_others_still_work() {
    let app = TestApp::start_with(|setup| setup.settings.key_cache = 16).await;
    let mut keys = Vec::new();
    for _ in 0..60 {
        keys.push(app.key(Plan::Gold).await);
    }
    assert!(app.service.app.access.keys.len() <= 16, "{}", app.service.app.access.keys.len());
    for key in &keys {
        assert_eq!(app.get(ANY).key(key).send().await.expect(200).number("x-ratelimit-remaining"), 499);
    }
    // All keys are in use now: none may lose the quota it has used.
    for key in &keys {
        assert_eq!(app.get(ANY).key(key).send().await.expect(200).number("x-ratelimit-remaining"), 498);
    }
    app.elsewhere().await.revoke(crate::app::id_of(&keys[0]), app.timestamp()).await.unwrap();
    soon(async || app.get(ANY).key(&keys[0]).send().await.status == 401).await;
}
