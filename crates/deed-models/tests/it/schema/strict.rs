//! The strict form: everything said, or the plain form.

use deed_agent::{ConstrainedSampling, Strictness, ToolSpec};
use deed_models::schema::{DeclareError, Form, ToolNames, declare, strict_schema};
use deed_schema::{RawArgs, ToolSchema};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::pretty;

fn object(properties: Value, required: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required,
            "additionalProperties": false })
}

#[test]
fn b175_what_is_optional_may_be_null() {
    let schema = object(
        json!({
            "path": { "type": "string", "description": "a file" },
            "mode": { "enum": ["r", "w"], "default": null },
            "size": { "type": "integer", "title": "Size" },
            "any": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
            "null": { "type": ["string", "null"] },
            "list": { "type": "array", "items": { "type": "string" } },
            "flag": { "const": true },
        }),
        json!(["path"]),
    );
    let strict = strict_schema(&schema).unwrap();
    assert_eq!(strict.unions, 6);
    assert_snapshot!(pretty(&strict.schema), @r#"
    {
      "type": "object",
      "properties": {
        "path": {"type":"string","description":"a file"},
        "mode": {"type":["string","null"],"enum":["r","w",null]},
        "size": {"type":["integer","null"]},
        "any": {"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]},
        "null": {"type":["string","null"]},
        "list": {"type":["array","null"],"items":{"type":"string"}},
        "flag": {"type":["boolean","null"],"enum":[true,null]}
      },
      "required": ["path","mode","size","any","null","list","flag"],
      "additionalProperties": false
    }
    "#);
}

#[test]
fn b104_null_for_an_optional_field_is_as_good_as_leaving_it_out() {
    let schema = ToolSchema::new(object(
        json!({ "path": { "type": "string" }, "offset": { "type": "integer" } }),
        json!([]),
    ))
    .unwrap();
    assert!(strict_schema(schema.as_value()).is_ok());
    let raw = RawArgs::from_text(r#"{"path": null, "offset": null}"#).unwrap();
    assert_eq!(**schema.validate(&raw).unwrap().value(), json!({}));
}

#[test]
fn an_object_without_a_word_about_other_fields_is_closed() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let strict = strict_schema(&schema).unwrap().schema;
    assert_eq!(strict["additionalProperties"], json!(false));
    assert_eq!(strict["required"], json!(["a"]));
}

#[test]
fn b103_what_a_strict_schema_cannot_say_is_refused_by_name() {
    let rows = [
        json!({}),
        json!(true),
        json!({ "type": "integer", "minimum": 1 }),
        json!({ "type": "string", "pattern": "^a" }),
        json!({ "type": "string", "format": "uri" }),
        json!({ "type": "array" }),
        json!({ "type": "array", "items": {} }),
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }] }),
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": { "a": { "type": "string" } },
                "additionalProperties": true }),
        json!({ "type": "object", "properties": {}, "additionalProperties": { "type": "string" } }),
        json!({ "type": "object", "properties": { "a": { "type": "string" } },
                "patternProperties": { "^x": { "type": "string" } } }),
        json!({ "$ref": "#/$defs/x" }),
        json!({ "allOf": [{ "type": "string" }] }),
        json!({ "oneOf": [{ "type": "string" }] }),
        json!({ "type": "string", "if": {}, "then": {} }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
        json!({ "type": ["object", "string"] }),
        json!({ "enum": [1, "a"] }),
    ];
    let mut lines = Vec::new();
    for field in rows {
        let schema = object(json!({ "field": field }), json!(["field"]));
        let refusal = strict_schema(&schema).unwrap_err();
        assert!(refusal.path.starts_with("field"), "{refusal}");
        lines.push(format!("{field} => {refusal}"));
    }
    assert_snapshot!(lines.join("\n"), @r##"
    {} => field: a node without a type cannot be said in a strict schema
    true => field: a node without a type cannot be said in a strict schema
    {"type":"integer","minimum":1} => field: "minimum" cannot be said in a strict schema
    {"type":"string","pattern":"^a"} => field: "pattern" cannot be said in a strict schema
    {"type":"string","format":"uri"} => field: "format" cannot be said in a strict schema
    {"type":"array"} => field: a list of anything cannot be said in a strict schema
    {"type":"array","items":{}} => field.items: a node without a type cannot be said in a strict schema
    {"type":"array","items":{"type":"string"},"minItems":2} => field: "minItems" cannot be said in a strict schema
    {"type":"array","prefixItems":[{"type":"string"}]} => field: "prefixItems" cannot be said in a strict schema
    {"type":"object"} => field: an open object cannot be said in a strict schema
    {"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true} => field: an open object cannot be said in a strict schema
    {"type":"object","properties":{},"additionalProperties":{"type":"string"}} => field: an open object cannot be said in a strict schema
    {"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^x":{"type":"string"}}} => field: "patternProperties" cannot be said in a strict schema
    {"$ref":"#/$defs/x"} => field: a node without a type cannot be said in a strict schema
    {"allOf":[{"type":"string"}]} => field: a node without a type cannot be said in a strict schema
    {"oneOf":[{"type":"string"}]} => field: a node without a type cannot be said in a strict schema
    {"type":"string","if":{},"then":{}} => field: "if" cannot be said in a strict schema
    {"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]} => field: a union with an object or a list cannot be said in a strict schema
    {"type":["object","string"]} => field: a union with an object or a list cannot be said in a strict schema
    {"enum":[1,"a"]} => field: a list of values of several types cannot be said in a strict schema
    "##);
}

#[test]
fn nesting_beyond_what_providers_take_is_refused() {
    let mut schema = json!({ "type": "string" });
    for _ in 0..9 {
        schema = object(json!({ "a": schema }), json!(["a"]));
    }
    assert!(strict_schema(&object(json!({ "a": schema.clone() }), json!(["a"]))).is_ok());
    let deeper = object(
        json!({ "a": object(json!({ "a": schema }), json!(["a"])) }),
        json!(["a"]),
    );
    assert!(
        strict_schema(&deeper)
            .unwrap_err()
            .reason
            .contains("10 levels")
    );
}

#[test]
fn a_union_at_the_top_is_refused() {
    let schema = json!({ "type": "object", "anyOf": [{ "required": ["a"] }],
                         "properties": { "a": { "type": "string" } } });
    assert_eq!(strict_schema(&schema).unwrap_err().path, "root");
}

fn tool(strictness: Strictness, field: Value) -> ToolSpec {
    let schema = ToolSchema::new(object(json!({ "field": field }), json!(["field"]))).unwrap();
    ToolSpec {
        constrained_sampling: ConstrainedSampling::JsonSchema(strictness),
        ..ToolSpec::new("odd", "does odd things", schema)
    }
}

#[test]
fn preferring_falls_back_and_requiring_fails() {
    let names = ToolNames::default();
    let bounded = || json!({ "type": "integer", "minimum": 1 });
    for form in [Form::Plain, Form::Strict, Form::OpenApi] {
        let preferred = tool(Strictness::Prefer, bounded());
        assert!(!declare(&preferred, &names, form).unwrap().is_strict);
    }
    let required = tool(Strictness::Require, bounded());
    assert_snapshot!(declare(&required, &names, Form::Strict).unwrap_err(), @r#"the tool odd demands a strict schema, but its own cannot be made strict: field: "minimum" cannot be said in a strict schema"#);
    assert_snapshot!(declare(&required, &names, Form::OpenApi).unwrap_err(), @r#"the tool odd demands a strict schema, which this model's interface does not have; choose another model, or turn the tool off"#);
    let error = declare(&required, &names, Form::Plain).unwrap_err();
    assert!(matches!(error, DeclareError::NoStrictness { .. }));
    let fitting = tool(Strictness::Require, json!({ "type": "integer" }));
    assert!(declare(&fitting, &names, Form::Strict).unwrap().is_strict);
}
