//! The first requests that a new user would try.

use lastro_model::{Plan, Source};
use reqwest::Method;

use crate::app::TestApp;

#[tokio::test]
async fn a_fresh_service_answers_with_the_sample() {
    let app = TestApp::start().await;
    let overview = app.get("/api/v1/market/overview").send().await.expect(200).json();
    assert_eq!(overview["fx"]["pair"], "USD/BRL");
    let health = app.get("/health").send().await.expect(200).json();
    assert_eq!(health["sample"], true);
    assert_eq!(health["sources"].as_array().unwrap().len(), Source::ALL.len());
}

#[tokio::test]
async fn health_reports_the_freshness_of_each_source() {
    let app = TestApp::start().await;
    let health = async || app.get("/health").send().await.expect(200).json();
    let fresh = health().await;
    assert_eq!((&fresh["status"], &fresh["version"]), (&"ok".into(), &lastro::VERSION.into()));
    assert_eq!(fresh["commit"], lastro::COMMIT);
    let stale = |health: &serde_json::Value| -> Vec<String> {
        let sources = health["sources"].as_array().unwrap().iter();
        sources.filter(|source| source["stale"] == true).map(|source| source["source"].to_string()).collect()
    };
    assert!(stale(&fresh).is_empty(), "{fresh}");
    app.advance_seconds(86_400);
    assert_eq!(stale(&health().await), ["\"selic\""]);
    // The made-up registry and its tickers have no day and were never synchronised: they do not age. An inflation
    // target is set for a year or two.
    app.advance_seconds(90 * 86_400);
    assert_eq!(stale(&health().await).len(), Source::ALL.len() - 3);
}

#[tokio::test]
async fn checks_run_in_the_order_of_the_contract() {
    let app = TestApp::start().await;
    let (free, gold) = (app.ample_key(Plan::Free).await, app.ample_key(Plan::Gold).await);
    let ask = async |method: Method, path: &str, key: &str| app.request(method, path).key(key).send().await;
    // Order of checks: identity, route, plan, parameters, then the rest.
    ask(Method::GET, "/api/v1/nothing", "no key").await.expect(401);
    ask(Method::DELETE, "/api/v1/filings?limit=0", &free).await.expect(405);
    ask(Method::GET, "/api/v1/filings?limit=0", &free).await.expect(403);
    ask(Method::GET, "/api/v1/filings/7?limit=0", &free).await.expect(403);
    ask(Method::GET, "/api/v1/companies/7/filings?limit=0", &gold).await.expect(400);
    ask(Method::GET, "/api/v1/companies/7/filings?from=1990-01-01", &gold).await.expect(404);
    ask(Method::GET, "/api/v1/market/selic?from=1990-01-01&limit=0", &free).await.expect(400);
    // The rate limit comes before the route: unknown paths are rejected like any other.
    let scarce = app.key_with_limit(Plan::Free, Some(1)).await;
    ask(Method::GET, "/api/v1/filings", &scarce).await.expect(403);
    ask(Method::GET, "/api/v1/nothing", &scarce).await.expect(429);
}
