//! `numbers=string`: the decimals of a JSON answer as strings, for clients whose numbers are binary.
//!
//! Whether a number is a decimal follows from its member's name, never from its digits: `15` and `14.90` of one series
//! are both strings.

use super::body::Body;
use super::reply::Reply;
use crate::http::request::format::JSON;

/// The members that are integers, and those that contain only integers. A test compares them with `openapi.yaml`.
pub const INTEGERS: &[&str] = &[
    "also_known_as",
    "client_errors",
    "code",
    "count",
    "count_inclusive",
    "duration_ms",
    "edition",
    "editions",
    "grace_seconds",
    "limit",
    "matches",
    "offset",
    "ok",
    "rate_limit",
    "rate_limited",
    "rejects",
    "requests",
    "restarts",
    "retry_after",
    "rows",
    "server_errors",
    "status",
    "total",
    "upgrade_required",
    "version",
    "weekday",
    "withheld",
];

/// The lists whose numbers are all decimals, whatever the names of their members.
pub const DECIMAL_LISTS: &[&str] = &["instalments"];

/// The same reply with decimals as strings, if it is JSON.
pub fn as_strings(reply: Reply) -> Reply {
    match &reply.body {
        Body::Whole(json) if reply.content_type == JSON.media_type => {
            let body = quoted(json).into();
            Reply { body, ..reply }
        }
        _ => reply,
    }
}

/// Copies JSON without white space, one value or several, and puts its decimals in quotes.
pub fn quoted(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() + json.len() / 8);
    let mut containers: Vec<Numbers> = Vec::new();
    let (mut named, mut rest) = (Numbers::ByName, json);
    while let Some(first) = rest.first() {
        let (text, after) = rest.split_at(token(rest));
        let inside = containers.last().copied().unwrap_or(Numbers::ByName);
        let numbers = if inside == Numbers::ByName { named } else { inside };
        match first {
            b'"' if after.first() == Some(&b':') => named = Numbers::of_member(text),
            b'{' | b'[' => {
                containers.push(numbers);
                named = Numbers::ByName;
            }
            b'}' | b']' => drop(containers.pop()),
            b',' => named = Numbers::ByName,
            _ => {}
        }
        let is_decimal = matches!(first, b'-' | b'0'..=b'9') && numbers != Numbers::Integers;
        let quote: &[u8] = if is_decimal { b"\"" } else { b"" };
        [quote, text, quote].into_iter().for_each(|piece| out.extend_from_slice(piece));
        rest = after;
    }
    out
}

/// The numbers in a member or a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Decimals, unless a member's name says otherwise.
    ByName,
    Integers,
    Decimals,
}

impl Numbers {
    fn of_member(quoted: &[u8]) -> Self {
        let name = quoted.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or_default();
        let is_listed = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
        match () {
            () if is_listed(INTEGERS) => Self::Integers,
            () if is_listed(DECIMAL_LISTS) => Self::Decimals,
            () => Self::ByName,
        }
    }
}

/// The length of the string, the number or the sign that the text begins with.
fn token(text: &[u8]) -> usize {
    match text {
        [b'"', ..] => {
            let mut end = 1;
            while let Some(byte) = text.get(end).filter(|byte| **byte != b'"') {
                end += if *byte == b'\\' { 2 } else { 1 };
            }
            (end + 1).min(text.len())
        }
        [b'-' | b'0'..=b'9', ..] => {
            let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
            text.iter().take_while(|byte| is_part(byte)).count()
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn rewritten(text: &str) -> String {
        String::from_utf8(quoted(text.as_bytes())).unwrap()
    }

    #[test]
    fn decimals_are_told_from_integers_by_name() {
        for (given, expected) in [
            (r#"{"date":"2026-01-02","value":15}"#, r#"{"date":"2026-01-02","value":"15"}"#),
            (
                r#"{"data":[{"value":-0.02,"version":1},{"value":1e3}],"total":2}"#,
                r#"{"data":[{"value":"-0.02","version":1},{"value":"1e3"}],"total":2}"#,
            ),
            (r#"{"editions":{"ipca":7},"factor":1.5}"#, r#"{"editions":{"ipca":7},"factor":"1.5"}"#),
            (
                r#"{"matches":{"name":[[0,5],[7,2]]},"old":null,"new":2}"#,
                r#"{"matches":{"name":[[0,5],[7,2]]},"old":null,"new":"2"}"#,
            ),
            (r#"{"text":"\"total\":1, 2.5 \\","value":3}"#, r#"{"text":"\"total\":1, 2.5 \\","value":"3"}"#),
            (
                r#"{"instalments":[{"total":1,"x":{"rows":2}}],"total":3}"#,
                r#"{"instalments":[{"total":"1","x":{"rows":"2"}}],"total":3}"#,
            ),
            ("{\"value\":1}\n{\"value\":2}\n", "{\"value\":\"1\"}\n{\"value\":\"2\"}\n"),
        ] {
            assert_eq!(rewritten(given), expected);
        }
    }

    fn arbitrary_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e6..1e6f64).prop_map(|number| json!(number)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let name = prop_oneof![Just("total".to_owned()), Just("value".to_owned()), ".{0,4}"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(name, inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The same by a parser.
    fn expected(value: &Value, is_integer: bool) -> Value {
        match value {
            Value::Number(number) if !is_integer => number.to_string().into(),
            Value::Array(items) => items.iter().map(|item| expected(item, is_integer)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| {
                    (name.clone(), expected(value, is_integer || INTEGERS.contains(&name.as_str())))
                })
                .collect(),
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn any_json_is_rewritten_as_by_a_parser(value in arbitrary_json()) {
            let text = quoted(value.to_string().as_bytes());
            prop_assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), expected(&value, false));
        }

        #[test]
        fn no_bytes_panic(text: Vec<u8>) {
            quoted(&text);
        }
    }
}
