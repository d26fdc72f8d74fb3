//! Debts over HTTP: line by line, and refused with the member at fault.

use lastro_model::{Day, Series};
use serde_json::{Value, json};

use super::given_months;
use crate::app::TestApp;

async fn owed(app: &TestApp, body: &Value) -> crate::answer::Answer {
    app.advance_seconds(10);
    app.request(reqwest::Method::POST, "/api/v1/calc/debt").body(body.to_string()).send().await
}

#[tokio::test]
async fn a_debt_is_calculated_line_by_line() {
    let app = TestApp::start().await;
    let values = ["0.42", "0.83", "0.16", "0.38", "0.46", "0.21", "0.38", "-0.02", "0.44"];
    given_months(&app, Series::Ipca, "2024-01-01", &values).await;
    given_months(&app, Series::LegalRate, "2024-08-01", &["0.605306", "0.676227", "0.704241"]).await;
    let body = json!({
        "to": "2024-10-15", "index": "ipca", "interest": { "rule": "legal" }, "fine_percent": "10",
        "fees_percent": 20,
        "instalments": [
            { "date": "2024-09-10", "amount": 777.77, "label": "setembro" },
            { "date": "2024-01-31", "amount": "1000" },
        ],
    });
    let debt = owed(&app, &body).await.expect(200).json();
    let line = &debt["instalments"][0];
    assert_eq!((&line["label"], line["total"].to_string()), (&json!("setembro"), "787.37".into()));
    assert_eq!((&line["first_month"], &line["last_month"]), (&json!("2024-09"), &json!("2024-09")));
    assert_eq!(debt["instalments"][1]["interest_percent"].to_string(), "8.033323");
    assert_eq!(debt["subtotal"].to_string(), "1903.41");
    // 10 % of 781.19 + 1033.05, and 20 % of the subtotal with it.
    assert_eq!((debt["fine"].to_string(), debt["fees"].to_string()), ("181.42".into(), "416.97".into()));
    assert_eq!(debt["result"].to_string(), "2501.8");
    assert_eq!(debt["receipt"].as_array().unwrap().len(), 9);
    assert_eq!(debt["legal_rates"].as_array().unwrap().len(), 3);
    assert!(debt["editions"]["ipca"].is_u64() && debt["editions"]["legal-rate"].is_u64());
}

#[tokio::test]
async fn an_invalid_debt_is_refused_with_the_member() {
    let app = TestApp::start().await;
    let good = json!({
        "to": "2026-06-15", "index": null, "interest": { "rule": "none" },
        "instalments": [{ "date": "2026-01-10", "amount": 1 }],
    });
    owed(&app, &good).await.expect(200);
    for (member, value, named) in [
        ("to", json!("2026-02-30"), "`to`"),
        ("index", json!("selic"), "`index`"),
        ("interest", json!({ "rule": "compound" }), "`interest.rule`"),
        ("interest", json!({ "rule": "legal", "monthly_percent": 2 }), "`interest.monthly_percent`"),
        ("interest", json!({ "rule": "simple", "from": "2026-06-16" }), "`interest.from`"),
        ("fine_percent", json!(-1), "`fine_percent`"),
        ("fine_on", json!("everything"), "`fine_on`"),
        ("fees_percent", json!("1e1"), "`fees_percent`"),
        ("instalments", json!([]), "`instalments`"),
        ("instalments", json!([{ "date": "1994-06-30", "amount": 1 }]), "`instalments[0].date`"),
        ("instalments", json!([{ "date": "2026-01-10", "amount": "1.001" }]), "`instalments[0].amount`"),
        ("instalments", json!([{ "date": "2026-01-10", "amount": 1, "label": "a".repeat(101) }]), "label"),
        ("extra", json!(1), "`extra` is not a member"),
        (
            "interest",
            json!({ "rat": "none" }),
            "`interest.rat` is not a member of this object; the nearest one is `rule`",
        ),
        ("interest", json!({ "from": null }), "`interest.rule` is required"),
        (
            "instalments",
            json!([{ "date": "2026-01-10", "amount": 1 }, { "date": "2026-01-10", "amount": 1, "lable": "x" }]),
            "`instalments[1].lable` is not a member of this object; the nearest one is `label`",
        ),
        ("instalments", json!([{ "date": "2026-01-10" }]), "`instalments[0].amount` is required"),
        ("instalments", json!([{ "date": "2026-01-10", "amount": null }]), "`instalments[0].amount` must be"),
        (
            "instalments",
            json!([{ "date": "2026-01-10", "amount": 1 }, { "date": 20260110, "amount": 1 }]),
            "`instalments[1].date` must be a text",
        ),
        (
            "instalments",
            json!([{ "date": "2026-01-10", "amount": 1, "label": 7 }]),
            "`instalments[0].label` must be a text or null",
        ),
        (
            "instalments",
            json!([{ "date": "2026-01-10", "amount": 1 }, 5]),
            "`instalments[1]` must be an object",
        ),
        ("instalments", json!([null]), "`instalments[0]` must be an object"),
        ("instalments", json!({ "date": "2026-01-10" }), "`instalments` must be a list"),
        ("instalments", json!(null), "`instalments` must be a list"),
        ("to", json!(20260615), "`to` must be a text"),
        ("to", json!(null), "`to` must be a text"),
        ("index", json!(433), "`index` must be a text or null"),
        ("interest", json!("legal"), "`interest` must be an object"),
        ("interest", json!(null), "`interest` must be an object"),
        ("interest", json!({ "rule": 1 }), "`interest.rule` must be a text"),
        ("interest", json!({ "rule": "legal", "from": 20260101 }), "`interest.from` must be a text or null"),
        ("fine_on", json!(true), "`fine_on` must be a text or null"),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        let refused = owed(&app, &bad).await.expect(400).json();
        assert!(refused["message"].as_str().unwrap().contains(named), "{bad}: {refused}");
    }
    // The result is no input, so it is not offered as one.
    let mut checked = good.clone();
    checked["result"] = json!(1);
    let message = owed(&app, &checked).await.expect_error(400);
    assert!(
        message.contains("`result` is not a member") && message.ends_with("fees_percent, instalments"),
        "{message}"
    );
    for member in ["to", "index", "interest", "instalments"] {
        let mut missing = good.clone();
        missing.as_object_mut().unwrap().remove(member);
        let message = owed(&app, &missing).await.expect_error(400);
        assert!(message.starts_with(&format!("`{member}` is required")), "{message}");
    }
    assert!(owed(&app, &json!({})).await.expect_error(400).starts_with("`to` is required"));
}

#[tokio::test]
async fn five_hundred_instalments_are_one_answer() {
    let app = TestApp::start().await;
    given_months(&app, Series::Ipca, "1995-01-01", &["0.50"; 380]).await;
    given_months(&app, Series::LegalRate, "2024-08-01", &["0.605306"; 24]).await;
    let first = Day::parse("1995-01-10").unwrap();
    // With the longest labels that 500 can have: a request has at most 64 KiB.
    let instalment = |place: i32| {
        let label = format!("{:0>78}", format!("Aluguel e condomínio, parcela {place}"));
        json!({ "date": first.minus_months(-place % 370).to_string(), "amount": 1234.56, "label": label })
    };
    let body = json!({
        "to": "2026-06-15", "index": "ipca", "interest": { "rule": "legal" },
        "instalments": (0..500).map(instalment).collect::<Vec<_>>(),
    });
    let sent = body.to_string().len();
    assert!((64_000..65_536).contains(&sent), "{sent}");
    let answer = owed(&app, &body).await.expect(200);
    assert!(answer.text().len() < 200_000, "{}", answer.text().len());
    let debt = answer.json();
    let count = |list: &str| debt[list].as_array().unwrap().len();
    assert_eq!((count("instalments"), count("receipt"), count("legal_rates")), (500, 377, 23));
}

#[tokio::test]
async fn only_series_whose_values_were_used_are_named() {
    let app = TestApp::start().await;
    let named = async |to: &str, date: &str| {
        let body = json!({
            "to": to, "index": "ipca", "interest": { "rule": "legal" },
            "instalments": [{ "date": date, "amount": 1 }],
        });
        let debt = owed(&app, &body).await.expect(200).json();
        let editions: Vec<String> = debt["editions"].as_object().unwrap().keys().cloned().collect();
        (debt["series"].clone(), editions.join(" "))
    };
    assert_eq!(named("2026-06-15", "2024-01-10").await, (json!("ipca"), "ipca legal-rate".into()));
    assert_eq!(named("2024-08-30", "2024-01-10").await, (json!("ipca"), "ipca".into()));
    assert_eq!(named("2026-06-15", "2026-06-01").await, (json!("legal-rate"), "legal-rate".into()));
    assert_eq!(named("2024-08-30", "2024-08-01").await, (json!(null), String::new()));
}

#[tokio::test]
async fn numbers_of_any_json_notation_are_exact() {
    let app = TestApp::start().await;
    let total = async |amount: &str, percent: &str| {
        let body = format!(
            r#"{{"to":"2026-06-15","index":null,"interest":{{"rule":"none"}},"fine_percent":{percent},
               "instalments":[{{"date":"2026-01-10","amount":{amount}}}]}}"#
        );
        app.advance_seconds(10);
        app.request(reqwest::Method::POST, "/api/v1/calc/debt").body(body).send().await
    };
    for (amount, percent) in
        [("1000", "2"), ("1e3", "2.00000"), ("1000.000", "0.2E1"), ("\"1000.00\"", "200e-2")]
    {
        let debt = total(amount, percent).await.expect(200).json();
        assert_eq!(debt["result"].to_string(), "1020.0", "{amount} {percent}");
    }
    for (amount, percent) in
        [("1e16", "2"), ("1e-3", "2"), ("\"1e3\"", "2"), ("1000.001", "2"), ("1", "1e400")]
    {
        total(amount, percent).await.expect(400);
    }
}
