use std::collections::BTreeMap;

use deed_schema::{RawArgs, ToolSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Not for the model.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Params {
    /// Where.
    path: String,
    /// Replacements.
    edits: Vec<Edit>,
    /// First line.
    start_line: Option<u32>,
    /// How.
    mode: Option<Mode>,
    #[serde(default)]
    ratio: f64,
    /// Maybe.
    limit: Option<Limit>,
    env: Option<BTreeMap<String, u8>>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Edit {
    old_text: String,
    new_text: String,
}

/// All modes.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Text,
    Hex,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Limit {
    lines: usize,
}

#[test]
fn a_parameter_type_becomes_a_plain_closed_schema() {
    let schema = ToolSchema::of::<Params>();
    let wanted = json!({
        "type": "object",
        "properties": {
            "path": {"description": "Where.", "type": "string"},
            "edits": {
                "description": "Replacements.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                    "additionalProperties": false,
                    "required": ["oldText", "newText"]
                }
            },
            "startLine": {"description": "First line.", "type": "integer", "minimum": 0},
            "mode": {"description": "How.", "type": "string", "enum": ["text", "hex"]},
            "ratio": {"type": "number", "default": 0.0},
            "limit": {
                "description": "Maybe.",
                "type": "object",
                "properties": {"lines": {"type": "integer", "minimum": 0}},
                "additionalProperties": false,
                "required": ["lines"]
            },
            "env": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255}
            }
        },
        "additionalProperties": false,
        "required": ["path", "edits"]
    });
    assert_eq!(schema.as_value(), &wanted);
    let names: Vec<_> = schema.as_value()["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(
        names,
        [
            "path",
            "edits",
            "startLine",
            "mode",
            "ratio",
            "limit",
            "env"
        ]
    );
    assert!(ToolSchema::new(schema.as_value().clone()).is_ok());
    schema.warm().unwrap();
}

#[test]
fn accepted_arguments_decode_into_the_type() {
    let schema = ToolSchema::of::<Params>();
    let raw = RawArgs::from_value(&json!({
        "path": 5,
        "edits": {"oldText": "x", "newText": "y"},
        "startLine": 3.0,
        "mode": null,
        "ratio": 3,
        "limit": {"lines": "7"},
        "env": {"A": 1.0}
    }));
    let params: Params = schema.validate(&raw).unwrap().decode().unwrap();
    let wanted = Params {
        path: "5".to_owned(),
        edits: vec![Edit {
            old_text: "x".to_owned(),
            new_text: "y".to_owned(),
        }],
        start_line: Some(3),
        mode: None,
        ratio: 3.0,
        limit: Some(Limit { lines: 7 }),
        env: Some(BTreeMap::from([("A".to_owned(), 1)])),
    };
    assert_eq!(params, wanted);
    assert!(
        schema
            .validate(&RawArgs::from_value(
                &json!({"path": "a", "edits": [], "x": 1})
            ))
            .is_err()
    );
}

#[test]
fn what_the_type_refuses_is_a_fault_of_the_arguments() {
    // The schema bounds `u32` only from below.
    let schema = ToolSchema::of::<Params>();
    let raw =
        RawArgs::from_value(&json!({"path": "a", "edits": [], "startLine": 5_000_000_000_u64}));
    let fault = schema
        .validate(&raw)
        .unwrap()
        .decode::<Params>()
        .unwrap_err()
        .to_string();
    assert!(
        fault.starts_with("- root: the tool cannot use these arguments: "),
        "{fault}"
    );
}

#[test]
fn a_type_without_named_fields_is_told() {
    let schema = ToolSchema::of::<Mode>();
    let error = schema.warm().unwrap_err().to_string();
    assert!(error.contains("must say \"type\": \"object\""), "{error}");
}

#[test]
fn a_type_without_fields_takes_an_empty_object() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let schema = ToolSchema::of::<Nothing>();
    assert!(
        schema
            .validate(&RawArgs::empty())
            .unwrap()
            .decode::<Nothing>()
            .is_ok()
    );
    assert!(
        schema
            .validate(&RawArgs::from_value(&json!({"a": 1})))
            .is_err()
    );
}

#[test]
fn a_recursive_type_keeps_its_references() {
    #[derive(Deserialize, JsonSchema)]
    struct Tree {
        #[allow(dead_code, reason = "read by the schema only")]
        size: u32,
        children: Option<Vec<Tree>>,
    }
    let schema = ToolSchema::of::<Tree>();
    let raw = RawArgs::from_value(&json!({"size": 1, "children": {"size": "2", "children": null}}));
    let tree: Tree = schema.validate(&raw).unwrap().decode().unwrap();
    assert_eq!(tree.children.unwrap().len(), 1);
}
