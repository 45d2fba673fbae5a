use deed_schema::{RawArgs, SchemaError, ToolSchema};
use serde_json::{Value, json};

use crate::{run, run_field};

fn refusal(schema: Value) -> String {
    ToolSchema::new(schema).unwrap_err().to_string()
}

#[test]
fn b100_a_schema_that_describes_no_object_is_refused_with_the_reason() {
    assert_eq!(
        refusal(json!(true)),
        "the parameter schema must be an object with \"type\": \"object\", got true"
    );
    assert!(refusal(json!(null)).ends_with("got null"));
    assert!(refusal(json!([{"type": "object"}])).ends_with("got an array"));
    assert_eq!(
        refusal(json!({})),
        "the parameter schema has no \"type\"; it must say \"type\": \"object\""
    );
    assert!(refusal(json!({"type": "array"})).ends_with("not \"array\""));
    assert!(refusal(json!({"type": ["object", "null"]})).ends_with("not [\"object\",\"null\"]"));
}

#[test]
fn a_wrong_keyword_is_named_with_its_place() {
    let field = |field: Value| json!({"type": "object", "properties": {"limit": field}});
    assert_eq!(
        refusal(field(json!({"type": "strin"}))),
        "the parameter schema is wrong at properties.limit.type: \"strin\" is not a JSON type \
         (string, number, integer, boolean, array, object, null)"
    );
    assert!(refusal(field(json!("string"))).contains("at properties.limit: expected a schema"));
    assert!(refusal(field(json!({"enum": "a"}))).contains("at properties.limit.enum: "));
    assert!(refusal(field(json!({"anyOf": []}))).contains("at properties.limit.anyOf: "));
    assert!(refusal(field(json!({"anyOf": [{}, 5]}))).contains("at properties.limit.anyOf.1: "));
    assert!(refusal(json!({"type": "object", "required": "path"})).contains("at required: "));
    assert!(refusal(json!({"type": "object", "properties": []})).contains("at properties: "));
    let draft_4 = json!({"type": "object", "$schema": "http://json-schema.org/draft-04/schema#"});
    assert!(matches!(
        ToolSchema::new(draft_4),
        Err(SchemaError::UnknownDraft { .. })
    ));
}

#[test]
fn references_stay_inside_the_schema() {
    let to = |reference: &str| json!({"type": "object", "properties": {"x": {"$ref": reference}}});
    assert!(refusal(to("#/$defs/nothing")).contains("at properties.x.$ref: "));
    assert!(refusal(to("#nothing")).contains("leads to nothing"));
    assert!(refusal(to("https://example.com/s.json")).contains("nothing is fetched"));
    assert!(refusal(to("file:///etc/hostname")).contains("nothing is fetched"));
    // A relative one might be the schema itself; the compiler refuses it without a look at any file.
    let file = std::env::temp_dir().join("deed-schema-reference.json");
    std::fs::write(&file, "{}").unwrap();
    for reference in ["other.json", file.to_str().unwrap()] {
        let schema = ToolSchema::new(to(reference)).unwrap();
        assert!(
            matches!(schema.warm(), Err(SchemaError::Unusable { .. })),
            "{reference}"
        );
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn b101_a_relative_id_with_local_references_accepts_valid_arguments() {
    for (schema, defs) in [
        ("https://json-schema.org/draft/2020-12/schema", "$defs"),
        ("http://json-schema.org/draft-07/schema#", "definitions"),
    ] {
        let schema = json!({
            "$schema": schema,
            "$id": "schemas/t.json",
            "type": "object",
            "properties": {
                "a": {"$ref": format!("#/{defs}/n")},
                "b": {"$ref": format!("t.json#/{defs}/n")}
            },
            defs: {"n": {"type": "integer"}}
        });
        let value = run(schema.clone(), json!({"a": "5", "b": 6})).unwrap();
        assert_eq!(value, json!({"a": 5, "b": 6}));
        assert!(
            run(schema, json!({"a": "five"}))
                .unwrap_err()
                .starts_with("- a: expected integer")
        );
    }
}

#[test]
fn an_anchor_is_found() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#n"}},
        "$defs": {"x": {"$anchor": "n", "type": "integer"}}
    });
    assert_eq!(run(schema, json!({"a": "5"})).unwrap(), json!({"a": 5}));
}

#[test]
fn a_part_with_an_id_of_its_own_is_validated_and_not_misread() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/part"}},
        "$defs": {
            "n": {"type": "string"},
            "part": {
                "$id": "https://example.com/part",
                "properties": {"b": {"$ref": "#/$defs/n"}},
                "$defs": {"n": {"type": "integer"}}
            }
        }
    });
    assert!(run(schema.clone(), json!({"a": {"b": 5}})).is_ok());
    assert!(run(schema, json!({"a": {"b": "x"}})).is_err());
}

#[test]
fn a_fault_that_only_the_compiler_finds_is_told_by_warm_and_by_every_validation() {
    let schema = ToolSchema::new(json!({
        "type": "object",
        "properties": {"x": {"type": "string", "pattern": "("}}
    }))
    .unwrap();
    assert!(matches!(schema.warm(), Err(SchemaError::Unusable { .. })));
    let fault = schema.validate(&RawArgs::empty()).unwrap_err().to_string();
    assert!(
        fault.starts_with("- root: the parameter schema cannot be used: "),
        "{fault}"
    );
}

#[test]
fn both_drafts_apply_their_own_keywords() {
    // `prefixItems` is unknown to draft 7, a list under `items` to 2020-12.
    let field = json!({"type": "array", "prefixItems": [{"type": "integer"}]});
    assert!(run_field(field.clone(), json!(["x"])).is_err());
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"x": field}
    });
    assert!(run(draft_7, json!({"x": ["y"]})).is_ok());
}

#[test]
fn a_schema_is_shared_between_threads() {
    let schema = ToolSchema::new(crate::read_schema()).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let schema = schema.clone();
            std::thread::spawn(move || {
                let raw = RawArgs::from_value(&json!({"path": "a", "offset": "3"}));
                schema.validate(&raw).unwrap().sha256()
            })
        })
        .collect();
    let hashes: std::collections::HashSet<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert_eq!(hashes.len(), 1);
}
