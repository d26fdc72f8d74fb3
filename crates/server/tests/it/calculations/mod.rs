//! Calculations over HTTP: by the publishers' own rules, with a receipt that anybody can recompute.

mod debt;

use lastro_model::{Day, Plan, RatePoint, Records, Series, Source};
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::csv::publish;
use crate::description::DESCRIPTION;

/// Replaces the sample with monthly values, starting at a first month.
async fn given_months(app: &TestApp, series: Series, first: &str, values: &[&str]) {
    let first = Day::parse(first).unwrap();
    let point = |(months, value): (i32, &&str)| RatePoint {
        day: first.minus_months(-months),
        value: value.parse().unwrap(),
    };
    let points = (0..).zip(values).map(point).collect();
    publish(app, Source::Series(series), Records::Rates(points)).await;
}

/// A number as sent, including trailing zeros.
async fn sent(app: &TestApp, key: &str, path: &str, name: &str) -> String {
    let answer = app.get(&format!("/api/v1/calc/{path}")).key(key).send().await.expect(200).text();
    let (_, rest) = answer.split_once(&format!("\"{name}\":")).unwrap();
    rest.split([',', '}']).next().unwrap().to_owned()
}

async fn get(app: &TestApp, key: &str, path: &str) -> Value {
    app.get(&format!("/api/v1/calc/{path}")).key(key).send().await.expect(200).json()
}

#[tokio::test]
async fn correction_includes_both_months() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    given_months(&app, Series::Ipca, "2025-01-01", &["0.16", "1.31", "0.56"]).await;
    let path = "correction?index=ipca&from=2025-01&to=2025-03&amount=1000";
    let corrected = get(&app, &gold, path).await;
    assert_eq!(sent(&app, &gold, path, "result").await, "1020.40");
    assert_eq!(corrected["convention"], "bcb");
    assert_eq!(corrected["receipt"].as_array().unwrap().len(), 3);
    assert_eq!(corrected["receipt"][2]["factor"], corrected["factor"]);
    assert_eq!(corrected["receipt"][0], json!({ "month": "2025-01", "value": 0.16, "factor": 1.0016 }));
    let by_code = get(&app, &gold, &path.replace("ipca", "433")).await;
    assert_eq!(by_code["factor"], corrected["factor"]);
    let one = get(&app, &gold, "correction?index=ipca&from=2025-02&to=2025-02").await;
    assert_eq!((&one["result"].to_string()[..], one["amount"].to_string()), ("1.01", "1".to_owned()));
}

#[tokio::test]
async fn the_announced_index_is_calculated_with_all_its_decimals() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    given_months(&app, Series::Igpm, "2021-05-01", &["4.10"]).await;
    given_months(&app, Series::IgpmExact, "2021-05-01", &["4.0954387159"]).await;
    let corrected = get(&app, &gold, "correction?index=igpm&from=2021-05&to=2021-05").await;
    assert_eq!((&corrected["index"], &corrected["series"]), (&json!("igpm"), &json!("igpm-exact")));
    assert_eq!(corrected["percent"].to_string(), "4.095439");
    assert!(corrected["editions"]["igpm-exact"].is_u64());
}

#[tokio::test]
async fn correction_converts_between_currencies() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    // The test vector of the central bank's calculator: 100,000 cruzados of January 1989.
    given_months(&app, Series::Inpc, "1989-01-01", &["35.48", "16.35", "5.90", "8.06", "16.67"]).await;
    let corrected = get(&app, &gold, "correction?index=inpc&from=1989-01&to=1989-05&amount=100000").await;
    assert_eq!((&corrected["currency_from"], &corrected["currency_to"]), (&json!("BRC"), &json!("BRN")));
    assert_eq!(corrected["factor"].to_string(), "2.10456187");
    assert_eq!(corrected["result"].to_string(), "210.46");
    assert_eq!(corrected["divisor"].to_string(), "1000");
    let within = get(&app, &gold, "correction?index=inpc&from=1989-02&to=1989-05&amount=100000").await;
    assert_eq!((within["divisor"].to_string(), &within["currency_from"]), ("1".into(), &json!("BRN")));
}

#[tokio::test]
async fn legal_interest_is_simple_and_by_calendar_days() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    given_months(&app, Series::LegalRate, "2024-08-01", &["0.605306", "0.676227", "0.704241"]).await;
    let path = "legal-interest?from=2024-08-30&to=2024-09-10&amount=1000";
    assert_eq!(sent(&app, &gold, path, "percent").await, "0.241920");
    assert_eq!(sent(&app, &gold, path, "result").await, "1002.42");
    let path = "legal-interest?from=2024-09-10&to=2024-09-10&amount=1000.00";
    assert_eq!(sent(&app, &gold, path, "result").await, "1000.00");
    assert_eq!(get(&app, &gold, path).await["receipt"], json!([]));
}

#[tokio::test]
async fn accumulation_multiplies_the_daily_rate() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let days = ["2022-01-03", "2022-01-04"];
    let point = |day: &str| RatePoint { day: Day::parse(day).unwrap(), value: "6.89".parse().unwrap() };
    publish(&app, Source::Series(Series::Cdi), Records::Rates(days.map(point).to_vec())).await;
    let path = "accumulation?rate=cdi&from=2022-01-03&to=2022-01-05";
    assert_eq!(get(&app, &gold, path).await["factor"].to_string(), "1.00052895");
    let one = get(&app, &gold, "accumulation?rate=cdi&from=2022-01-03&to=2022-01-04&amount=1000000").await;
    assert_eq!(
        (one["factor"].to_string(), one["result"].to_string()),
        ("1.00026444".into(), "1000264.44".into())
    );
    let shouted = get(&app, &gold, &path.replace("cdi", "CDI")).await;
    assert_eq!((&shouted["rate"], &shouted["factor"]), (&json!("cdi"), &json!(1.00052895)));
    let doubled = get(&app, &gold, &format!("{path}&rate_percent=200")).await;
    assert_eq!(doubled["factor"].to_string(), "1.00105804");
}

#[tokio::test]
async fn receipts_of_any_period_need_no_plan() {
    let app = TestApp::start().await;
    let newest = lastro_sample::rates(Series::Ipca, 1).last().unwrap().day;
    let month = |back: i32| newest.minus_months(back).to_string()[..7].to_owned();
    let path = |back: i32| format!("/api/v1/calc/correction?index=ipca&from={}&to={}", month(back), month(0));
    let gold = app.ample_key(Plan::Gold).await;
    for back in [0, 12, 13, 40] {
        let anybody = app.get(&path(back)).send().await.expect(200).json();
        assert_eq!(anybody["receipt"].as_array().unwrap().len(), back as usize + 1);
        assert_eq!(anybody, app.get(&path(back)).key(&gold).send().await.expect(200).json());
    }
    // The series itself is shown only as far as the plan allows.
    let list = format!("/api/v1/market/ipca?from={}-01", month(13));
    app.get(&list).send().await.expect(403);
}

#[tokio::test]
async fn invalid_calculations_are_rejected_with_the_parameter_name() {
    let app = TestApp::start().await;
    for bad in [
        "correction",
        "correction?index=ipca&from=2026-01",
        "correction?index=selic&from=2026-01&to=2026-02",
        "correction?index=selic-month&from=2026-01&to=2026-02",
        "correction?index=nothing&from=2026-01&to=2026-02",
        "correction?index=ipca&from=2026-1&to=2026-02",
        "correction?index=ipca&from=2026-01-01&to=2026-02",
        "correction?index=ipca&from=2026-02&to=2026-01",
        "correction?index=ipca&from=2026-01&to=2026-12",
        "correction?index=ipca&from=1970-01&to=2026-01",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=0",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=-1",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=1e3",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=1,5",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=.5",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=1.234",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=1000000000000000.01",
        "correction?index=ipca&from=2026-01&to=2026-02&amount=99999999999999999999999999999999999999",
        "accumulation?from=2026-01-05&to=2026-01-06",
        "accumulation?rate=ipca&from=2026-01-05&to=2026-01-06",
        "accumulation?rate=cdi&from=2026-01-05",
        "accumulation?rate=cdi&from=2026-01-06&to=2026-01-05",
        "accumulation?rate=cdi&from=2000-12-29&to=2026-01-05",
        "accumulation?rate=cdi&from=2026-01-05&to=2100-01-05",
        "accumulation?rate=cdi&from=2026-01-05&to=2026-12-24",
        "accumulation?rate=cdi&from=2026-01-05&to=2026-01-06&rate_percent=0",
        "accumulation?rate=cdi&from=2026-01-05&to=2026-01-06&rate_percent=1000.1",
        "accumulation?rate=cdi&from=2026-01-05&to=2026-01-06&rate_percent=1.23456",
        "legal-interest?from=2024-08-29&to=2024-09-10",
        "legal-interest?from=2024-08-30&to=2999-09-10",
        "legal-interest?from=2024-08-30",
    ] {
        let refused = app.get(&format!("/api/v1/calc/{bad}")).send().await.expect(400).json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains('`') || message.contains("has no value for"), "{bad}: {refused}");
        app.advance_seconds(3);
    }
}

/// The example response of a calculation in the description.
fn example(name: &str) -> Value {
    let endpoint = format!("/api/v1/calc/{name}");
    let operation = &DESCRIPTION.document["paths"][&endpoint]["get"];
    operation["responses"]["200"]["content"]["application/json"]["example"].clone()
}

#[tokio::test]
async fn examples_in_the_description_match_the_responses() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (name, inputs) in [
        ("correction", &["index", "from", "to", "amount"][..]),
        ("accumulation", &["rate", "rate_percent", "from", "to", "amount"]),
        ("legal-interest", &["from", "to", "amount"]),
        ("savings", &["from", "to", "amount"]),
    ] {
        let mut shown = example(name);
        let point = |step: &Value| {
            let day = step["date"].as_str().map(str::to_owned);
            let day = day.unwrap_or_else(|| format!("{}-01", step["month"].as_str().unwrap()));
            RatePoint { day: Day::parse(&day).unwrap(), value: step["value"].to_string().parse().unwrap() }
        };
        let rows = shown["receipt"].as_array().unwrap().iter().map(point).collect();
        let series = Series::parse(shown["series"].as_str().unwrap()).unwrap();
        publish(&app, Source::Series(series), Records::Rates(rows)).await;
        let input = |name: &&str| format!("{name}={}", shown[*name].to_string().trim_matches('"'));
        let query: Vec<String> = inputs.iter().map(input).collect();
        let answered = get(&app, &gold, &format!("{name}?{}", query.join("&"))).await;
        for own in ["editions", "check"] {
            shown[own] = answered[own].clone();
        }
        assert_eq!(answered, shown);
    }
}

#[tokio::test]
async fn non_numeric_values_are_rejected_with_the_bounds() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let days = "accumulation?rate=cdi&from=2026-10-01&to=2026-10-02";
    for (parameter, bounds) in [("amount", "1000000000000000"), ("rate_percent", "up to 1000 ")] {
        for value in ["-1", "0", "1e3", "NaN", "", "99999999999999999999999999999999"] {
            let path = format!("/api/v1/calc/{days}&{parameter}={value}");
            let message = app.get(&path).key(&gold).send().await.expect_error(400);
            assert!(message.contains(parameter) && message.contains(bounds), "{value}: {message}");
        }
    }
}

/// Replaces the sample with a value for every calendar day.
async fn given_days(app: &TestApp, series: Series, first: &str, last: &str, value: &str) {
    let (first, last) = (Day::parse(first).unwrap(), Day::parse(last).unwrap());
    let point = |number| RatePoint { day: Day::from_number(number).unwrap(), value: value.parse().unwrap() };
    let points = (first.number()..=last.number()).map(point).collect();
    publish(app, Source::Series(series), Records::Rates(points)).await;
}

#[tokio::test]
async fn savings_take_the_series_of_the_day_of_the_deposit() {
    let app = TestApp::start().await;
    given_days(&app, Series::SavingsOldDaily, "2012-04-01", "2012-08-31", "0.6000").await;
    given_days(&app, Series::SavingsDaily, "2012-05-04", "2012-08-31", "0.5000").await;
    let savings = async |from: &str, to: &str| {
        app.get(&format!("/api/v1/calc/savings?from={from}&to={to}&amount=1000"))
            .send()
            .await
            .expect(200)
            .json()
    };
    let old = savings("2012-05-03", "2012-07-03").await;
    assert_eq!((&old["series"], old["result"].to_string()), (&json!("savings-old-daily"), "1012.04".into()));
    assert_eq!(old["receipt"][0]["date"], "2012-05-03");
    assert_eq!(old["receipt"][1]["credited_on"], "2012-07-03");
    let new = savings("2012-05-04", "2012-07-03").await;
    assert_eq!((&new["series"], new["result"].to_string()), (&json!("savings-daily"), "1005.0".into()));
}

#[tokio::test]
async fn a_rent_may_ignore_a_fall_of_the_index() {
    let app = TestApp::start().await;
    given_months(&app, Series::IgpmExact, "2023-01-01", &["-0.5"; 12]).await;
    let rent = async |negative: &str| {
        let path = format!("/api/v1/calc/rent?index=igpm&month=2024-01&amount=2000{negative}");
        app.get(&path).send().await.expect(200).json()
    };
    assert_eq!(rent("").await["result"].to_string(), "1883.25");
    assert_eq!(rent("&negative=ignore").await["result"].to_string(), "2000.0");
    app.get("/api/v1/calc/rent?index=igpm&month=1995-06").send().await.expect(400);
    app.get("/api/v1/calc/rent?index=igpm&month=2024-01&negative=maybe").send().await.expect(400);
}

#[tokio::test]
async fn minimum_wages_are_converted_one_way_at_a_time() {
    let app = TestApp::start().await;
    given_months(&app, Series::MinimumWage, "2024-01-01", &["1412.00"]).await;
    let ask = |query: &str| app.get(&format!("/api/v1/calc/minimum-wages?month=2024-01{query}")).send();
    let wages = ask("&amount=1000").await.expect(200).json();
    assert_eq!((wages["wages"].to_string(), wages["wage"].to_string()), ("0.7082".into(), "1412.0".into()));
    assert_eq!(ask("&wages=1.5").await.expect(200).json()["amount"].to_string(), "2118.0");
    for bad in ["", "&amount=1&wages=1", "&wages=0", "&wages=1.00001"] {
        ask(bad).await.expect(400);
    }
}
