use serde_json::json;

use crate::run_text;

fn open(arguments: &str) -> Result<serde_json::Value, String> {
    run_text(json!({"type": "object"}), arguments)
}

#[test]
fn absent_arguments_mean_an_empty_object() {
    for blank in ["", "  \n", "null", "\"\"", "\" \\t \"", "{}"] {
        assert_eq!(open(blank).unwrap(), json!({}), "{blank:?}");
    }
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    assert_eq!(
        open("[1]").unwrap_err(),
        "- root: expected an object with the arguments, got an array"
    );
    assert!(open("5").unwrap_err().ends_with("got a number"));
    assert!(open("\"ls\"").unwrap_err().ends_with("got a string"));
}

#[test]
fn a7_a_key_written_twice_is_refused_at_any_depth() {
    assert_eq!(
        open(r#"{"a":1,"a":1}"#).unwrap_err(),
        "- a: the key is written twice"
    );
    assert_eq!(
        open(r#"{"l":[0,{"b":{"c":1,"\u0063":2}}]}"#).unwrap_err(),
        "- l.1.b.c: the key is written twice"
    );
    assert!(open(r#"{"a":{"x":1},"b":{"x":1}}"#).is_ok());
}

#[test]
fn a8_numbers_beyond_two_to_the_53_are_refused_however_spelled() {
    let exact = open(r#"{"n":9007199254740991,"m":-9007199254740991}"#).unwrap();
    assert_eq!(exact["n"], json!(9_007_199_254_740_991_i64));
    for number in [
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "1e300",
    ] {
        let fault = open(&format!(r#"{{"a":[{{"n":{number}}}]}}"#)).unwrap_err();
        assert!(fault.starts_with("- a.0.n: the number "), "{fault}");
    }
    assert_eq!(
        open(r#"{"n":1e400}"#).unwrap_err(),
        "- n: number too large to hold"
    );
}

#[test]
fn nesting_stops_at_64_levels() {
    let nested = |levels: usize| {
        format!(
            "{{\"a\":{}{}}}",
            "[".repeat(levels - 1),
            "]".repeat(levels - 1)
        )
    };
    assert!(open(&nested(64)).is_ok());
    assert!(
        open(&nested(65))
            .unwrap_err()
            .ends_with(": nested deeper than 64 levels")
    );
    assert!(
        open(&nested(100_000))
            .unwrap_err()
            .ends_with(": nested deeper than 64 levels")
    );
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    let fault = open(r#"{"a":{"b":"\ud800"}}"#).unwrap_err();
    assert_eq!(
        fault,
        "- a.b: the text holds half of a surrogate pair, which is no character"
    );
}

#[test]
fn a_text_in_json_text_is_read_just_as_strictly() {
    let schema = json!({"type": "object", "properties": {"x": {"type": "object"}}});
    let fault = run_text(schema, r#"{"x": "{\"a\":1,\"a\":2}"}"#).unwrap_err();
    assert!(fault.starts_with("- x: expected object, got "), "{fault}");
}

#[test]
fn negative_zero_is_zero() {
    let value = open(r#"{"a":-0,"b":-0.0}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":0,"b":0}"#);
}
