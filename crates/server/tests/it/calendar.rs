//! The calendar over HTTP. Its rules are tested where they are implemented.

use serde_json::{Value, json};

use crate::app::TestApp;

async fn get(app: &TestApp, path: &str) -> Value {
    app.get(&format!("/api/v1/calendar/{path}")).send().await.expect(200).json()
}

#[tokio::test]
async fn a_day_shows_its_kind_and_neighbouring_business_days() {
    let app = TestApp::start().await;
    let holiday = get(&app, "days/2026-11-20").await;
    assert_eq!((&holiday["weekday"], &holiday["business_day"]), (&json!(5), &json!(false)));
    assert_eq!(holiday["holiday"]["name_pt"].as_str().map(str::is_empty), Some(false));
    assert_eq!(holiday["previous_business_day"], "2026-11-19");
    assert_eq!(holiday["next_business_day"], "2026-11-23");
    let plain = get(&app, "days/2023-11-20").await;
    assert_eq!((&plain["business_day"], &plain["holiday"]), (&json!(true), &Value::Null));
    assert_eq!(get(&app, "days/2001-01-01").await["previous_business_day"], Value::Null);
    assert_eq!(get(&app, "days/2026-11-15").await["weekday"], 7);
}

#[tokio::test]
async fn business_days_are_counted_and_shifted_by() {
    let app = TestApp::start().await;
    for (year, count) in [(2019, 253), (2022, 251), (2025, 252), (2026, 249), (2028, 248)] {
        let counted = get(&app, &format!("business-days?from={year}-01-01&to={}-01-01", year + 1)).await;
        assert_eq!(
            (&counted["count"], &counted["count_inclusive"]),
            (&json!(count), &json!(count)),
            "{year}"
        );
    }
    let one = get(&app, "business-days?from=2026-11-16&to=2026-11-16").await;
    assert_eq!((&one["count"], &one["count_inclusive"]), (&json!(0), &json!(1)));
    let text = app.get("/api/v1/calendar/business-days?from=2026-01-01&to=2027-01-01").send().await;
    assert!(text.expect(200).text().ends_with(r#""fraction_252":0.98809524}"#));
    for (date, days, expected) in [
        ("2026-11-20", 0, "2026-11-23"),
        ("2026-11-20", 1, "2026-11-23"),
        ("2026-11-20", -1, "2026-11-19"),
        ("2026-11-19", 0, "2026-11-19"),
        ("2026-11-19", 1, "2026-11-23"),
    ] {
        assert_eq!(
            get(&app, &format!("shift?date={date}&days={days}")).await["date"],
            expected,
            "{date} {days}"
        );
    }
    assert_eq!(get(&app, "holidays?year=2026").await["data"].as_array().unwrap().len(), 13);
}

#[tokio::test]
async fn invalid_calendar_parameters_are_rejected_by_name() {
    let app = TestApp::start().await;
    for (path, name) in [
        ("days/2000-12-31", "date"),
        ("days/2100-01-01", "date"),
        ("days/2026-02-29", "date"),
        ("days/today", "date"),
        ("business-days?from=2026-01-01", "to"),
        ("business-days?to=2026-01-01", "from"),
        ("business-days?from=2026-02-01&to=2026-01-01", "from"),
        ("business-days?from=1999-02-01&to=2026-01-01", "from"),
        ("business-days?from=2026-02-01&to=2126-01-01", "to"),
        ("shift?date=2026-01-01", "days"),
        ("shift?days=1", "date"),
        ("shift?date=2026-01-01&days=10001", "days"),
        ("shift?date=2026-01-01&days=1.5", "days"),
        ("shift?date=2026-01-01&days=", "days"),
        ("shift?date=2099-12-31&days=1", "days"),
        ("shift?date=2001-01-02&days=-1", "days"),
        ("holidays", "year"),
        ("holidays?year=2000", "year"),
        ("holidays?year=02026", "year"),
        ("holidays?year=%2B2026", "year"),
    ] {
        let refused = app.get(&format!("/api/v1/calendar/{path}")).send().await.expect(400).json();
        assert!(refused["message"].as_str().unwrap().starts_with(&format!("`{name}`")), "{path}: {refused}");
    }
}
