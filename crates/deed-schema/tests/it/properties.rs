use deed_schema::{RawArgs, Sha256Hash, ToolSchema, repair_arguments};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const MAX_EXACT: i64 = (1 << 53) - 1;

/// Values with what coercion looks at: numbers and JSON as text, empty texts, nulls, known keys.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-MAX_EXACT..=MAX_EXACT).prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        (-1e9..1e9).prop_map(|n: f64| json!(n)),
        (-5_i32..5).prop_map(|n| json!(f64::from(n))),
        prop::sample::select(vec![
            "",
            "null",
            "true",
            "0",
            "1",
            "-3",
            "2.5",
            "1e3",
            "0x1f",
            "[1]",
            "{}",
            "{\"a\":\"1\"}",
            "a"
        ])
        .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        let key = prop_oneof![
            prop::sample::select(vec!["a", "b", "c", "d", "k1"]).prop_map(str::to_owned),
            any::<String>()
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            members(key, inner),
        ]
    })
}

fn members(
    key: impl Strategy<Value = String>,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Value> {
    prop::collection::vec((key, value), 0..5)
        .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>()))
}

fn arguments() -> impl Strategy<Value = Value> {
    members(
        prop::sample::select(vec!["a", "b", "c", "d", "k1"]).prop_map(str::to_owned),
        values(),
    )
}

fn schemas() -> Vec<ToolSchema> {
    let list = vec![
        json!({"type": "object"}),
        crate::read_schema(),
        json!({"type": "object", "properties": {
            "a": {"type": "integer"}, "b": {"type": ["number", "null"]},
            "c": {"type": "array", "items": {"type": "string"}}, "d": {"enum": [1, "x", true, null]}
        }}),
        json!({"type": "object", "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "boolean"}}]},
            "b": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "number"}}}]},
            "c": {"allOf": [{"type": "string"}, {"enum": ["1", "2", "-3"]}]},
            "d": {"type": ["array", "object"], "prefixItems": [{"type": "integer"}]}
        }, "patternProperties": {"^k": {"type": "boolean"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}, "b": {"$ref": "#"}},
            "additionalProperties": {"type": "string"},
            "$defs": {"t": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/t"}}, {"type": "integer"}, {"type": "null"}]}}
        }),
    ];
    list.into_iter()
        .map(|schema| ToolSchema::new(schema).unwrap())
        .collect()
}

fn shuffled(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .rev()
                .map(|(key, value)| (key.clone(), shuffled(value)))
                .collect(),
        ),
        Value::Array(items) => items.iter().map(shuffled).collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn what_was_accepted_is_accepted_again_unchanged(given in arguments()) {
        for schema in schemas() {
            let Ok(args) = schema.validate(&RawArgs::from_value(&given)) else { continue };
            let again = schema.validate(&RawArgs::from_value(args.value()));
            let again = again.map_err(|faults| TestCaseError::fail(faults.to_string()))?;
            prop_assert_eq!(args.value().to_string(), again.value().to_string());
        }
    }

    #[test]
    fn a_refusal_has_words_for_any_arguments(given in values()) {
        for schema in schemas() {
            let raw = RawArgs::from_value(&given);
            if let Err(faults) = schema.validate(&raw) {
                prop_assert!(faults.iter().all(|fault| !fault.reason().is_empty()));
                prop_assert!(faults.describe("t", &raw).len() < 20_000);
            }
        }
    }

    #[test]
    fn the_strict_reader_keeps_every_value_it_accepts(given in members(any::<String>(), values())) {
        let schema = ToolSchema::new(json!({"type": "object"})).unwrap();
        let args = schema.validate(&RawArgs::from_value(&given)).unwrap();
        // `-0.0` is the one value that changes its spelling.
        prop_assert_eq!(Sha256Hash::of_canonical(args.value()), Sha256Hash::of_canonical(&given));
    }

    #[test]
    fn the_hash_ignores_the_order_of_keys(given in values()) {
        prop_assert_eq!(Sha256Hash::of_canonical(&given), Sha256Hash::of_canonical(&shuffled(&given)));
    }

    #[test]
    fn the_hash_tells_values_apart(left in values(), right in values()) {
        let equal = canonical_equal(&left, &right);
        prop_assert_eq!(equal, Sha256Hash::of_canonical(&left) == Sha256Hash::of_canonical(&right));
    }

    #[test]
    fn repair_gives_one_whole_object_or_an_error(text in "[{}\\[\\]\":,\\\\ua1n \n\t]{0,40}") {
        if let Ok(raw) = repair_arguments(&text) {
            prop_assert!(serde_json::from_str::<Value>(raw.get()).is_ok_and(|value| value.is_object()));
        }
    }

    #[test]
    fn repair_gives_back_what_was_valid(given in members(any::<String>(), values())) {
        let text = given.to_string();
        let raw = repair_arguments(&text).unwrap();
        prop_assert_eq!(raw.get(), text);
    }
}

/// Equality by meaning: numbers as doubles, members in any order.
fn canonical_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| canonical_equal(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, l)| right.get(key).is_some_and(|r| canonical_equal(l, r)))
        }
        _ => left == right,
    }
}
