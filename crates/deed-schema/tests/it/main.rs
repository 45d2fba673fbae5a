//! What arguments a schema accepts, what it makes of them, and what it says of the rest.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod canonical;
mod coercion;
mod derived;
mod faults;
mod properties;
mod repair;
mod schemas;
mod strict;
mod unions;

use deed_schema::{RawArgs, ToolSchema};
use serde_json::{Value, json};

/// Validates arguments against a schema: the accepted value, or the lines of the faults.
fn run(schema: Value, arguments: Value) -> Result<Value, String> {
    run_text(schema, &arguments.to_string())
}

fn run_text(schema: Value, arguments: &str) -> Result<Value, String> {
    let schema = ToolSchema::new(schema).unwrap();
    let raw = RawArgs::from_text(arguments).unwrap();
    match schema.validate(&raw) {
        Ok(args) => Ok(args.value().as_ref().clone()),
        Err(faults) => Err(faults.to_string()),
    }
}

/// Validates one required field `x`.
fn run_field(field: Value, x: Value) -> Result<Value, String> {
    let schema = json!({"type": "object", "properties": {"x": field}, "required": ["x"]});
    run(schema, json!({"x": x})).map(|value| value["x"].clone())
}

/// Validates one optional field `x`; `None` if it was taken as left out.
fn run_optional(field: Value, x: Value) -> Result<Option<Value>, String> {
    let schema = json!({"type": "object", "properties": {"x": field}});
    run(schema, json!({"x": x})).map(|value| value.get("x").cloned())
}

fn edit_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                    "required": ["oldText", "newText"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["path", "edits"],
        "additionalProperties": false
    })
}

fn read_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1},
            "limit": {"type": "number"},
            "mode": {"enum": ["text", "hex"]},
            "literal": {"type": "boolean"}
        },
        "required": ["path"],
        "additionalProperties": false
    })
}
