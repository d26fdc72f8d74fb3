//! The Model Context Protocol over HTTP: both eras, every tool, plans and quota as everywhere.

mod messages;
mod tools;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::app::{Ask, TestApp};

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
