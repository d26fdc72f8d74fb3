//! A tool: its description, and the operation of the API that a call of it becomes.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::parameter::Parameter;
use super::provenance::About;
use crate::error::ApiError;

/// A read-only tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: &'static [Parameter],
    pub(super) about: About,
    pub(super) operation: fn(&Arguments) -> Result<Operation, ApiError>,
    pub(super) output: fn() -> Value,
}

/// `GET target`, and how its rows continue.
#[derive(Debug)]
pub(super) struct Operation {
    /// The path of the route that answers. A target alone could be taken for another one's, as an id that is a word.
    pub(super) route: &'static str,
    pub(super) target: String,
    pub(super) paging: Paging,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paging {
    /// The answer has all its rows.
    All,
    /// The answer is one row, which is also shown as the only one of `data`.
    OneRow,
    /// The operation takes `limit` and `offset`.
    ByOffset,
    /// The operation takes `limit`, and the rows before come with an earlier `to`.
    ByDay { limit: usize },
    /// The operation returns all rows, which the tool shows by `limit` and `offset`.
    Receipt,
}

impl Tool {
    pub(super) fn json(&self) -> Value {
        let property = |parameter: &Parameter| {
            let mut schema = parameter.kind.schema();
            schema["description"] = parameter.description.into();
            (parameter.name.to_owned(), schema)
        };
        let properties: serde_json::Map<String, Value> = self.parameters.iter().map(property).collect();
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| parameter.name)
            .collect();
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "outputSchema": (self.output)(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    }
}
