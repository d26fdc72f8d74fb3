//! Usage: the report matches the counts, by outcome, endpoint and day.

use lastro_model::Plan;
use lastro_store::faulty::Operation;
use serde_json::{Value, json};

use crate::app::{START_UNIX_MS, TestApp, stray_key};

const USAGE: &str = "/api/v1/plans/usage";

async fn report(app: &TestApp, key: &str) -> Value {
    app.get(USAGE).key(key).send().await.expect(200).json()
}

fn endpoint(report: &Value, name: &str) -> u64 {
    let rows = report["endpoints"].as_array().unwrap();
    rows.iter().find(|row| row["endpoint"] == name).map_or(0, |row| row["requests"].as_u64().unwrap())
}

#[tokio::test]
async fn the_report_matches_the_requests_made() {
    let app = TestApp::start().await;
    let key = app.key_with_limit(Plan::Bronze, Some(10)).await;
    let calls = [
        ("/api/v1/market/selic", 200),
        ("/api/v1/market/selic?limit=5", 200),
        ("/api/v1/market/selic?limit=0", 400),
        ("/api/v1/market/selic?from=1990-01-01", 403),
        ("/api/v1/companies/90001", 200),
        ("/api/v1/companies/7", 404),
        ("/api/v1/filings", 403),
        ("/api/v1/nothing", 404),
        ("/health", 200),
        ("/pricing", 200),
        ("/assets/lastro.css", 200),
    ];
    for (path, status) in calls {
        app.get(path).key(&key).send().await.expect(status);
    }
    app.get(USAGE).key(&key).send().await.expect(200);
    for _ in 0..3 {
        app.get("/health").key(&key).send().await.expect(429);
    }
    app.advance_seconds(61);
    // Requests of other callers are not included.
    app.get("/health").send().await.expect(200);
    app.get("/api/v1/market/selic").key(&stray_key()).send().await.expect(401);
    let report = report(&app, &key).await;
    assert_eq!((&report["plan"], &report["rate_limit"]), (&json!("bronze"), &json!(10)));
    assert_eq!((&report["from"], &report["to"]), (&json!("2026-10-04"), &json!("2026-11-02")));
    assert_eq!(report["total"], 13);
    assert_eq!(
        report["data"],
        json!([{ "date": "2026-11-02", "requests": 13, "ok": 5, "client_errors": 3, "server_errors": 0,
                 "rate_limited": 3, "upgrade_required": 2 }])
    );
    assert_eq!(endpoint(&report, "GET /api/v1/market/selic"), 4);
    assert_eq!(endpoint(&report, "GET /health"), 4);
    assert_eq!(endpoint(&report, "GET /api/v1/companies/{id}"), 2);
    assert_eq!(endpoint(&report, "GET /api/v1/plans/usage"), 1);
    let sum: u64 =
        report["endpoints"].as_array().unwrap().iter().map(|row| row["requests"].as_u64().unwrap()).sum();
    assert_eq!(sum, 13);
}

#[tokio::test]
async fn a_report_includes_the_previous_request() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for made in 0..8u64 {
        assert_eq!(report(&app, &key).await["total"], made);
    }
}

#[tokio::test]
async fn concurrent_reports_include_the_previous_request() {
    let app = TestApp::start().await;
    let mut keys = Vec::new();
    for _ in 0..24 {
        keys.push(app.ample_key(Plan::Free).await);
    }
    let rounds = keys.iter().map(async |key| {
        for made in 0..4u64 {
            app.get("/health").key(key).send().await.expect(200);
            assert_eq!(report(&app, key).await["total"], 2 * made + 1);
        }
    });
    futures_util::future::join_all(rounds).await;
}

#[tokio::test]
async fn a_failed_flush_is_retried_and_counts_once() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for made in 0..5u64 {
        app.faults.fail_next(Operation::AddUsage);
        app.get("/health").key(&key).send().await.expect(200);
        // If the report or the job meets the failure, the next one writes the counts.
        let answer = app.get(USAGE).key(&key).send().await;
        if answer.status == 503 {
            assert_eq!(report(&app, &key).await["total"], 3 * made + 2);
        } else {
            assert_eq!(answer.expect(200).json()["total"], 3 * made + 1);
            report(&app, &key).await;
        }
    }
}

#[tokio::test]
async fn a_clock_that_was_ahead_loses_no_counts() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    app.advance_seconds(400 * 86_400);
    app.get("/health").key(&key).send().await.expect(200);
    let app = app.restart_at(START_UNIX_MS, |_| {}).await;
    for _ in 0..3 {
        app.get("/health").key(&key).send().await.expect(200);
    }
    assert_eq!(report(&app, &key).await["total"], 3);
    let ahead = format!("{USAGE}?from=2027-12-01&to=2027-12-31");
    assert_eq!(app.get(&ahead).key(&key).send().await.expect(200).json()["total"], 1);
}

#[tokio::test]
async fn days_are_in_utc_newest_first_without_empty_ones() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    app.get("/health").key(&key).send().await.expect(200);
    // It is noon: one second before midnight, then midnight, then four days later.
    app.advance_seconds(12 * 3600 - 1);
    app.get("/health").key(&key).send().await.expect(200);
    app.advance_seconds(1);
    app.get("/health").key(&key).send().await.expect(200);
    app.advance_seconds(4 * 86_400);
    app.get("/health").key(&key).send().await.expect(200);
    let report = report(&app, &key).await;
    let days: Vec<(&str, u64)> = report["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| (day["date"].as_str().unwrap(), day["requests"].as_u64().unwrap()))
        .collect();
    assert_eq!(days, [("2026-11-07", 1), ("2026-11-03", 1), ("2026-11-02", 2)]);
    let path = format!("{USAGE}?from=2026-11-03&to=2026-11-03");
    let one_day = app.get(&path).key(&key).send().await.expect(200).json();
    assert_eq!(
        (&one_day["total"], &one_day["from"], &one_day["to"]),
        (&json!(1), &json!("2026-11-03"), &json!("2026-11-03"))
    );
}

#[tokio::test]
async fn a_report_covers_at_most_a_leap_year() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for (range, status) in [
        ("from=2025-11-02&to=2026-11-02", 200),
        ("from=2025-11-01&to=2026-11-02", 400),
        ("from=2025-11-02", 200),
        ("from=2025-11-01", 400),
        ("to=2020-01-01", 200),
        ("from=2030-01-01", 200),
        ("from=2026-11-02&to=2026-11-01", 400),
        ("from=2026-02-30", 400),
        ("to=yesterday", 400),
        ("from=0000-01-01&to=9999-12-31", 400),
        ("to=0001-01-01", 200),
        ("to=9999-12-31", 200),
    ] {
        app.get(&format!("{USAGE}?{range}")).key(&key).send().await.expect(status);
    }
    let message = app.get(&format!("{USAGE}?from=2020-01-01")).key(&key).send().await.expect_error(400);
    assert!(message.contains("`from`") && message.contains("366"), "{message}");
    let before = app.get(&format!("{USAGE}?to=2026-03-31")).key(&key).send().await.expect(200).json();
    assert_eq!(before["from"], "2026-03-02");
}

#[tokio::test]
async fn counts_survive_a_restart() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for _ in 0..5 {
        app.get("/health").key(&key).send().await.expect(200);
    }
    app.get("/api/v1/companies").key(&key).send().await.expect(403);
    let app = app.restart().await;
    app.get("/health").key(&key).send().await.expect(200);
    let after = report(&app, &key).await;
    assert_eq!(after["total"], 7);
    assert_eq!(endpoint(&after, "GET /health"), 6);
    assert_eq!(after["data"][0]["upgrade_required"], 1);
    assert_eq!(report(&app, &key).await["total"], 8);
}
