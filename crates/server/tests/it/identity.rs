//! Authentication: keys in both headers, invalid keys, and changes by the operator while the service runs.

use lastro_access::ApiKey;
use lastro_background::clock::fill_random;
use lastro_model::Plan;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::app::{TestApp, id_of, soon, stray_key};

const ANY: &str = "/api/v1/market/selic/current";

#[tokio::test]
async fn a_key_is_read_from_either_header() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let by_scheme =
            app.get(ANY).header("authorization", &format!("{scheme} {key}")).send().await.expect(200);
        assert_eq!(by_scheme.header("x-plan"), "gold");
    }
    let both =
        app.get(ANY).key(&key).header("authorization", &format!("Bearer {key}")).send().await.expect(200);
    assert_eq!((both.header("x-plan"), both.number("x-ratelimit-limit")), ("gold", 500));
}

#[tokio::test]
async fn two_different_keys_are_rejected_even_on_public_pages() {
    let app = TestApp::start().await;
    let (one, other) = (app.key(Plan::Gold).await, app.key(Plan::Bronze).await);
    for path in [ANY, "/health", "/pricing", "/api/v1/nothing"] {
        let answer = app.get(path).key(&one).header("authorization", &format!("Bearer {other}")).send().await;
        let message = answer.expect_error(400);
        assert!(message.contains("two different keys"), "{message}");
    }
}

#[tokio::test]
async fn a_blank_or_foreign_header_does_not_hide_a_key() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    for scheme in ["Basic dTpw", ""] {
        let answer = app.get(ANY).key(&key).header("authorization", scheme).send().await.expect(200);
        assert_eq!(answer.header("x-plan"), "gold");
        app.get(ANY).header("authorization", scheme).send().await.expect(401);
    }
    let bearer = format!("Bearer {key}");
    app.get(ANY).key(" ").header("authorization", &bearer).send().await.expect(200);
}

#[tokio::test]
async fn a_key_in_the_query_string_is_not_read() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    for name in ["api_key", "key", "x-api-key", "X-API-Key", "access_token"] {
        let answer = app.get(&format!("{ANY}?{name}={key}")).send().await.expect(400);
        assert_eq!(answer.header("x-plan"), "free");
        assert!(!answer.text().contains(&key[8..20]), "{}", answer.text());
    }
    let as_a_name = app.get(&format!("{ANY}?{key}")).send().await.expect(400).text();
    assert!(!as_a_name.contains(&key[8..20]), "{as_a_name}");
}

/// Invalid keys: mistyped, made up, truncated, or in another scheme.
fn bad_credentials(good: &str) -> Vec<(&'static str, String)> {
    let mistyped = good.replace(&good[20..21], if &good[20..21] == "x" { "y" } else { "x" });
    let forged = {
        let mut forged = stray_key();
        forged.replace_range(7..15, &good[7..15]);
        forged
    };
    vec![
        ("x-api-key", mistyped),
        ("x-api-key", forged),
        ("x-api-key", stray_key()),
        ("x-api-key", good[..40].to_owned()),
        ("x-api-key", String::new()),
        ("x-api-key", good.to_uppercase()),
        ("x-api-key", "x".repeat(5000)),
        ("authorization", good.to_owned()),
        ("authorization", format!("Basic {good}")),
        ("authorization", "Bearer".to_owned()),
        ("authorization", format!("Bearer {}", stray_key())),
    ]
}

#[tokio::test]
async fn a_bad_key_never_falls_back_to_free() {
    let app = TestApp::start().await;
    let good = app.key(Plan::Gold).await;
    for (name, value) in bad_credentials(&good) {
        let answer = app.get(ANY).header(name, &value).send().await.expect(401);
        assert_eq!(answer.header("www-authenticate"), "Bearer", "{name}: {value}");
        assert!(!answer.text().contains(&good[16..]), "{value}");
    }
}

#[tokio::test]
async fn bad_keys_are_ignored_where_no_plan_is_needed() {
    let app = TestApp::start().await;
    let good = app.key(Plan::Gold).await;
    for (name, value) in bad_credentials(&good) {
        app.advance_seconds(61);
        for path in ["/health", "/pricing", "/docs", "/docs/openapi.yaml", "/api/v1/plans"] {
            let answer = app.get(path).header(name, &value).send().await.expect(200);
            assert_eq!((answer.header("x-plan"), answer.number("x-ratelimit-limit")), ("free", 30));
        }
        // Unknown paths outside the API count as pages.
        app.get("/no-such-page").header(name, &value).send().await.expect(404);
        app.post("/docs", "").header(name, &value).send().await.expect(405);
        app.get("/api/v1/no-such-path").header(name, &value).send().await.expect(401);
    }
    let honoured = app.get("/health").key(&good).send().await.expect(200);
    assert_eq!(honoured.header("x-plan"), "gold");
}

#[tokio::test]
async fn usage_without_a_key_says_that_one_is_required() {
    let app = TestApp::start().await;
    let answer = app.get("/api/v1/plans/usage").send().await.expect(401);
    assert_eq!(answer.header("www-authenticate"), "Bearer");
    assert_eq!(answer.json()["message"], "API key required");
}

#[tokio::test]
async fn a_plan_set_elsewhere_is_in_force_within_a_second() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Free).await;
    app.get("/api/v1/companies").key(&key).send().await.expect(403);
    app.elsewhere().await.set_plan(id_of(&key), Plan::Bronze, None).await.unwrap();
    soon(async || app.get("/api/v1/companies").key(&key).send().await.status == 200).await;
    let answer = app.get(ANY).key(&key).send().await.expect(200);
    assert_eq!((answer.header("x-plan"), answer.number("x-ratelimit-limit")), ("bronze", 100));
    app.elsewhere().await.set_plan(id_of(&key), Plan::Gold, Some(Some(7))).await.unwrap();
    soon(async || {
        app.request(reqwest::Method::OPTIONS, ANY).key(&key).send().await.number("x-ratelimit-limit") == 7
    })
    .await;
}

#[tokio::test]
async fn a_key_revoked_elsewhere_is_refused_within_a_second() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    app.get(ANY).key(&key).send().await.expect(200);
    app.elsewhere().await.revoke(id_of(&key), app.timestamp()).await.unwrap();
    soon(async || {
        app.advance_seconds(61);
        app.get(ANY).key(&key).send().await.status == 401
    })
    .await;
}

/// A connection remembers its last key and its last head, neither of which may show in a response to another request.
#[tokio::test]
async fn each_request_of_a_connection_is_judged_by_itself() {
    let app = TestApp::start().await;
    let (gold, bronze) = (app.ample_key(Plan::Gold).await, app.key_with_limit(Plan::Bronze, Some(70)).await);
    let mut stream = TcpStream::connect(app.service.address).await.unwrap();
    // Status, plan and limit of the response to each of these keys.
    let mut ask = async |keys: &[&str]| {
        let mut told = Vec::new();
        for key in keys {
            let key = if key.is_empty() { String::new() } else { format!("x-api-key: {key}\r\n") };
            let request = format!("HEAD {ANY} HTTP/1.1\r\nhost: x\r\n{key}\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut head = vec![0; 8192];
            let length = stream.read(&mut head).await.unwrap();
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let value = |name: &str| head.split_once(name).unwrap().1.lines().next().unwrap().to_owned();
            let numbers = (value("x-ratelimit-limit: "), value("ratelimit-policy: "));
            assert!(numbers.1.contains(&format!(";q={};", numbers.0)), "{head}");
            told.push(format!("{} {} {}", &head[9..12], value("x-plan: "), numbers.0));
        }
        told.join(", ")
    };
    let ample = app.get(ANY).key(&gold).send().await.number("x-ratelimit-limit");
    let wrong = stray_key();
    assert_eq!(
        ask(&[&gold, &gold, &bronze, &gold, &wrong, "", &gold]).await,
        format!(
            "200 gold {ample}, 200 gold {ample}, 200 bronze 70, 200 gold {ample}, 401 free 30, 200 free 30, 200 gold {ample}"
        )
    );
    app.elsewhere().await.set_plan(id_of(&gold), Plan::Platinum, Some(Some(90))).await.unwrap();
    caught_up(&app).await;
    assert_eq!(ask(&[&gold, &bronze]).await, "200 platinum 90, 200 bronze 70");
    app.elsewhere().await.revoke(id_of(&gold), app.timestamp()).await.unwrap();
    caught_up(&app).await;
    assert_eq!(ask(&[&gold, &bronze, &gold]).await, "401 free 30, 200 bronze 70, 401 free 30");
}

/// Waits until the service has read all changes of keys.
async fn caught_up(app: &TestApp) {
    let latest = app.elsewhere().await.counters().await.unwrap().key_revision;
    soon(async || app.service.app.access.keys.revision() == latest).await;
}

#[tokio::test]
async fn a_rotated_key_shares_the_quota_until_its_grace_ends() {
    let app = TestApp::start().await;
    let old = app.key_with_limit(Plan::Gold, Some(5)).await;
    let new = ApiKey::generate(&mut fill_random);
    let digest = app.service.app.access.keys.pepper().digest(&new);
    let (now, end) = (app.timestamp(), app.timestamp() + jiff::SignedDuration::from_secs(3600));
    app.elsewhere().await.rotate(id_of(&old), new.id(), digest, now, end).await.unwrap();
    // A key made by another process works at once: the key ring queries the store for unknown keys.
    let first = app.get(ANY).key(new.reveal()).send().await.expect(200);
    assert_eq!((first.header("x-plan"), first.number("x-ratelimit-remaining")), ("gold", 4));
    assert_eq!(app.get(ANY).key(&old).send().await.expect(200).number("x-ratelimit-remaining"), 3);
    caught_up(&app).await;
    app.advance_seconds(3599);
    app.get(ANY).key(&old).send().await.expect(200);
    app.advance_seconds(1);
    app.get(ANY).key(&old).send().await.expect(401);
    app.get(ANY).key(new.reveal()).send().await.expect(200);
}
