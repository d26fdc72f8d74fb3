//! A JSON Schema that says what a value lacks.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::{Value, json};

pub(crate) struct JsonSchema {
    schemas: Schemas,
    root: SchemaIndex,
    draft: Draft,
}

impl JsonSchema {
    /// Compiles a schema of this draft, whose formats are checked as well.
    pub(crate) fn new(draft: Draft, schema: Value) -> Self {
        const PLACE: &str = "https://lastro.example/schema.json";
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.set_default_draft(draft);
        compiler.enable_format_assertions();
        compiler.add_resource(PLACE, schema).expect("JSON");
        let root = compiler.compile(PLACE, &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Self { schemas, root, draft }
    }

    /// Fails with the differences between a value and the schema.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let value = if self.draft == Draft::V4 { &as_written(value) } else { value };
        self.schemas.validate(value, self.root).map_err(|error| format!("{error:#}"))
    }
}

/// Until draft 4, `3.0` is no integer, nor is it for typed clients; `boon` takes it for one. It becomes the next number.
fn as_written(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 => json!(whole.next_up()),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(as_written).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), as_written(value))).collect()
        }
        _ => value.clone(),
    }
}

#[test]
fn types_missing_members_and_formats_are_checked() {
    let (day, total) = (json!({ "type": "string", "format": "date" }), json!({ "type": "integer" }));
    let properties = json!({ "day": day, "total": total });
    let schema = json!({ "type": "object", "required": ["day"], "properties": properties });
    for draft in [Draft::V4, Draft::V2020_12] {
        let schema = JsonSchema::new(draft, schema.clone());
        assert_eq!(schema.check(&json!({ "day": "2026-02-28", "total": 3 })), Ok(()));
        for (wrong, said) in [
            (json!({ "day": 1 }), "string"),
            (json!({}), "day"),
            (json!({ "day": "2026-02-30" }), "date"),
            (json!({ "day": "2026-02-28", "total": 3.5 }), "integer"),
        ] {
            let faults = schema.check(&wrong).unwrap_err();
            assert!(faults.contains(said), "{faults}");
        }
        let whole = json!({ "day": "2026-02-28", "total": 3.0 });
        assert_eq!(schema.check(&whole).is_ok(), draft == Draft::V2020_12);
    }
}
