//! The Model Context Protocol over HTTP: both eras, every tool, plans and quota as everywhere.

use lastro_model::Plan;
use serde_json::{Value, json};

use crate::allowances::elsewhere_made;
use crate::answer::Answer;
use crate::app::{Ask, TestApp, stray_key};

/// A call of a tool, as clients of before 2026-07-28 send it.
pub(crate) const CURRENT_VALUES: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lastro_current","arguments":{}}}"#;
pub(crate) const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

const REVISION: &str = "2026-07-28";

/// A request of the current revision, with the headers that it needs.
pub(crate) fn modern<'a>(app: &'a TestApp, method: &str, mut params: Value) -> Ask<'a> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let named = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
    let named = named.map(str::to_owned);
    let body = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    let ask = app
        .post("/mcp", body.to_string())
        .header("mcp-protocol-version", REVISION)
        .header("mcp-method", method);
    match named {
        Some(name) => ask.header("mcp-name", &name),
        None => ask,
    }
}

fn legacy<'a>(app: &'a TestApp, method: &str, params: &Value) -> Ask<'a> {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    app.post("/mcp", body.to_string()).header("mcp-protocol-version", "2025-11-25")
}

async fn call(app: &TestApp, key: &str, name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    let answer = modern(app, "tools/call", params).key(key).send().await.expect(200).json();
    answer["result"].clone()
}

/// The code of a JSON-RPC error.
fn code(answer: &Answer) -> i64 {
    answer.json()["error"]["code"].as_i64().unwrap()
}

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
        let input = jsonschema::draft202012::new(&tool["inputSchema"]).unwrap();
        let output = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&tool["outputSchema"])
            .unwrap();
        let own = examples().into_iter().filter(|(of, _)| *of == name).collect::<Vec<_>>();
        assert!(!own.is_empty(), "{name} has no example");
        for (_, arguments) in own {
            assert!(input.is_valid(&arguments), "{name} {arguments}");
            let result = call(&app, &gold, name, arguments.clone()).await;
            assert_eq!(result["isError"], false, "{name} {arguments}: {result}");
            let content = &result["structuredContent"];
            let faults: Vec<String> = output.iter_errors(content).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{name} {arguments}: {faults:#?}\n{content:#}");
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
async fn older_clients_begin_with_initialize() {
    let app = TestApp::start().await;
    for (requested, expected) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let params = json!({ "protocolVersion": requested, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let answer = app.post("/mcp", body.to_string()).send().await.expect(200);
        let result = &answer.json()["result"];
        assert_eq!(result["protocolVersion"], expected);
        assert_eq!(result["serverInfo"]["name"], "lastro");
        assert!(
            result["capabilities"]["tools"].is_object() && result["capabilities"]["resources"].is_object()
        );
        assert_eq!(answer.header("mcp-session-id"), "", "there is no session");
    }
    assert!(app.post("/mcp", NOTIFICATION).send().await.expect(202).body.is_empty());
    assert_eq!(legacy(&app, "ping", &json!({})).send().await.expect(200).json()["result"], json!({}));
    let unknown = legacy(&app, "prompts/list", &json!({})).send().await.expect(200);
    assert_eq!(code(&unknown), -32601);
    let called = app.post("/mcp", CURRENT_VALUES).send().await.expect(200).json();
    assert!(called["result"]["structuredContent"]["selic"]["value"].is_number(), "{called}");
    assert!(called["result"].get("resultType").is_none());
    for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
        app.request(method, "/mcp").send().await.expect(405);
    }
}

#[tokio::test]
async fn current_clients_are_told_what_is_spoken() {
    let app = TestApp::start().await;
    let discovered = modern(&app, "server/discover", json!({})).send().await.expect(200).json();
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]));
    assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(result["ttlMs"].is_u64() && result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    for method in ["prompts/list", "ping", "initialize", "subscriptions/listen"] {
        assert_eq!(code(&modern(&app, method, json!({})).send().await.expect(404)), -32601, "{method}");
    }
    let cursor = modern(&app, "tools/list", json!({ "cursor": "x" })).send().await.expect(400);
    assert_eq!(code(&cursor), -32602);
    let tool = modern(&app, "tools/call", json!({ "name": "lastro_none" })).send().await.expect(400);
    assert_eq!(code(&tool), -32602);
}

#[tokio::test]
async fn headers_must_agree_with_the_body() {
    let app = TestApp::start().await;
    let meta = |version: &str| json!({ "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {} });
    let body = |version: &str| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "lastro_current", "_meta": meta(version) } }).to_string()
    };
    let version = ("mcp-protocol-version", REVISION);
    let (method, name) = (("mcp-method", "tools/call"), ("mcp-name", "lastro_current"));
    for (headers, sent, status, expected) in [
        (vec![version, method, name], REVISION, 200, 0),
        (vec![version, method, ("mcp-name", "=?base64?bGFzdHJvX2N1cnJlbnQ=?=")], REVISION, 200, 0),
        (vec![method, name], REVISION, 400, -32020),
        (vec![version, name], REVISION, 400, -32020),
        (vec![version, method], REVISION, 400, -32020),
        (vec![version, ("mcp-method", "tools/list"), name], REVISION, 400, -32020),
        (vec![version, ("mcp-method", "Tools/Call"), name], REVISION, 400, -32020),
        (vec![version, method, ("mcp-name", "lastro_company")], REVISION, 400, -32020),
        (vec![version, method, ("mcp-name", "=?base64?!?=")], REVISION, 400, -32020),
        (vec![version, version, method, name], REVISION, 400, -32020),
        (vec![("mcp-protocol-version", "2025-11-25"), method, name], REVISION, 400, -32020),
        (vec![("mcp-protocol-version", "1900-01-01"), method, name], "1900-01-01", 400, -32022),
    ] {
        let ask =
            headers.iter().fold(app.post("/mcp", body(sent)), |ask, (name, value)| ask.header(name, value));
        let answer = ask.send().await.expect(status);
        if status == 400 {
            assert_eq!(code(&answer), expected, "{headers:?}");
            assert_eq!(answer.json()["id"], 1);
        }
    }
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let unsupported =
        app.post("/mcp", bare).header("mcp-protocol-version", "1900-01-01").send().await.expect(400);
    assert_eq!(unsupported.json()["error"]["data"]["requested"], "1900-01-01");
    assert_eq!(unsupported.json()["error"]["data"]["supported"][0], REVISION);
    let without_meta =
        app.post("/mcp", bare).header("mcp-protocol-version", REVISION).header("mcp-method", "tools/list");
    assert_eq!(code(&without_meta.send().await.expect(400)), -32602);
}

#[tokio::test]
async fn other_bodies_than_json_rpc_are_rejected() {
    let app = TestApp::start().await;
    for (body, expected) in [
        ("", -32700),
        ("{", -32700),
        ("\u{feff}{}", -32700),
        ("null", -32600),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lastro_current","arguments":[1]}}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":{}}}"#, -32600),
    ] {
        assert_eq!(code(&app.post("/mcp", body).send().await.expect(400)), expected, "{body}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    app.post("/mcp", deep).send().await.expect(400);
    app.post("/mcp", vec![0xff, 0xfe]).send().await.expect(400);
    app.post("/mcp", vec![b' '; 256 * 1024 + 1]).send().await.expect(413);
    let large = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"{}}}"#, " ".repeat(250 * 1024));
    app.post("/mcp", large).send().await.expect(200);
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
async fn only_calls_of_tools_cost_a_request() {
    let app = TestApp::start().await;
    let key = app.key_with_limit(Plan::Gold, Some(3)).await;
    for method in ["tools/list", "resources/list", "server/discover"] {
        let answer = modern(&app, method, json!({})).key(&key).send().await.expect(200);
        assert_eq!(answer.number("x-ratelimit-remaining"), 3, "{method}");
    }
    for left in [2, 1, 0] {
        let params = json!({ "name": "lastro_company", "arguments": { "id": "7" } });
        let answer = modern(&app, "tools/call", params).key(&key).send().await.expect(200);
        assert_eq!(answer.number("x-ratelimit-remaining"), left);
    }
    let refused = app.post("/mcp", CURRENT_VALUES).key(&key).send().await.expect(429);
    assert_eq!(refused.number("retry-after"), 60);
    modern(&app, "tools/list", json!({})).key(&key).send().await.expect(200);
    let usage_key = app.key_with_limit(Plan::Gold, Some(1)).await;
    app.post("/mcp", CURRENT_VALUES).key(&usage_key).send().await.expect(200);
    app.post("/mcp", CURRENT_VALUES).key(&usage_key).send().await.expect(429);
    app.advance_seconds(61);
    let usage = app.get("/api/v1/plans/usage").key(&usage_key).send().await.expect(200).json();
    assert_eq!((&usage["data"][0]["ok"], &usage["data"][0]["rate_limited"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn other_messages_take_of_the_pages() {
    let app = TestApp::start().await;
    for _ in 0..600 {
        app.post("/mcp", NOTIFICATION).send().await.expect(202);
    }
    app.post("/mcp", NOTIFICATION).send().await.expect(429);
    app.post("/mcp", "no JSON").send().await.expect(429);
    app.get("/pricing").send().await.expect(429);
    let key = app.key(Plan::Bronze).await;
    app.post("/mcp", CURRENT_VALUES).key(&key).send().await.expect(200);
    app.post("/mcp", NOTIFICATION).key(&key).send().await.expect(429);
}

#[tokio::test]
async fn identity_and_origin_are_checked_first() {
    let app = TestApp::start().await;
    app.post("/mcp", CURRENT_VALUES).key(&stray_key()).send().await.expect(401);
    for _ in 0..599 {
        app.post("/mcp", NOTIFICATION).key("nonsense").send().await.expect(401);
    }
    app.post("/mcp", NOTIFICATION).key("nonsense").send().await.expect(429);
    app.advance_seconds(61);
    for origin in ["https://evil.example", "http://localhost:6274", "null"] {
        app.post("/mcp", CURRENT_VALUES).header("origin", origin).send().await.expect(403);
    }
    let own = format!("http://{}", app.service.address);
    let answer = app.post("/mcp", CURRENT_VALUES).header("origin", &own).send().await.expect(200);
    assert_eq!(answer.header("x-plan"), "free");
    let key = elsewhere_made(&app).await;
    let answer =
        app.post("/mcp", CURRENT_VALUES).header("authorization", &format!("Bearer {key}")).send().await;
    assert_eq!(answer.expect(200).header("x-plan"), "gold");
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

#[tokio::test]
async fn resources_are_the_catalogue_and_the_documentation() {
    let app = TestApp::start().await;
    let listed = modern(&app, "resources/list", json!({})).send().await.expect(200).json();
    let resources = listed["result"]["resources"].as_array().unwrap();
    assert!(resources.len() > 5);
    for resource in resources {
        let uri = resource["uri"].as_str().unwrap();
        let read = modern(&app, "resources/read", json!({ "uri": uri })).send().await.expect(200).json();
        let contents = &read["result"]["contents"][0];
        assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(uri), &json!("text/markdown")));
        assert!(contents["text"].as_str().unwrap().starts_with("# "), "{uri}");
        let before = legacy(&app, "resources/read", &json!({ "uri": uri })).send().await.expect(200).json();
        assert_eq!(before["result"]["contents"], read["result"]["contents"]);
    }
    let none =
        modern(&app, "resources/read", json!({ "uri": "lastro://docs/../x" })).send().await.expect(400);
    assert_eq!((code(&none), &none.json()["error"]["data"]["uri"]), (-32602, &json!("lastro://docs/../x")));
    let templates = modern(&app, "resources/templates/list", json!({})).send().await.expect(200).json();
    assert_eq!(templates["result"]["resourceTemplates"], json!([]));
}
