//! Messages of both eras, their headers and errors, and the quota that they take.

use lastro_model::Plan;
use serde_json::json;

use super::{CURRENT_VALUES, NOTIFICATION, REVISION, code, legacy, modern};
use crate::allowances::elsewhere_made;
use crate::app::{TestApp, stray_key};

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
