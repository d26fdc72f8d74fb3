//! What the tools answer.

use boon::Draft;
use lastro_model::Plan;
use serde_json::{Value, json};

use super::{CURRENT_VALUES, call, modern};
use crate::app::TestApp;
use crate::json_schema::JsonSchema;

/// Arguments for every tool, with which it answers from the sample.
fn examples() -> Vec<(&'static str, Value)> {
    vec![
        ("lastro_find_series", json!({ "q": "ipca", "limit": 3 })),
        ("lastro_find_series", json!({ "topic": "prices", "frequency": "monthly", "limit": "200" })),
        ("lastro_find_series", json!({ "limit": 500 })),
        ("lastro_find_series", json!({ "limit": 200, "offset": 100 })),
        ("lastro_find_series", json!({ "q": "eur-brl" })),
        ("lastro_describe_series", json!({ "id": 433 })),
        ("lastro_describe_series", json!({ "id": "usd-brl" })),
        ("lastro_observations", json!({ "id": "usd-brl", "limit": 3 })),
        ("lastro_current", json!({ "id": "usd-brl" })),
        ("lastro_observations", json!({ "id": "ipca", "units": "acc12" })),
        (
            "lastro_observations",
            json!({ "id": "selic", "limit": 100_000, "order": "asc", "from": "1994-07-01" }),
        ),
        ("lastro_current", json!({})),
        ("lastro_current", json!({ "id": "cdi" })),
        ("lastro_exchange_rate", json!({})),
        ("lastro_exchange_rate", json!({ "pair": "eur/usd", "limit": 3 })),
        ("lastro_exchange_rate", json!({ "pair": "USD/BRL", "from": "2026-10-01", "to": "2026-10-15" })),
        ("lastro_correction", json!({ "index": "ipca", "from": "2026-01", "to": "2026-06", "amount": 1000 })),
        (
            "lastro_accumulation",
            json!({ "rate": "cdi", "from": "2026-01-02", "to": "2026-06-30", "amount": "1000.50", "rate_percent": 110 }),
        ),
        (
            "lastro_accumulation",
            json!({ "rate": "selic", "from": "2024-01-02", "to": "2026-06-30", "offset": 200, "limit": 5 }),
        ),
        ("lastro_legal_interest", json!({ "from": "2026-02-01", "to": "2026-06-15", "amount": 1 })),
        ("lastro_business_days", json!({ "from": "2026-01-01", "to": "2026-12-31" })),
        ("lastro_business_days", json!({ "date": "2026-11-20" })),
        ("lastro_business_days", json!({ "date": "2026-11-20", "days": -5 })),
        ("lastro_business_days", json!({ "year": 2026.0 })),
        ("lastro_search_companies", json!({ "q": "energia", "limit": 2 })),
        ("lastro_company", json!({ "id": 90001 })),
        ("lastro_search_filings", json!({ "q": "dividendos" })),
        ("lastro_search_filings", json!({ "company_id": "90001", "limit": 5, "offset": 2 })),
        ("lastro_search_filings", json!({ "category": "Fato Relevante", "limit": 200 })),
    ]
}

#[tokio::test]
async fn every_tool_answers_by_its_own_schemas() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let listed = modern(&app, "tools/list", json!({})).send().await.expect(200).json();
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    assert_eq!(tools.len(), 12);
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let [input, output] = ["inputSchema", "outputSchema"]
            .map(|member| JsonSchema::new(Draft::V2020_12, tool[member].clone()));
        let own = examples().into_iter().filter(|(of, _)| *of == name).collect::<Vec<_>>();
        assert!(!own.is_empty(), "{name} has no example");
        for (_, arguments) in own {
            input.check(&arguments).unwrap_or_else(|faults| panic!("{name} {arguments}: {faults}"));
            let result = call(&app, &gold, name, arguments.clone()).await;
            assert_eq!(result["isError"], false, "{name} {arguments}: {result}");
            let content = &result["structuredContent"];
            output
                .check(content)
                .unwrap_or_else(|faults| panic!("{name} {arguments}: {faults}\n{content:#}"));
            for member in ["source", "unit", "edition", "editions", "rest", "sample"] {
                assert!(content.get(member).is_some(), "{name}: no {member}");
            }
            check_same_by_rest(&app, &gold, content).await;
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("Source: ") && text.len() < 6_000, "{name}: {text}");
        }
    }
}

/// Compares an answer with the REST call that it names.
async fn check_same_by_rest(app: &TestApp, key: &str, content: &Value) {
    let rest = content["rest"].as_str().unwrap();
    let path =
        rest.strip_prefix(&format!("http://{}", app.service.address)).expect("an address of this service");
    let same = app.get(path).key(key).send().await.expect(200).json();
    for (name, value) in same.as_object().unwrap() {
        if name == "receipt" {
            let all = value.as_array().unwrap();
            assert_eq!(content["receipt_rows"], all.len(), "{path}");
            assert!(content["receipt"].as_array().unwrap().iter().all(|row| all.contains(row)), "{path}");
        } else {
            assert_eq!(&content[name], value, "{name} of {path}");
        }
    }
}

#[tokio::test]
async fn a_plan_that_does_not_suffice_is_a_tool_result() {
    let app = TestApp::start().await;
    let (free, bronze) = (app.ample_key(Plan::Free).await, app.ample_key(Plan::Bronze).await);
    for (key, name, arguments, required) in [
        (&free, "lastro_company", json!({ "id": "90001" }), "bronze"),
        (&free, "lastro_search_companies", json!({ "q": "energia" }), "bronze"),
        (&bronze, "lastro_search_filings", json!({ "q": "dividendos" }), "gold"),
        (&bronze, "lastro_observations", json!({ "id": "ipca", "from": "1995-01-01" }), "gold"),
    ] {
        let result = call(&app, key, name, arguments).await;
        assert_eq!(result["isError"], true, "{name}");
        let prompt = &result["structuredContent"];
        assert_eq!(
            (&prompt["error"], &prompt["required_plan"]),
            (&json!("upgrade_required"), &json!(required))
        );
        assert_eq!(prompt["upgrade_url"], "/pricing");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(&text, prompt);
    }
    let usage = app.get("/api/v1/plans/usage").key(&bronze).send().await.expect(200).json();
    assert_eq!((&usage["data"][0]["upgrade_required"], &usage["total"]), (&json!(2), &json!(2)));
    assert_eq!(usage["endpoints"][0]["endpoint"], "POST /mcp");
}

#[tokio::test]
async fn a_wrong_argument_says_what_would_be_right() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (name, arguments, told) in [
        ("lastro_observations", json!({ "id": "ipca", "start": "2026-01-01" }), "from, to, units"),
        ("lastro_observations", json!({}), "`id` is required"),
        ("lastro_observations", json!({ "id": "none" }), "/api/v1/series"),
        ("lastro_observations", json!({ "id": "selic", "units": "acc12" }), "acc12"),
        ("lastro_observations", json!({ "id": "ipca", "units": "yoy" }), "must be one of lin, chg"),
        ("lastro_observations", json!({ "id": "ipca", "limit": 0 }), "`limit`"),
        ("lastro_observations", json!({ "id": "ipca", "from": ["2026-01-01"] }), "`from` must be a text"),
        ("lastro_observations", json!({ "id": "ipca", "from": "2026-02-30" }), "`from`"),
        ("lastro_correction", json!({ "index": "ipca", "from": "2026-01", "to": "2099-01" }), "2026-"),
        ("lastro_correction", json!({ "index": "dollar", "from": "2026-01", "to": "2026-02" }), "ipca"),
        (
            "lastro_correction",
            json!({ "index": "ipca", "from": "2026-01", "to": "2026-02", "limit": 0 }),
            "`limit` must",
        ),
        (
            "lastro_correction",
            json!({ "index": "ipca", "from": "2026-01", "to": "2026-02", "offset": -1 }),
            "`offset` must",
        ),
        ("lastro_business_days", json!({}), "`from` and `to`"),
        ("lastro_business_days", json!({ "date": "2026-01-01", "year": 2026 }), "or `year`"),
        ("lastro_exchange_rate", json!({ "pair": "XXX" }), "USD"),
        ("lastro_company", json!({ "id": "7" }), "no company"),
        // A word of another path is an id that nothing has, and no id is no path.
        ("lastro_company", json!({ "id": "sectors" }), "no company"),
        ("lastro_company", json!({ "id": "search" }), "no company"),
        ("lastro_describe_series", json!({ "id": "observations" }), "no series"),
        ("lastro_company", json!({ "id": "" }), "such as PETR4"),
        ("lastro_describe_series", json!({ "id": "" }), "such as `ipca`"),
        ("lastro_observations", json!({ "id": " " }), "such as `ipca`"),
        ("lastro_current", json!({ "id": "" }), "`id` is required"),
        ("lastro_business_days", json!({ "date": "" }), "YYYY-MM-DD"),
        ("lastro_correction", json!({ "index": "", "from": "2026-01", "to": "2026-02" }), "Price index"),
        ("lastro_search_companies", json!({ "q": " " }), "`q`"),
        ("lastro_search_filings", json!({ "q": "x", "company_id": "no such" }), "`company_id`"),
        ("lastro_current", json!({ "id": "../plans" }), "no series"),
    ] {
        let result = call(&app, &gold, name, arguments.clone()).await;
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(told), "{name} {arguments}: {text}");
    }
}

#[tokio::test]
async fn long_answers_say_how_to_get_the_next_rows() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let (mut offset, mut days) = (0, Vec::new());
    loop {
        let arguments = json!({ "id": "selic", "limit": 100_000, "offset": offset });
        let content = call(&app, &gold, "lastro_observations", arguments).await["structuredContent"].clone();
        let rows = content["data"].as_array().unwrap();
        assert!(rows.len() <= 200);
        days.extend(rows.iter().map(|row| row["date"].as_str().unwrap().to_owned()));
        match content.get("next") {
            Some(next) => offset = next["offset"].as_u64().unwrap(),
            None => {
                assert_eq!(content["total"], days.len());
                break;
            }
        }
    }
    assert!(days.len() > 400 && days.is_sorted_by(|a, b| a > b));
    let (mut to, mut quotes) = (json!(null), 0);
    loop {
        let arguments = json!({ "limit": 200, "to": to });
        let content = call(&app, &gold, "lastro_exchange_rate", arguments).await["structuredContent"].clone();
        quotes += content["data"].as_array().unwrap().len();
        match content.get("next") {
            Some(next) => to = next["to"].clone(),
            None => break,
        }
    }
    let all = app.get("/api/v1/market/fx?limit=10000").key(&gold).send().await.expect(200).json();
    assert_eq!(quotes, all["data"].as_array().unwrap().len());
    // As many rows as the limit may be all that there are.
    let range = json!({ "from": "2026-10-01", "to": "2026-10-30", "limit": 200 });
    let count = call(&app, &gold, "lastro_exchange_rate", range).await["structuredContent"]["data"]
        .as_array()
        .unwrap()
        .len();
    for (limit, has_more) in [(count, false), (count - 1, true)] {
        let range = json!({ "from": "2026-10-01", "to": "2026-10-30", "limit": limit });
        let content = call(&app, &gold, "lastro_exchange_rate", range).await["structuredContent"].clone();
        assert_eq!(content.get("next").is_some(), has_more, "{content}");
    }
}

#[tokio::test]
async fn numbers_may_have_an_exponent() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (tool, plain, scientific) in [
        (
            "lastro_correction",
            r#"{"index":"ipca","from":"2026-01","to":"2026-06","amount":1000}"#,
            r#"{"index":"ipca","from":"2026-01","to":"2026-06","amount":1e3}"#,
        ),
        ("lastro_observations", r#"{"id":"selic","limit":10}"#, r#"{"id":"selic","limit":1.0E1}"#),
    ] {
        let answer = async |arguments: &str| {
            let arguments = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{arguments}}}"#);
            let asked = app.post("/mcp", body).key(&gold).send().await.expect(200);
            asked.json()["result"]["structuredContent"].clone()
        };
        let (plain, scientific) = (answer(plain).await, answer(scientific).await);
        assert!(plain.is_object());
        assert_eq!(plain, scientific);
    }
}

#[tokio::test]
async fn filings_are_searched_within_a_company() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let arguments = json!({ "q": "assembleia", "company_id": 90001, "from": "2025-01", "limit": 200 });
    let found = call(&app, &gold, "lastro_search_filings", arguments).await["structuredContent"].clone();
    let rows = found["data"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["company_id"] == "90001"), "{found}");
    let all = call(&app, &gold, "lastro_search_filings", json!({ "q": "assembleia" })).await;
    assert!(all["structuredContent"]["total"].as_u64() > found["total"].as_u64());
}

#[tokio::test]
async fn numbers_keep_the_digits_that_were_published() {
    let app = TestApp::start().await;
    let rest = app.get("/api/v1/market/overview").send().await.expect(200).text();
    let called = app.post("/mcp", CURRENT_VALUES).send().await.expect(200);
    assert!(called.text().contains(rest.trim_end_matches('}')), "{rest}\n{}", called.text());
    let told = called.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let selic = rest.split(r#""value":"#).nth(1).and_then(|rest| rest.split('}').next()).unwrap();
    assert!(told.contains(&format!("| {selic}; cdi")), "{told}");
    let gold = app.ample_key(Plan::Gold).await;
    let yearly =
        call(&app, &gold, "lastro_observations", json!({ "id": "ipca", "units": "acc12", "limit": 1 })).await;
    assert_eq!(yearly["structuredContent"]["unit"], "percent");
    assert!(yearly["content"][0]["text"].as_str().unwrap().contains("unit: percent;"), "{yearly}");
}

#[tokio::test]
async fn pairs_of_currencies_are_listed_with_their_own_source() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let edition = &call(&app, &gold, "lastro_exchange_rate", json!({})).await["structuredContent"]["edition"];
    for (arguments, system) in [
        (json!({ "q": "eur-brl" }), "PTAX"),
        (json!({ "topic": "exchange_rates", "limit": 200 }), "SGS and PTAX"),
        (json!({ "q": "ipca" }), "SGS"),
    ] {
        let found = call(&app, &gold, "lastro_find_series", arguments.clone()).await;
        let found = &found["structuredContent"];
        assert_eq!(
            (&found["source"]["system"], &found["sample"]),
            (&json!(system), &json!(true)),
            "{arguments}"
        );
        let fx = found["editions"].get("fx");
        assert_eq!(fx, (system != "SGS").then_some(edition), "{arguments}: {found}");
        assert!(found["edition"].is_u64(), "{arguments}: {found}");
    }
    let described = call(&app, &gold, "lastro_describe_series", json!({ "id": "usd-brl" })).await;
    assert_eq!(described["structuredContent"]["source"]["code"], Value::Null);
    assert_eq!(&described["structuredContent"]["editions"]["fx"], edition);
}

#[tokio::test]
async fn the_catalogue_has_pairs_of_currencies() {
    let app = TestApp::start().await;
    let uri = json!({ "uri": "lastro://series" });
    let read = modern(&app, "resources/read", uri).send().await.expect(200).json();
    let text = read["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    let listed = app.get("/api/v1/series?limit=1000").send().await.expect(200).json();
    let cell = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for series in listed["data"].as_array().unwrap() {
        let [id, name, first, last] = ["id", "name", "first_date", "last_date"].map(|of| cell(&series[of]));
        let code = series["source"]["code"].as_u64().map(|code| code.to_string()).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(&format!("| {id} | {name} | ")));
        let line = line.unwrap_or_else(|| panic!("{id} is not in the catalogue"));
        assert!(line.contains(&format!(" | {code} | {first} | {last} | ")), "{line}");
    }
}
