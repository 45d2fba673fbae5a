use deed_schema::{RawArgs, ToolSchema};
use serde_json::{Value, json};

use crate::{edit_schema, read_schema, run, run_field};

#[test]
fn pi_contract_14_9_structural_errors_are_refused_at_the_field() {
    assert_eq!(
        run(read_schema(), json!({})).unwrap_err(),
        "- path: required, but missing"
    );
    assert_eq!(
        run(read_schema(), json!({"path": "a", "offset": {}})).unwrap_err(),
        "- offset: expected integer, got an object"
    );
    assert_eq!(
        run(read_schema(), json!({"path": "a", "mode": "octal"})).unwrap_err(),
        "- mode: must be one of \"text\", \"hex\", got \"octal\""
    );
    assert_eq!(
        run(read_schema(), json!({"path": "a", "colour": 1})).unwrap_err(),
        "- colour: not a known field"
    );
}

#[test]
fn b095_unknown_fields_follow_the_rule_of_their_own_level() {
    let edit = json!({"oldText": "x", "newText": "y", "reason": "z"});
    let fault = run(
        edit_schema(),
        json!({"path": "a", "edits": [edit], "foo": 1}),
    )
    .unwrap_err();
    let mut lines: Vec<_> = fault.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "- edits.0.reason: not a known field",
            "- foo: not a known field"
        ]
    );

    let open_inside = json!({
        "type": "object",
        "properties": {"x": {"type": "object", "properties": {}}},
        "additionalProperties": false
    });
    assert!(run(open_inside, json!({"x": {"foo": 1}})).is_ok());
    let closed_inside = json!({
        "type": "object",
        "properties": {"x": {"type": "object", "additionalProperties": false}}
    });
    assert_eq!(
        run(closed_inside, json!({"foo": 1, "x": {"foo": 1}})).unwrap_err(),
        "- x.foo: not a known field"
    );
    let unevaluated = json!({
        "type": "object",
        "allOf": [{"properties": {"a": {}}}],
        "unevaluatedProperties": false
    });
    assert_eq!(
        run(unevaluated, json!({"a": 1, "b": 2})).unwrap_err(),
        "- b: not a known field"
    );
}

#[test]
fn every_fault_has_a_line_and_missing_fields_come_first() {
    let given = json!({"edits": [{"oldText": [], "newText": "y"}, {"newText": {}}], "extra": 1});
    let fault = run(edit_schema(), given).unwrap_err();
    let lines: Vec<_> = fault.lines().collect();
    assert_eq!(lines.len(), 5, "{fault}");
    let (first, rest) = lines.split_at(2);
    assert!(first.contains(&"- path: required, but missing"), "{fault}");
    assert!(
        first.contains(&"- edits.1.oldText: required, but missing"),
        "{fault}"
    );
    assert!(
        rest.contains(&"- edits.0.oldText: expected string, got an array"),
        "{fault}"
    );
    assert!(
        rest.contains(&"- edits.1.newText: expected string, got an object"),
        "{fault}"
    );
    assert!(rest.contains(&"- extra: not a known field"), "{fault}");
}

#[test]
fn a_required_null_is_an_error() {
    let fault = run_field(json!({"type": "string"}), json!(null)).unwrap_err();
    assert_eq!(fault, "- x: expected string, got null");
}

#[test]
fn each_rule_of_a_schema_is_worded() {
    let table: &[(Value, Value, &str)] = &[
        (
            json!({"type": ["integer", "null"]}),
            json!("ten"),
            "expected integer or null, got \"ten\"",
        ),
        (
            json!({"type": "integer"}),
            json!(3.7),
            "expected integer, got 3.7",
        ),
        (
            json!({"const": "a"}),
            json!("b"),
            "must be \"a\", got \"b\"",
        ),
        (json!({"minimum": 1}), json!(0), "must be at least 1, got 0"),
        (json!({"maximum": 1}), json!(2), "must be at most 1, got 2"),
        (
            json!({"exclusiveMinimum": 1}),
            json!(1),
            "must be more than 1, got 1",
        ),
        (
            json!({"exclusiveMaximum": 1}),
            json!(1),
            "must be less than 1, got 1",
        ),
        (
            json!({"multipleOf": 2}),
            json!(3),
            "must be a multiple of 2, got 3",
        ),
        (json!({"minLength": 1}), json!(""), "must not be empty"),
        (
            json!({"minLength": 2}),
            json!("ö"),
            "must have at least 2 characters",
        ),
        (
            json!({"maxLength": 1}),
            json!("ab"),
            "must have at most 1 character",
        ),
        (
            json!({"minItems": 1}),
            json!([]),
            "must have at least 1 item",
        ),
        (
            json!({"maxItems": 1}),
            json!([1, 2]),
            "must have at most 1 item",
        ),
        (
            json!({"minProperties": 1}),
            json!({}),
            "must have at least 1 field",
        ),
        (
            json!({"maxProperties": 1}),
            json!({"a": 1, "b": 2}),
            "must have at most 1 field",
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 1]),
            "no two items may be equal",
        ),
        (
            json!({"pattern": "^a"}),
            json!("b"),
            "must match the pattern ^a, got \"b\"",
        ),
        (
            json!({"format": "date"}),
            json!("b"),
            "must be a valid date, got \"b\"",
        ),
        (
            json!({"not": {}}),
            json!(1),
            "has a form that is not allowed",
        ),
        (json!(false), json!(1), "not allowed here"),
        (
            json!({"contains": {"const": 1}}),
            json!([2]),
            "holds no item, or the wrong number of items, of the wanted form",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            "the field name \"ab\": must have at most 1 character",
        ),
        (
            json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}),
            json!(3),
            "fits more than one of the allowed forms, and must fit exactly one",
        ),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}),
            json!("ten"),
            "expected integer or boolean, got \"ten\"",
        ),
        (
            json!({"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]}),
            json!(3),
            "must be at least 5, got 3",
        ),
    ];
    for (field, given, wanted) in table {
        let fault = run_field(field.clone(), given.clone()).unwrap_err();
        assert_eq!(fault, format!("- x: {wanted}"), "{field}");
    }
}

#[test]
fn what_no_schema_allows_is_named() {
    let pair = json!({"prefixItems": [{}], "items": false});
    assert_eq!(
        run_field(pair, json!([1, 2])).unwrap_err(),
        "- x.1: not allowed here"
    );
    let no_fields = json!({"type": "object", "additionalProperties": false});
    assert_eq!(
        run(no_fields, json!({"a": 1, "b": 2})).unwrap_err(),
        "- a: not a known field\n- b: not a known field"
    );
}

#[test]
fn the_branch_that_was_plainly_meant_is_explained() {
    let field = json!({"anyOf": [
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        {"type": "string"}
    ]});
    // An object cannot become a string, so the object branch was meant.
    let fault = run_field(field, json!({"n": "many"})).unwrap_err();
    assert_eq!(fault, "- x.n: expected integer, got \"many\"");
    let form = |kind: &str, field: &str| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": kind}, field: {"type": "integer"}},
            "required": ["kind", field]
        })
    };
    let field = json!({"oneOf": [form("a", "n"), form("b", "m")]});
    let fault = run_field(field.clone(), json!({"kind": "b"})).unwrap_err();
    assert_eq!(fault, "- x.m: required, but missing");
    let fault = run_field(field, json!({"kind": "c"})).unwrap_err();
    assert!(
        fault.starts_with("- x: fits none of the allowed forms: "),
        "{fault}"
    );
}

#[test]
fn long_lists_and_long_texts_are_cut() {
    let members: Vec<_> = (0..30).map(|n| format!("m{n}")).collect();
    let fault = run_field(json!({ "enum": members }), json!("é".repeat(500))).unwrap_err();
    assert!(fault.contains("\"m19\" and 10 more, got \"é"), "{fault}");
    assert!(!fault.contains("m20"), "{fault}");
    assert!(fault.len() < 500, "{fault}");
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let fault = run_field(list, json!(vec!["no"; 50])).unwrap_err();
    assert_eq!(fault.lines().count(), 21);
    assert!(fault.ends_with("- and 30 more"), "{fault}");
}

#[test]
fn the_answer_to_the_model_names_the_tool_and_shows_the_arguments_to_the_letter() {
    let schema = ToolSchema::new(read_schema()).unwrap();
    let raw = RawArgs::from_text(r#"{"offset":{"a":[],"b":[1, 2]},"s":"a\"{,"}"#).unwrap();
    let faults = schema.validate(&raw).unwrap_err();
    let wanted = "Validation failed for tool \"read\":
- path: required, but missing
- offset: expected integer, got an object
- s: not a known field

Received arguments:
{
  \"offset\": {
    \"a\": [],
    \"b\": [
      1,
      2
    ]
  },
  \"s\": \"a\\\"{,\"
}";
    assert_eq!(faults.describe("read", &raw), wanted);
    let twice = RawArgs::from_text(r#"{"path":"a","path":"b"}"#).unwrap();
    let text = schema
        .validate(&twice)
        .unwrap_err()
        .describe("read", &twice);
    assert!(
        text.ends_with("{\n  \"path\": \"a\",\n  \"path\": \"b\"\n}"),
        "{text}"
    );
}

#[test]
fn the_shown_arguments_are_bounded() {
    let raw = RawArgs::from_value(&json!({"content": "é".repeat(100_000)}));
    let faults = ToolSchema::new(read_schema())
        .unwrap()
        .validate(&raw)
        .unwrap_err();
    let text = faults.describe("read", &raw);
    assert!(text.len() < 2400, "{}", text.len());
    assert!(
        text.ends_with("(cut; the arguments have 200014 bytes)"),
        "{text}"
    );
}
