//! Schemas that are made to hurt.

use deed_models::schema::{openapi_schema, plain_schema, strict_schema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[test]
fn references_that_double_at_each_step_stay_bounded() {
    let mut definitions = Map::new();
    for level in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        let definition = json!({ "type": "object", "properties": { "l": next, "r": next } });
        definitions.insert(format!("d{level}"), definition);
    }
    definitions.insert("d40".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d0" } },
                         "$defs": definitions });
    let size = openapi_schema(&schema).unwrap().to_string().len();
    assert!(size < 1_000_000, "{size}");
    assert!(plain_schema(&schema).to_string().len() < 10_000);
}

#[test]
fn a_top_that_refers_to_itself_comes_to_an_end() {
    for schema in [
        json!({ "type": "object", "$ref": "#" }),
        json!({ "type": "object", "allOf": [{ "$ref": "#" }] }),
        json!({ "type": "object", "anyOf": [{ "$ref": "#/anyOf/0" }] }),
        json!({ "type": "object", "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } }),
    ] {
        assert_eq!(plain_schema(&schema)["type"], json!("object"));
        assert_eq!(openapi_schema(&schema), None);
        assert!(strict_schema(&schema).is_err());
    }
}

#[test]
fn a_join_that_refers_to_itself_comes_to_an_end() {
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } },
        "$defs": { "a": { "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }] },
                   "b": { "allOf": [{ "$ref": "#/$defs/a" }] } } });
    assert!(openapi_schema(&schema).is_some());
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({ "type": "string", "format": "uri" })),
        Just(json!({ "type": ["integer", "null"], "minimum": 0 })),
        Just(json!({ "enum": [1, null, "a", {}] })),
        Just(json!({ "const": null })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/properties/a" })),
        Just(json!({ "$ref": "#/nowhere" })),
        Just(json!({ "type": "array" })),
        Just(json!({ "type": [] })),
        Just(json!(7)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|list| json!({ "anyOf": list })),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|list| json!({ "oneOf": list, "type": "object" })),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|list| json!({ "allOf": list, "description": "d" })),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|list| json!({ "type": "array", "items": list })),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({ "type": "object",
                "properties": { "a": a, "b": b }, "required": ["a", "c"],
                "additionalProperties": false })),
            inner.prop_map(|one| json!({ "type": "object", "additionalProperties": one })),
        ]
    })
}

/// Finds what Gemini refuses in a schema.
fn fault_of(schema: &Value) -> Option<String> {
    const TAKEN: [&str; 19] = [
        "type",
        "format",
        "description",
        "nullable",
        "enum",
        "items",
        "properties",
        "required",
        "anyOf",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "pattern",
        "title",
    ];
    let Some(members) = schema.as_object() else {
        return Some(format!("not an object: {schema}"));
    };
    if let Some(word) = members.keys().find(|word| !TAKEN.contains(&word.as_str())) {
        return Some(format!("keyword {word}"));
    }
    if let Some(branches) = members.get("anyOf") {
        let branches = branches.as_array().unwrap();
        if members.len() > 1 || branches.len() < 2 {
            return Some(format!("a union with more: {schema}"));
        }
        return branches.iter().find_map(fault_of);
    }
    let Some(kind) = members.get("type").and_then(Value::as_str) else {
        return Some(format!("no type: {schema}"));
    };
    if kind == "array" && !members.contains_key("items") {
        return Some(format!("no items: {schema}"));
    }
    if let Some(Value::Array(values)) = members.get("enum")
        && (kind != "string"
            || values
                .iter()
                .any(|it| it.as_str().is_none_or(str::is_empty)))
    {
        return Some(format!("values: {schema}"));
    }
    let properties = members.get("properties").and_then(Value::as_object);
    let required = members.get("required").and_then(Value::as_array);
    let declared =
        |name: &Value| properties.is_some_and(|it| it.contains_key(name.as_str().unwrap()));
    if !required.is_none_or(|names| names.iter().all(declared)) {
        return Some(format!("required: {schema}"));
    }
    let inner = properties.into_iter().flat_map(Map::values);
    inner.chain(members.get("items")).find_map(fault_of)
}

proptest! {
    #[test]
    fn whatever_a_schema_says_gemini_takes_what_is_sent(a in any_schema(), b in any_schema()) {
        let schema = json!({ "type": "object", "properties": { "a": a, "b": b },
                             "required": ["a", "ghost"] });
        let sent = openapi_schema(&schema).unwrap();
        prop_assert_eq!(fault_of(&sent), None);
    }

    #[test]
    fn whatever_a_schema_says_the_top_is_a_plain_object(a in any_schema(), b in any_schema()) {
        let schema = json!({ "type": "object", "properties": { "a": a }, "anyOf": [b] });
        let sent = plain_schema(&schema);
        prop_assert_eq!(&sent["type"], &json!("object"));
        prop_assert!(sent["properties"].is_object());
        for word in ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] {
            prop_assert!(sent.get(word).is_none());
        }
    }

    #[test]
    fn a_strict_schema_is_closed_all_over(schema in any_schema()) {
        fn check(node: &Value) -> Result<(), TestCaseError> {
            if let Some(properties) = node.get("properties").and_then(Value::as_object) {
                let names: Vec<_> = properties.keys().cloned().collect();
                prop_assert_eq!(&node["required"], &json!(names));
                prop_assert_eq!(&node["additionalProperties"], &json!(false));
                properties.values().try_for_each(check)?;
            }
            node.get("items").into_iter().try_for_each(check)
        }
        let schema = json!({ "type": "object", "properties": { "a": schema } });
        if let Ok(strict) = strict_schema(&schema) {
            check(&strict.schema)?;
        }
    }
}
