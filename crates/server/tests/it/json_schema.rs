//! A JSON Schema that says what a value lacks.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::{Value, json};

pub(crate) struct JsonSchema {
    schemas: Schemas,
    root: SchemaIndex,
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
        Self { schemas, root }
    }

    /// Fails with all differences between a value and the schema.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        self.schemas.validate(value, self.root).map_err(|error| format!("{error:#}"))
    }
}

#[test]
fn types_missing_members_and_formats_are_checked() {
    let day = json!({ "type": "string", "format": "date" });
    let schema = json!({ "type": "object", "required": ["day"], "properties": { "day": day } });
    for draft in [Draft::V4, Draft::V2020_12] {
        let schema = JsonSchema::new(draft, schema.clone());
        assert_eq!(schema.check(&json!({ "day": "2026-02-28" })), Ok(()));
        for (wrong, said) in
            [(json!({ "day": 1 }), "string"), (json!({}), "day"), (json!({ "day": "2026-02-30" }), "date")]
        {
            let faults = schema.check(&wrong).unwrap_err();
            assert!(faults.contains(said), "{faults}");
        }
    }
}
