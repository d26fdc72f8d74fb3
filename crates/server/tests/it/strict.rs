//! Questions are taken literally: what is unknown is refused by name, and what can be asked for is listed.

use lastro::http::handler::Handler;
use lastro::http::routes::ROUTES;
use lastro_model::Plan;
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::billing::stripe::Stripe;
use crate::billing::switch_on;
use crate::contract::ask;

#[tokio::test]
async fn every_route_refuses_unknown_and_repeated_parameters() {
    let stripe = Stripe::open();
    let app = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    let key = app.ample_key(Plan::Platinum).await;
    for route in ROUTES.iter().filter(|route| route.path().starts_with("/api/")) {
        let asked = ask(&app, route.endpoint).path;
        let joint = if asked.contains('?') { '&' } else { '?' };
        let known = route.parameters.unwrap();
        let send = async |more: &str| {
            let path = format!("{asked}{joint}{more}");
            let method = route.method().parse().unwrap();
            app.request(method, &path).key(&key).body("{}").send().await.expect_error(400)
        };
        let message = send("nubmers=string").await;
        assert!(message.starts_with("`nubmers` is not a parameter of this path"), "{message}");
        assert!(message.contains("nearest one is `numbers`"), "{message}");
        assert!(message.ends_with(&known.join(", ")), "{message}");
        assert_eq!(send("numbers=string&numbers=string").await, "`numbers` is given more than once");
        assert_eq!(send("numbers=words").await, "`numbers` must be one of number, string");
    }
}

#[tokio::test]
async fn pages_and_health_ignore_unknown_parameters() {
    let app = TestApp::start().await;
    for path in ["/", "/pricing", "/docs", "/series", "/series/IPCA", "/calculator", "/health", "/status"] {
        app.get(&format!("{path}?utm_source=letter&utm_source=again")).send().await.expect(200);
    }
}

#[tokio::test]
async fn plan_then_parameters_then_existence_are_checked() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    app.get("/api/v1/filings?colour=green").send().await.expect(403);
    app.get("/api/v1/companies/7?colour=green").key(&gold).send().await.expect(400);
    app.get("/api/v1/companies/7").key(&gold).send().await.expect(404);
    app.get("/api/v1/market/selic?from=1990-01-01&colour=green").send().await.expect(400);
    app.get("/api/v1/market/selic?from=1990-01-01").send().await.expect(403);
}

#[tokio::test]
async fn filings_are_selected_by_companies_in_any_spelling() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let get = async |path: &str| app.get(path).key(&gold).send().await.expect(200).json();
    let company = get("/api/v1/companies/90001").await;
    let of_one = get("/api/v1/companies/90001/filings?limit=1000").await;
    let cnpj = company["cnpj"].as_str().unwrap().to_owned();
    let digits: String = cnpj.chars().filter(char::is_ascii_alphanumeric).collect();
    let ticker = company["tickers"][0].as_str().map_or("090001".to_owned(), str::to_lowercase);
    for id in ["90001", "090001", cnpj.as_str(), &digits, &ticker, &format!("90001,{digits}, {ticker}")] {
        for list in ["/api/v1/filings?", "/api/v1/filings/recent?"] {
            let found = get(&format!("{list}limit=1000&company_id={}", id.replace('/', "%2F"))).await;
            assert_eq!(found["data"], of_one["data"], "{list} {id}");
        }
    }
    let other = get("/api/v1/companies/90002/filings?limit=1000").await;
    let both = get("/api/v1/filings?limit=1000&company_id=90001,90002").await;
    assert_eq!(
        both["total"].as_u64(),
        Some(of_one["total"].as_u64().unwrap() + other["total"].as_u64().unwrap())
    );
    let all = get("/api/v1/filings?limit=1000").await;
    let is_of_both = |filing: &&Value| ["90001", "90002"].contains(&filing["company_id"].as_str().unwrap());
    let expected: Vec<&Value> = all["data"].as_array().unwrap().iter().filter(is_of_both).collect();
    assert!(both["data"].as_array().unwrap().iter().take(expected.len()).eq(expected.iter().copied()));
    for (ids, status, named) in [
        ("90001,7", 404, "`7`"),
        ("90001,XXXX9", 400, "`XXXX9`"),
        ("90001,XXXX3", 404, "`XXXX3`"),
        ("90001,x-1", 400, "`x-1`"),
    ] {
        let refused = app.get(&format!("/api/v1/filings?company_id={ids}")).key(&gold).send().await;
        assert!(refused.expect_error(status).contains(named), "{ids}");
    }
    for bad in ["", ",", "90001,", "PETR4;VALE3", "%00"] {
        let refused = app.get(&format!("/api/v1/filings?company_id={bad}")).key(&gold).send().await;
        assert!(refused.expect_error(400).starts_with("`company_id` must be"), "{bad}");
    }
    let many = vec!["90001"; 1_000].join(",");
    app.get(&format!("/api/v1/filings?company_id={many}")).key(&gold).send().await.expect(200);
}

#[tokio::test]
async fn searches_are_limited_to_companies_categories_and_days() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let get = async |path: &str| app.get(path).key(&gold).send().await.expect(200).json();
    let whole = get("/api/v1/filings/search?q=energia&limit=1000").await;
    let first = &whole["data"][0];
    let (company, day) = (first["company_id"].as_str().unwrap(), &first["date"].as_str().unwrap()[..10]);
    let category = first["category"].as_str().unwrap().replace(' ', "+");
    let filtered = get(&format!(
        "/api/v1/filings/search?q=energia&limit=1000&company_id={company}&from={day}&to={day}&category={category}"
    ))
    .await;
    let fits =
        |filing: &&Value| ["company_id", "date", "category"].iter().all(|name| filing[name] == first[name]);
    let expected: Vec<&Value> = whole["data"].as_array().unwrap().iter().filter(fits).collect();
    assert!(filtered["data"].as_array().unwrap().iter().eq(expected.iter().copied()), "{filtered}");
    let none = get(&format!("/api/v1/filings/search?q=energia&company_id={company}&from=2031-01")).await;
    assert_eq!(none["total"], 0);
    let all = get("/api/v1/companies/search?q=energia&limit=1000").await;
    let registered = get("/api/v1/companies/search?q=energia&limit=1000&to=2009-12").await;
    let before = |company: &&Value| company["registered_on"].as_str().is_some_and(|day| day < "2010");
    let expected: Vec<&Value> = all["data"].as_array().unwrap().iter().filter(before).collect();
    assert!(!expected.is_empty() && registered["total"] == expected.len(), "{registered}");
    assert!(registered["data"].as_array().unwrap().iter().eq(expected.iter().copied()));
    let everything = get("/api/v1/search?q=energia&limit=1000&to=2009-12").await;
    assert_eq!((&everything["companies"], &everything["filings"]), (&registered["data"], &json!([])));
}

#[tokio::test]
async fn companies_are_selected_by_cnpj_and_registration() {
    let app = TestApp::start().await;
    let bronze = app.ample_key(Plan::Bronze).await;
    let get = async |path: &str| app.get(path).key(&bronze).send().await.expect(200).json();
    let company = get("/api/v1/companies/90001").await;
    let cnpj = company["cnpj"].as_str().unwrap();
    let digits: String = cnpj.chars().filter(char::is_ascii_alphanumeric).collect();
    for written in [cnpj, &digits] {
        let found = get(&format!("/api/v1/companies?cnpj={written}")).await;
        assert_eq!((&found["total"], &found["data"][0]), (&json!(1), &company), "{written}");
    }
    assert_eq!(get("/api/v1/companies?cnpj=00000000000191").await["total"], 0);
    app.get("/api/v1/companies?cnpj=12").key(&bronze).send().await.expect(400);
    let all = get("/api/v1/companies?limit=1000").await;
    let inside = |company: &&Value| {
        company["registered_on"].as_str().is_some_and(|day| ("2005-02-01".."2012-07-01").contains(&day))
    };
    let expected: Vec<&Value> = all["data"].as_array().unwrap().iter().filter(inside).collect();
    assert!(!expected.is_empty());
    let found = get("/api/v1/companies?from=2005-02&to=2012-06&limit=1000").await;
    assert!(found["data"].as_array().unwrap().iter().eq(expected.iter().copied()));
}

#[tokio::test]
async fn a_month_stands_for_its_first_or_last_day() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let text = async |path: &str| app.get(path).key(&gold).send().await.expect(200).text();
    for path in ["/api/v1/filings?", "/api/v1/market/cdi?", "/api/v1/series/cdi/observations?"] {
        let days = text(&format!("{path}from=2026-02-01&to=2026-02-28&limit=1000")).await;
        assert_eq!(text(&format!("{path}from=2026-02&to=2026-02&limit=1000")).await, days, "{path}");
        for bad in ["2026-13", "2026-1", "2026-00", "02-2026", "2026/02"] {
            let refused = app.get(&format!("{path}to={bad}")).key(&gold).send().await.expect_error(400);
            assert!(refused.starts_with("`to` must be a real calendar day"), "{refused}");
        }
    }
    let day = text("/api/v1/calendar/business-days?from=2024-02&to=2024-02").await;
    assert!(day.contains(r#""from":"2024-02-01","to":"2024-02-29""#), "{day}");
}

#[tokio::test]
async fn categories_and_sectors_are_listed_by_count() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let get = async |path: &str| app.get(path).key(&gold).send().await.expect(200).json();
    for (list, of, name) in [
        ("/api/v1/filings/categories", "/api/v1/filings", "category"),
        ("/api/v1/companies/sectors", "/api/v1/companies", "sector"),
    ] {
        let counts = get(list).await;
        let rows = counts["data"].as_array().unwrap();
        assert!(rows.len() > 3 && counts["total"] == rows.len(), "{counts}");
        assert!(rows.is_sorted_by(|a, b| a["count"].as_u64() >= b["count"].as_u64()), "{counts}");
        for row in rows {
            let value: String =
                form_urlencoded::byte_serialize(row[name].as_str().unwrap().as_bytes()).collect();
            assert_eq!(get(&format!("{of}?{name}={value}")).await["total"], row["count"], "{value}");
        }
        let second = get(&format!("{list}?limit=1&offset=1")).await;
        assert_eq!((&second["data"][0], &second["total"]), (&rows[1], &counts["total"]));
        assert_eq!(get(&format!("{list}?from=2090-01-01")).await["total"], 0);
    }
    let of_one = get("/api/v1/filings/categories?company_id=90001").await;
    let sum: u64 = of_one["data"].as_array().unwrap().iter().map(|row| row["count"].as_u64().unwrap()).sum();
    assert_eq!(get("/api/v1/companies/90001/filings").await["total"], sum);
}

/// The same JSON with every string that is a decimal as a number.
fn with_numbers(value: &Value, as_strings: &Value) -> Value {
    match (value, as_strings) {
        (Value::Number(_), Value::String(text)) => serde_json::from_str(text).unwrap(),
        (Value::Array(items), Value::Array(others)) => {
            items.iter().zip(others).map(|(item, other)| with_numbers(item, other)).collect()
        }
        (Value::Object(members), Value::Object(others)) => {
            members.iter().map(|(name, value)| (name.clone(), with_numbers(value, &others[name]))).collect()
        }
        (_, other) => other.clone(),
    }
}

#[tokio::test]
async fn decimals_are_strings_on_request_in_every_answer() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for route in ROUTES.iter().filter(|route| route.path().starts_with("/api/")) {
        if !matches!(route.handler, Handler::Read(_)) {
            continue;
        }
        let asked = ask(&app, route.endpoint).path;
        let joint = if asked.contains('?') { '&' } else { '?' };
        let plain = app.get(&asked).key(&key).send().await.expect(200).json();
        let strings =
            app.get(&format!("{asked}{joint}numbers=string")).key(&key).send().await.expect(200).json();
        assert_eq!(with_numbers(&plain, &strings), plain, "{asked}");
        let same =
            app.get(&format!("{asked}{joint}numbers=number")).key(&key).send().await.expect(200).json();
        assert_eq!(same, plain, "{asked}");
    }
    let get = async |path: &str| app.get(path).key(&key).send().await.expect(200);
    let newest = get("/api/v1/market/selic/current?numbers=string").await.text();
    assert_eq!(newest, r#"{"date":"2026-10-30","value":"11.75"}"#);
    let list = get("/api/v1/market/fx?limit=1&numbers=string").await.json();
    assert!(list["data"][0]["sell"].is_string() && list["total"].is_u64(), "{list}");
    let lines = get("/api/v1/export/selic?numbers=string&from=2026-10-30").await.text();
    assert_eq!(lines, "{\"date\":\"2026-10-30\",\"value\":\"11.75\"}\n");
    let csv = get("/api/v1/market/selic?limit=1&numbers=string&format=csv").await.text();
    assert_eq!(csv, "date,value\r\n2026-10-30,11.75\r\n");
}
