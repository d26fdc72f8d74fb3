//! The API description as a validator: the allowed requests, and the shape of responses.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::sync::{LazyLock, Mutex};

use boon::Draft;
use lastro::http::response::decimals::DECIMAL_LISTS;
use serde_json::{Map, Value, json};

use crate::json_schema::JsonSchema;
use crate::this_build;

/// `openapi.yaml`, parsed once.
pub(crate) static DESCRIPTION: LazyLock<Description> =
    LazyLock::new(|| Description { document: document(), validators: Mutex::default() });

/// Reads a JSON cache that the first test writes, because YAML takes longer than most tests.
fn document() -> Value {
    let text = include_str!("../../../../openapi.yaml");
    let kept = this_build::kept("openapi");
    // `parse` is code of serde_json, which is optimised; `from_str` would be code of these tests.
    if let Some(document) = fs::read_to_string(&kept).ok().and_then(|text| text.parse().ok()) {
        return document;
    }
    let document: Value = serde_saphyr::from_str(text).expect("openapi.yaml is YAML");
    let draft = kept.with_extension(std::process::id().to_string());
    fs::write(&draft, document.to_string())
        .and_then(|()| fs::rename(draft, kept))
        .expect("a kept description");
    document
}

pub(crate) struct Description {
    pub document: Value,
    /// Validators by endpoint and status: building one takes longer than most requests.
    validators: Mutex<HashMap<(String, u16), JsonSchema>>,
}

impl Description {
    /// Method and path template of every operation.
    pub(crate) fn operations(&self) -> BTreeSet<String> {
        let paths = self.document["paths"].as_object().expect("paths");
        let of = |(path, item): (&String, &Value)| {
            let methods: Vec<String> = item.as_object().expect("an object").keys().cloned().collect();
            let path = path.clone();
            methods
                .into_iter()
                .filter(|m| ["get", "post", "patch", "delete", "put"].contains(&m.as_str()))
                .map(move |method| format!("{} {path}", method.to_uppercase()))
        };
        paths.iter().flat_map(of).collect()
    }

    pub(crate) fn operation(&self, endpoint: &str) -> Option<&Value> {
        let (method, path) = endpoint.split_once(' ')?;
        self.document["paths"].get(path)?.get(method.to_lowercase())
    }

    /// The documented statuses of an operation.
    pub(crate) fn statuses(&self, endpoint: &str) -> BTreeSet<u16> {
        let responses = self.operation(endpoint).and_then(|o| o["responses"].as_object()).expect("responses");
        responses.keys().map(|status| status.parse().expect("a status")).collect()
    }

    /// The description of one status of an operation, with references resolved.
    pub(crate) fn response(&self, endpoint: &str, status: u16) -> Option<&Value> {
        Some(self.follow(self.operation(endpoint)?["responses"].get(status.to_string())?))
    }

    /// Names of the query parameters of an operation.
    pub(crate) fn query_parameters(&self, endpoint: &str) -> BTreeSet<&str> {
        let listed = self.operation(endpoint).and_then(|operation| operation["parameters"].as_array());
        let listed = listed.into_iter().flatten().map(|parameter| self.follow(parameter));
        let named = listed.filter(|parameter| parameter["in"] == "query");
        named.map(|parameter| parameter["name"].as_str().expect("a name")).collect()
    }

    /// Names of all members of this type in any schema, and of members that contain only such values.
    pub(crate) fn members_of_type(&self, kind: &str) -> BTreeSet<&str> {
        // All numbers in these lists are decimals, whatever their names.
        let schemas = self.document["components"]["schemas"].as_object().expect("schemas");
        let lists = schemas.values().flat_map(|schema| {
            DECIMAL_LISTS.iter().filter_map(|list| schema["properties"][list]["items"]["$ref"].as_str())
        });
        let decimal: BTreeSet<&str> = lists.filter_map(|reference| reference.rsplit('/').next()).collect();
        let mut found = BTreeSet::new();
        let mut open: Vec<(&str, &Value)> = vec![("", &self.document["components"]["schemas"])];
        while let Some((name, schema)) = open.pop() {
            if schema["type"] == kind && !name.is_empty() {
                found.insert(name);
            }
            for (key, value) in schema.as_object().into_iter().flatten() {
                match key.as_str() {
                    "properties" => {
                        let members = value.as_object().into_iter().flatten();
                        open.extend(members.map(|(name, schema)| (name.as_str(), schema)));
                    }
                    "items" | "additionalProperties" if !name.is_empty() => open.push((name, value)),
                    schema if kind == "number" && decimal.contains(schema) => {}
                    _ => open.push(("", value)),
                }
            }
        }
        // The values of several series are in `data`, beside their dates.
        found.remove("data");
        found
    }

    fn follow<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value.get("$ref").and_then(Value::as_str) {
            Some(reference) => self
                .document
                .pointer(reference.trim_start_matches('#'))
                .expect("a reference that leads somewhere"),
            None => value,
        }
    }

    /// Names of the headers that a response must carry.
    pub(crate) fn required_headers(&self, endpoint: &str, status: u16) -> Vec<String> {
        let headers = self.response(endpoint, status).and_then(|r| r["headers"].as_object());
        headers
            .into_iter()
            .flatten()
            .filter(|(_, header)| self.follow(header)["required"] == json!(true))
            .map(|(name, _)| name.to_lowercase())
            .collect()
    }

    /// The media types allowed for a response.
    pub(crate) fn media_types(&self, endpoint: &str, status: u16) -> Vec<&str> {
        let content = self.response(endpoint, status).and_then(|r| r["content"].as_object());
        content.into_iter().flatten().map(|(kind, _)| kind.as_str()).collect()
    }

    /// Fails with all differences between a JSON body and its schema.
    pub(crate) fn check_body(&self, endpoint: &str, status: u16, body: &Value) -> Result<(), String> {
        let mut validators = self.validators.lock().expect("no test panicked in here");
        let validator = validators
            .entry((endpoint.to_owned(), status))
            .or_insert_with(|| self.validator(endpoint, status));
        validator.check(body)
    }

    /// The schemas that a schema refers to, directly or through others.
    fn schemas_used_by<'a>(&'a self, schema: &'a Value) -> BTreeMap<&'a str, &'a Value> {
        let schemas = &self.document["components"]["schemas"];
        let mut used = BTreeMap::new();
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            let reference = value.get("$ref").and_then(Value::as_str);
            let name = reference.and_then(|reference| reference.strip_prefix("#/components/schemas/"));
            if let Some(name) = name
                && used.insert(name, &schemas[name]).is_none()
            {
                open.push(&schemas[name]);
            }
            open.extend(value.as_object().into_iter().flat_map(Map::values));
            open.extend(value.as_array().into_iter().flatten());
        }
        used
    }

    fn validator(&self, endpoint: &str, status: u16) -> JsonSchema {
        let response = self.response(endpoint, status).expect("a documented status");
        let schema = &response["content"]["application/json"]["schema"];
        assert!(!schema.is_null(), "{endpoint} {status} documents no JSON body");
        let mut document =
            json!({ "allOf": [schema], "components": { "schemas": self.schemas_used_by(schema) } });
        to_json_schema(&mut document);
        JsonSchema::new(Draft::V4, document)
    }
}

/// Converts OpenAPI 3.0 to JSON Schema: `nullable` becomes the type `null`; the rest is the same.
fn to_json_schema(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("example");
            if object.remove("nullable") == Some(json!(true)) {
                let plain = Value::Object(std::mem::take(object));
                *object =
                    json!({ "anyOf": [plain, { "type": "null" }] }).as_object().expect("an object").clone();
            }
            object.values_mut().for_each(to_json_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(to_json_schema),
        _ => {}
    }
}
