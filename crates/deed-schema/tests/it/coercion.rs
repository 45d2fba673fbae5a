use serde_json::{Value, json};

use crate::{edit_schema, read_schema, run, run_field, run_optional};

#[test]
fn b089_a_list_written_as_json_text_is_read_where_the_schema_wants_a_list() {
    let edits = r#"[{"oldText":"x","newText":"y"}]"#;
    let value = run(edit_schema(), json!({"path": "a", "edits": edits})).unwrap();
    assert_eq!(value["edits"], json!([{"oldText": "x", "newText": "y"}]));
    let single = json!({"path": "a", "edits": r#"{"oldText":"x","newText":"y"}"#});
    assert_eq!(run(edit_schema(), single).unwrap(), value);
    // Only where it is wanted, and only if the whole text is JSON.
    assert_eq!(
        run_field(json!({"type": "string"}), json!("[1]")),
        Ok(json!("[1]"))
    );
    assert_eq!(run_field(json!({}), json!("[1]")), Ok(json!("[1]")));
    assert!(run_field(json!({"type": "object"}), json!("{\"a\":1} and more")).is_err());
    let list = json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(run_field(list, json!("[a-z]")), Ok(json!(["[a-z]"])));
}

#[test]
fn b091_numbers_and_booleans_written_as_text_are_converted() {
    let value = json!({"path": "a", "limit": "10", "literal": "true"});
    let value = run(read_schema(), value).unwrap();
    assert_eq!(value, json!({"path": "a", "limit": 10, "literal": true}));
    let fault = run(read_schema(), json!({"path": "a", "limit": "ten"})).unwrap_err();
    assert_eq!(fault, "- limit: expected number, got \"ten\"");
}

#[test]
fn b094_a_single_value_is_wrapped_where_a_list_is_wanted() {
    let edit = json!({"oldText": "x", "newText": "y"});
    let value = run(edit_schema(), json!({"path": "a", "edits": edit})).unwrap();
    assert_eq!(value["edits"], json!([{"oldText": "x", "newText": "y"}]));
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    assert_eq!(run_field(numbers.clone(), json!("7")), Ok(json!([7])));
    assert!(run_field(numbers, json!(null)).is_err());
    let tuple = json!({"type": "array", "prefixItems": [{"type": "integer"}]});
    assert!(run_field(tuple, json!(7)).is_err());
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"x": {"type": "array", "items": [{"type": "integer"}]}}
    });
    assert!(run(draft_7.clone(), json!({"x": 7})).is_err());
    assert_eq!(
        run(draft_7, json!({"x": ["7"]})).unwrap(),
        json!({"x": [7]})
    );
    // Once: a list of lists is not guessed from a single value.
    let matrix = json!({"type": "array", "items": {"type": "array"}});
    assert!(run_field(matrix, json!(7)).is_err());
}

#[test]
fn b104_an_empty_text_for_an_optional_field_that_is_no_text_means_absent() {
    let value = json!({"path": "a", "offset": "", "limit": "", "literal": ""});
    assert_eq!(run(read_schema(), value).unwrap(), json!({"path": "a"}));
    for kind in ["integer", "number", "boolean", "object", "array"] {
        assert_eq!(
            run_optional(json!({"type": kind}), json!("")),
            Ok(None),
            "{kind}"
        );
    }
    // A text field keeps it, and its own rule decides.
    assert_eq!(
        run_optional(json!({"type": "string"}), json!("")),
        Ok(Some(json!("")))
    );
    let path = json!({"type": "string", "minLength": 1});
    assert_eq!(
        run_optional(path, json!("")).unwrap_err(),
        "- x: must not be empty"
    );
    assert!(run_optional(json!({"enum": ["a", "b"]}), json!("")).is_err());
    // It is never a number.
    let fault = run_field(json!({"type": "number"}), json!("")).unwrap_err();
    assert_eq!(fault, "- x: expected number, got \"\"");
    assert!(run_field(json!({"type": "number"}), json!("  ")).is_err());
}

#[test]
fn b175_the_text_null_stays_a_text_and_an_absent_optional_field_is_fine() {
    let field = json!({"type": ["string", "null"], "default": null});
    assert_eq!(
        run_optional(field.clone(), json!("null")),
        Ok(Some(json!("null")))
    );
    assert_eq!(
        run_field(json!({"type": "string"}), json!("null")),
        Ok(json!("null"))
    );
    let schema = json!({"type": "object", "properties": {"x": field}});
    assert_eq!(run(schema, json!({})).unwrap(), json!({}));
}

#[test]
fn pi_contract_14_10_conversions() {
    let value = run(read_schema(), json!({"path": 5, "offset": "10"})).unwrap();
    assert_eq!(value, json!({"path": "5", "offset": 10}));
    let value = run(read_schema(), json!({"path": "a", "offset": null})).unwrap();
    assert_eq!(value, json!({"path": "a"}));
}

#[test]
fn scalars_convert_by_the_table() {
    let table: &[(&str, Value, Option<Value>)] = &[
        ("string", json!(5), Some(json!("5"))),
        ("string", json!(2.50), Some(json!("2.5"))),
        ("string", json!(1e-7), Some(json!("1e-7"))),
        ("string", json!(true), Some(json!("true"))),
        ("string", json!(null), None),
        ("string", json!({}), None),
        ("string", json!(["a"]), None),
        ("number", json!(" 1e3 "), Some(json!(1000))),
        ("number", json!("0x10"), Some(json!(16))),
        ("number", json!("-2.5"), Some(json!(-2.5))),
        ("number", json!(".5"), Some(json!(0.5))),
        ("number", json!("True"), Some(json!(1))),
        ("number", json!(false), Some(json!(0))),
        ("number", json!(null), None),
        ("number", json!("Infinity"), None),
        ("number", json!("nan"), None),
        ("number", json!("1e400"), None),
        ("number", json!("9007199254740993"), None),
        ("number", json!("0xfffffffffffffffff"), None),
        ("number", json!("0x+1"), None),
        ("number", json!("1_000"), None),
        ("number", json!("10px"), None),
        ("number", json!([1]), None),
        ("integer", json!("3"), Some(json!(3))),
        ("integer", json!("3.0"), Some(json!(3))),
        ("integer", json!(3.0), Some(json!(3))),
        ("integer", json!("3.7"), None),
        ("integer", json!(3.7), None),
        ("integer", json!(null), None),
        ("boolean", json!("TRUE"), Some(json!(true))),
        ("boolean", json!("0"), Some(json!(false))),
        ("boolean", json!(1), Some(json!(true))),
        ("boolean", json!(2), None),
        ("boolean", json!("yes"), None),
        ("boolean", json!(null), None),
        ("null", json!("null"), Some(json!(null))),
        ("null", json!(""), Some(json!(null))),
        ("null", json!(0), None),
        ("null", json!(false), None),
        ("array", json!(null), None),
        ("object", json!(null), None),
    ];
    for (kind, given, wanted) in table {
        let got = run_field(json!({"type": kind}), given.clone()).ok();
        assert_eq!(&got, wanted, "{kind} from {given}");
        assert_eq!(
            got.map(|value| value.to_string()),
            wanted.as_ref().map(Value::to_string),
            "{kind} from {given}"
        );
    }
}

#[test]
fn a_member_of_an_enumeration_is_found_by_conversion() {
    assert_eq!(run_field(json!({"enum": [1, 2]}), json!("2")), Ok(json!(2)));
    assert_eq!(
        run_field(json!({"enum": ["1", "2"]}), json!(2)),
        Ok(json!("2"))
    );
    assert_eq!(
        run_field(json!({"const": true}), json!("true")),
        Ok(json!(true))
    );
    assert_eq!(
        run_field(json!({"type": "integer", "enum": [3]}), json!(3.0)),
        Ok(json!(3))
    );
    assert!(run_field(json!({"enum": ["text", "hex"]}), json!("HEX")).is_err());
}

#[test]
fn optional_nulls_are_removed_at_every_level() {
    let inner = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": ["integer", "null"]}, "r": {"type": "string"}},
        "required": ["r"]
    });
    let given = json!({"a": null, "b": null, "r": "x", "undeclared": null});
    let kept = json!({"b": null, "r": "x", "undeclared": null});
    let list = json!({"type": "array", "items": inner.clone()});
    assert_eq!(run_field(list, json!([given])), Ok(json!([kept])));
    let map = json!({"type": "object", "additionalProperties": inner.clone()});
    assert_eq!(run_field(map, json!({"k": given})), Ok(json!({"k": kept})));
    let pattern = json!({"type": "object", "patternProperties": {"^k": inner.clone()}});
    assert_eq!(
        run_field(pattern, json!({"k": given})),
        Ok(json!({"k": kept}))
    );
    let referred = json!({
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/in~1ner%20one"}},
        "$defs": {"in/ner one": inner}
    });
    assert_eq!(
        run(referred, json!({"x": given})).unwrap(),
        json!({"x": kept})
    );
}

#[test]
fn references_are_followed_and_may_be_recursive() {
    let schema = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": {
            "type": "object",
            "properties": {
                "size": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}
            },
            "additionalProperties": false
        }}
    });
    let given =
        json!({"tree": {"size": "1", "children": [{"size": "2", "children": {"size": "3"}}]}});
    let value = run(schema.clone(), given).unwrap();
    assert_eq!(
        value,
        json!({"tree": {"size": 1, "children": [{"size": 2, "children": [{"size": 3}]}]}})
    );
    let fault = run(schema, json!({"tree": {"children": [{"size": "big"}]}})).unwrap_err();
    assert_eq!(
        fault,
        "- tree.children.0.size: expected integer, got \"big\""
    );
}

#[test]
fn defaults_are_never_inserted() {
    let schema = json!({"type": "object", "properties": {"x": {"type": "integer", "default": 5}}});
    assert_eq!(run(schema, json!({})).unwrap(), json!({}));
}

#[test]
fn the_raw_arguments_stay_as_they_are() {
    let schema = deed_schema::ToolSchema::new(read_schema()).unwrap();
    let text = r#"{ "offset": "10", "path": 5 }"#;
    let raw = deed_schema::RawArgs::from_text(text).unwrap();
    let args = schema.validate(&raw).unwrap();
    assert_eq!(raw.get(), text);
    assert_eq!(args.value().to_string(), r#"{"offset":10,"path":"5"}"#);
}
