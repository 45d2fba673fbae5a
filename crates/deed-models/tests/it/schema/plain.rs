//! JSON Schema as OpenAI and Anthropic take it.

use deed_models::schema::plain_schema;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::pretty;

fn sent(schema: Value) -> String {
    pretty(&plain_schema(&schema))
}

#[test]
fn a_tool_without_arguments_has_an_empty_list_of_fields() {
    assert_snapshot!(sent(json!({ "type": "object" })), @r#"{"type":"object","properties":{}}"#);
}

#[test]
fn what_stands_inside_is_left_alone() {
    let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
        "a": { "$ref": "#/$defs/a" },
        "b": { "anyOf": [{ "const": 1 }, { "type": "string", "format": "uri" }] } },
        "$defs": { "a": { "type": "array", "items": { "$ref": "#/$defs/a" } } } });
    assert_eq!(plain_schema(&schema), schema);
}

#[test]
fn a_union_at_the_top_becomes_one_object() {
    let schema = json!({ "type": "object", "description": "either",
        "properties": { "kind": { "type": "string" } }, "required": ["kind"],
        "oneOf": [
            { "properties": { "kind": { "const": "file" }, "path": { "type": "string" } },
              "required": ["kind", "path", "size"], "additionalProperties": false },
            { "properties": { "kind": { "const": "web" }, "url": { "type": "string" },
                              "size": { "type": "integer" } },
              "required": ["url", "size"], "additionalProperties": false },
            { "$ref": "#/$defs/third" },
        ],
        "$defs": { "third": { "properties": { "path": { "type": "string" } },
                              "required": ["size"], "additionalProperties": false } } });
    assert_snapshot!(sent(schema), @r#"
    {
      "type": "object",
      "description": "either",
      "properties": {
        "kind": {"allOf":[{"type":"string"},{"anyOf":[{"const":"file"},{"const":"web"}]}]},
        "path": {"type":"string"},
        "url": {"type":"string"},
        "size": {"type":"integer"}
      },
      "required": ["kind","size"],
      "$defs": {
        "third": {
          "properties": {"path":{"type":"string"}},
          "required": ["size"],
          "additionalProperties": false
        }
      },
      "additionalProperties": false
    }
    "#);
}

#[test]
fn a_top_that_is_a_reference_or_a_join_is_written_out() {
    let schema = json!({ "type": "object", "$ref": "#/$defs/base",
        "allOf": [{ "properties": { "b": { "type": "string" } }, "required": ["b"] },
                  { "if": { "required": ["a"] }, "then": { "required": ["c"] } }],
        "if": { "required": ["a"] }, "not": { "required": ["z"] },
        "$defs": { "base": { "type": "object", "properties": { "a": { "type": "string" } },
                             "required": ["a"] } } });
    assert_snapshot!(sent(schema), @r#"
    {
      "type": "object",
      "$defs": {"base":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}},
      "properties": {"a":{"type":"string"},"b":{"type":"string"}},
      "required": ["a","b"]
    }
    "#);
}

#[test]
fn draft_7_is_told_in_the_words_of_2020_12() {
    let schema = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$id": "schemas/t.json",
        "type": "object", "properties": {
            "pair": { "type": "array", "items": [{ "type": "string" }, true], "additionalItems": false },
            "all": true,
            "rest": { "$ref": "schemas/t.json#/definitions/rest" },
            "open": { "type": "object", "additionalProperties": true } },
        "definitions": { "rest": { "type": "array", "items": true } } });
    assert_snapshot!(sent(schema), @r##"
    {
      "type": "object",
      "properties": {
        "pair": {"type":"array","prefixItems":[{"type":"string"},{}],"items":false},
        "all": {},
        "rest": {"$ref":"#/definitions/rest"},
        "open": {"type":"object","additionalProperties":true}
      },
      "definitions": {"rest":{"type":"array","items":{}}}
    }
    "##);
}
