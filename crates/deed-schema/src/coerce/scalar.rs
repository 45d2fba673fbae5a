use serde_json::{Number, Value};

use crate::keywords::Kind;
use crate::strict::MAX_EXACT;

/// Converts a value to the first of the kinds that it has a plain meaning in; a value that is of one
/// of them already stays.
pub(super) fn to_kinds(kinds: &[Kind], value: Value) -> Value {
    let own = Kind::of(&value);
    if kinds.is_empty() || kinds.iter().any(|kind| kind.covers(own)) {
        return if kinds.contains(&Kind::Integer) {
            integral(value)
        } else {
            value
        };
    }
    kinds
        .iter()
        .find_map(|kind| converted(*kind, &value))
        .unwrap_or(value)
}

/// Returns the member of an enumeration that a value is or converts to.
pub(super) fn to_member(members: &[Value], value: Value) -> Value {
    if let Some(member) = members.iter().find(|member| same(member, &value)) {
        return member.clone();
    }
    let means = |member: &&Value| {
        converted(Kind::of(member), &value).is_some_and(|converted| same(member, &converted))
    };
    members.iter().find(means).cloned().unwrap_or(value)
}

fn converted(kind: Kind, value: &Value) -> Option<Value> {
    match kind {
        Kind::Null => means_null(value).then_some(Value::Null),
        Kind::Boolean => to_boolean(value).map(Value::Bool),
        Kind::Integer => to_number(value).filter(|number| Kind::of(number) == Kind::Integer),
        Kind::Number => to_number(value),
        Kind::String => to_text(value).map(Value::String),
        Kind::Array | Kind::Object => None,
    }
}

/// `0` and `false` are values of their own: a nullable field that refuses them refuses them.
fn means_null(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| matches!(text, "null" | "undefined" | ""))
}

fn to_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) if text == "1" || text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text == "0" || text.eq_ignore_ascii_case("false") => Some(false),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        _ => None,
    }
}

fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(_) => String::from_utf8(crate::canonical_json(value)).ok(),
        _ => None,
    }
}

fn to_number(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(flag) => Some(i64::from(*flag).into()),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(1.into()),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(0.into()),
        Value::String(text) => number_in(text.trim()),
        Value::Number(_) => Some(integral(value.clone())).filter(|n| Kind::of(n) == Kind::Integer),
        _ => None,
    }
}

/// Reads decimal digits with an optional fraction and exponent, or hexadecimal digits after `0x`.
fn number_in(text: &str) -> Option<Value> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(digits) = hex {
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let number = u64::from_str_radix(digits, 16).ok()?;
        return (number <= MAX_EXACT).then(|| number.into());
    }
    // Rust also reads `inf` and `nan`, which no JSON number spells.
    let spelled =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if !text.bytes().all(spelled) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    if !within_exact(number) {
        return None;
    }
    Number::from_f64(number).map(|number| integral(Value::Number(number)))
}

/// Writes a whole number as an integer, so that integer types can take it.
fn integral(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && within_exact(number) => (number as i64).into(),
        _ => value,
    }
}

fn within_exact(number: f64) -> bool {
    number.abs() <= MAX_EXACT as f64
}

fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}
