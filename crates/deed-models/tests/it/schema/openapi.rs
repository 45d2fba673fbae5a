//! The part of JSON Schema that Gemini takes.

use deed_models::schema::openapi_schema;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::pretty;

/// What is sent of a schema with this one field.
fn field(schema: Value) -> String {
    field_with(schema, json!({}))
}

fn field_with(schema: Value, definitions: Value) -> String {
    let whole =
        json!({ "type": "object", "properties": { "field": schema }, "$defs": definitions });
    pretty(&openapi_schema(&whole).unwrap()["properties"]["field"])
}

#[test]
fn a_tool_without_arguments_has_no_schema() {
    assert_eq!(openapi_schema(&json!({ "type": "object" })), None);
    let closed = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert_eq!(openapi_schema(&closed), None);
}

#[test]
fn a_type_is_one_type() {
    assert_snapshot!(field(json!({ "type": ["string", "null"], "description": "d" })), @r#"{"type":"string","description":"d","nullable":true}"#);
    assert_snapshot!(field(json!({ "type": ["string", "integer"], "minimum": 1, "minLength": 2 })), @r#"{"anyOf":[{"type":"string","minLength":2},{"type":"integer","minimum":1}]}"#);
    assert_snapshot!(field(json!({})), @r#"{"type":"string","description":"(any value; other than text, as JSON)"}"#);
    assert_snapshot!(field(json!(true)), @r#"{"type":"string","description":"(any value; other than text, as JSON)"}"#);
}

#[test]
fn a_union_has_nothing_beside_its_branches() {
    assert_snapshot!(field(json!({ "description": "a name or a list",
        "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })), @r#"
    {
      "anyOf": [
        {"type":"string","description":"a name or a list"},
        {"type":"array","items":{"type":"string"},"description":"a name or a list"}
      ]
    }
    "#);
    assert_snapshot!(field(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })), @r#"{"type":"string","nullable":true}"#);
}

#[test]
fn values_are_listed_where_they_are_texts() {
    assert_snapshot!(field(json!({ "enum": ["a", "", "b", null] })), @r#"{"type":"string","enum":["a","b"],"nullable":true,"description":"(may be empty)"}"#);
    assert_snapshot!(field(json!({ "const": "a" })), @r#"{"type":"string","enum":["a"]}"#);
    assert_snapshot!(field(json!({ "const": 5, "description": "d" })), @r#"{"type":"integer","description":"d (always 5)"}"#);
    assert_snapshot!(field(json!({ "type": "integer", "enum": [1, 2] })), @r#"{"type":"integer","description":"(one of 1, 2)"}"#);
    assert_snapshot!(field(json!({ "oneOf": [{ "const": "x", "description": "the x" }, { "const": "y" }] })), @r#"{"type":"string","enum":["x","y"]}"#);
    assert_snapshot!(field(json!({ "enum": [1, "a"] })), @r#"
    {
      "type": "string",
      "description": "(any value; other than text, as JSON) (one of 1, \"a\")"
    }
    "#);
}

#[test]
fn what_has_no_keyword_is_said_in_words() {
    assert_snapshot!(field(json!({ "type": "string", "format": "email", "pattern": "^[^ ]+$", "description": "who" })), @r#"{"type":"string","description":"who (matches ^[^ ]+$) (format: email)"}"#);
    assert_snapshot!(field(json!({ "type": "string", "format": "date-time" })), @r#"{"type":"string","format":"date-time"}"#);
    assert_snapshot!(field(json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 9, "multipleOf": 3 })), @r#"{"type":"number","maximum":9,"description":"(more than 0) (a multiple of 3)"}"#);
    assert_snapshot!(field(json!({ "type": "object", "additionalProperties": { "type": "string" } })), @r#"{"type":"object","description":"(with any fields)"}"#);
}

#[test]
fn a_list_always_says_what_is_in_it() {
    assert_snapshot!(field(json!({ "type": "array" })), @r#"
    {
      "type": "array",
      "items": {"type":"string","description":"(any value; other than text, as JSON)"}
    }
    "#);
    assert_snapshot!(field(json!({ "type": "array", "uniqueItems": true,
        "prefixItems": [{ "type": "string" }, { "type": "integer" }] })), @r#"
    {
      "type": "array",
      "items": {"anyOf":[{"type":"string"},{"type":"integer"}]},
      "description": "(no item twice) (2 items, each of its own kind)"
    }
    "#);
}

#[test]
fn references_are_written_out_and_cut_where_they_come_back() {
    let definitions = json!({
        "name": { "type": "string", "minLength": 1 },
        "tree": { "type": "object", "properties": {
            "name": { "$ref": "#/$defs/name", "description": "of the node" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } } },
            "required": ["name"] } });
    assert_snapshot!(field_with(json!({ "$ref": "#/$defs/tree" }), definitions), @r#"
    {
      "type": "object",
      "properties": {
        "name": {"type":"string","minLength":1,"description":"of the node"},
        "children": {"type":"array","items":{"type":"object","description":"(again of the form tree)"}}
      },
      "required": ["name"]
    }
    "#);
    assert_snapshot!(field(json!({ "$ref": "#/$defs/nowhere" })), @r#"{"type":"string","description":"(any value; other than text, as JSON)"}"#);
    assert_snapshot!(field(json!({ "$ref": "https://example.com/x.json" })), @r#"{"type":"string","description":"(any value; other than text, as JSON)"}"#);
}

#[test]
fn the_parts_of_a_join_come_together() {
    let definitions = json!({ "base": { "type": "object", "properties": { "a": { "type": "string" } },
                                        "required": ["a"] } });
    assert_snapshot!(field_with(json!({ "allOf": [{ "$ref": "#/$defs/base" },
        { "properties": { "b": { "type": "integer" } }, "required": ["b"] }] }), definitions), @r#"
    {
      "type": "object",
      "properties": {"a":{"type":"string"},"b":{"type":"integer"}},
      "required": ["a","b"]
    }
    "#);
}

#[test]
fn a_required_field_that_is_not_declared_is_not_required() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } },
                         "required": ["a", "ghost"] });
    assert_eq!(openapi_schema(&schema).unwrap()["required"], json!(["a"]));
}
