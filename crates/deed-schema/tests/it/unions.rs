use serde_json::json;

use crate::{run, run_field, run_optional};

#[test]
fn b092_null_stays_null_where_a_branch_takes_it() {
    let field = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(run_field(field.clone(), json!(null)), Ok(json!(null)));
    assert_eq!(
        run_optional(field.clone(), json!(null)),
        Ok(Some(json!(null)))
    );
    assert_eq!(run_field(field, json!("null")), Ok(json!("null")));
    let kinds = json!({"type": ["string", "null"]});
    assert_eq!(run_optional(kinds, json!(null)), Ok(Some(json!(null))));
}

#[test]
fn a_value_that_a_branch_accepts_is_kept() {
    let field = json!({"anyOf": [{"type": "integer"}, {"type": "string"}]});
    assert_eq!(run_field(field.clone(), json!("5")), Ok(json!("5")));
    assert_eq!(run_field(field, json!(5)), Ok(json!(5)));
    let kinds = json!({"type": ["integer", "string"]});
    assert_eq!(run_field(kinds, json!("5")), Ok(json!("5")));
}

#[test]
fn else_the_first_branch_whose_conversion_is_accepted_wins() {
    let field = json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]});
    assert_eq!(run_field(field.clone(), json!("7")), Ok(json!(7)));
    assert_eq!(run_field(field, json!("true")), Ok(json!(1)));
    let bounded = json!({"anyOf": [{"type": "integer", "maximum": 5}, {"type": "array", "items": {"type": "integer"}}]});
    assert_eq!(run_field(bounded, json!("7")), Ok(json!([7])));
    let forms = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"type": "string"}}, "required": ["kind", "n"]}
    ]});
    assert_eq!(
        run_field(forms.clone(), json!({"kind": "b", "n": 5})),
        Ok(json!({"kind": "b", "n": "5"}))
    );
    assert_eq!(
        run_field(forms, json!(r#"{"kind": "a", "n": "5"}"#)),
        Ok(json!({"kind": "a", "n": 5}))
    );
}

#[test]
fn a_whole_number_inside_a_union_becomes_an_integer() {
    let field = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    assert_eq!(run_field(field, json!(3.0)).unwrap().to_string(), "3");
    assert_eq!(
        run_field(json!({"type": ["integer", "null"]}), json!(3.0))
            .unwrap()
            .to_string(),
        "3"
    );
}

#[test]
fn a_union_beside_properties_leaves_their_conversion_alone() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]
    });
    assert_eq!(
        run(schema.clone(), json!({"a": "1", "b": null})).unwrap(),
        json!({"a": 1})
    );
    assert_eq!(
        run(schema, json!({})).unwrap_err(),
        "- root: fits none of the allowed forms: a required, but missing; or b required, but missing"
    );
}

#[test]
fn all_of_is_coerced_part_by_part() {
    let field = json!({"allOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}},
        {"$ref": "#/$defs/b"}
    ]});
    let schema = json!({
        "type": "object",
        "properties": {"x": field},
        "$defs": {"b": {"properties": {"b": {"type": "boolean"}}}}
    });
    let value = run(schema, json!({"x": {"a": "1", "b": "true"}})).unwrap();
    assert_eq!(value, json!({"x": {"a": 1, "b": true}}));
}

#[test]
fn references_inside_unions_see_the_whole_schema() {
    let schema = json!({
        "$id": "schemas/t.json",
        "type": "object",
        "properties": {"x é%/~": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}},
        "$defs": {"n": {"type": "integer", "minimum": 1}}
    });
    assert_eq!(
        run(schema.clone(), json!({"x é%/~": "5"})).unwrap(),
        json!({"x é%/~": 5})
    );
    assert_eq!(
        run(schema, json!({"x é%/~": 0})).unwrap_err(),
        "- x é%/~: must be at least 1, got 0"
    );
}

#[test]
fn a_schema_whose_unions_multiply_still_ends() {
    let node = |op: &str| {
        json!({
            "type": "object",
            "properties": {"op": {"const": op}, "of": {"$ref": "#/$defs/n"}},
            "required": ["op", "of"]
        })
    };
    let schema = json!({
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"anyOf": [node("a"), node("b"), {"type": "integer"}]}}
    });
    let nested = |leaf: &str, levels: usize| {
        (0..levels).fold(json!(leaf), |inner, _| json!({"op": "b", "of": inner}))
    };
    assert!(run(schema.clone(), json!({"x": nested("no number", 40)})).is_err());
    let value = run(schema, json!({"x": nested("7", 3)})).unwrap();
    assert_eq!(value.pointer("/x/of/of/of"), Some(&json!(7)));
}
