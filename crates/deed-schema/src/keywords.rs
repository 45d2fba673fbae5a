use std::borrow::Cow;

use serde_json::Value;

/// How a keyword holds schemas.
#[derive(Clone, Copy)]
pub(crate) enum Holds {
    One,
    OneOrList,
    List,
    Named,
}

/// The keywords of both drafts that hold schemas.
pub(crate) const SUBSCHEMAS: [(&str, Holds); 20] = [
    ("$defs", Holds::Named),
    ("definitions", Holds::Named),
    ("properties", Holds::Named),
    ("patternProperties", Holds::Named),
    ("dependentSchemas", Holds::Named),
    ("additionalProperties", Holds::One),
    ("unevaluatedProperties", Holds::One),
    ("propertyNames", Holds::One),
    ("items", Holds::OneOrList),
    ("prefixItems", Holds::List),
    ("additionalItems", Holds::One),
    ("unevaluatedItems", Holds::One),
    ("contains", Holds::One),
    ("allOf", Holds::List),
    ("anyOf", Holds::List),
    ("oneOf", Holds::List),
    ("not", Holds::One),
    ("if", Holds::One),
    ("then", Holds::One),
    ("else", Holds::One),
];

/// A type that JSON Schema names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    /// Returns the narrowest kind of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.as_f64().is_some_and(|n| n.fract() != 0.0) => {
                Self::Number
            }
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Tells whether a value of the other kind is also of this kind.
    pub(crate) fn covers(self, other: Self) -> bool {
        self == other || (self == Self::Number && other == Self::Integer)
    }
}

/// Where a `$ref` leads, as far as it can be followed inside one document.
pub(crate) enum Target {
    /// The JSON pointer of a schema in the document.
    Pointer(String),
    /// A pointer or anchor of this document at which nothing stands.
    Nothing,
    /// Another document, or a part with an `$id` of its own.
    Elsewhere,
}

/// Follows a `$ref` of a document without embedded resources.
pub(crate) fn follow(root: &Value, reference: &str) -> Target {
    let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let own = root
        .get("$id")
        .and_then(Value::as_str)
        .map(|id| id.trim_end_matches('#'));
    if !document.is_empty() && own != Some(document) {
        return Target::Elsewhere;
    }
    let pointer = percent_decoded(fragment);
    if (pointer.is_empty() || pointer.starts_with('/')) && root.pointer(&pointer).is_some() {
        return Target::Pointer(pointer.into_owned());
    }
    if pointer.starts_with('/') {
        return Target::Nothing;
    }
    anchored(root, "", &pointer).map_or(Target::Nothing, Target::Pointer)
}

/// Returns the part of a schema that a `$ref` in it leads to; `None` if that is nothing, or elsewhere.
pub fn referenced<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    match follow(root, reference) {
        Target::Pointer(pointer) => root.pointer(&pointer),
        Target::Nothing | Target::Elsewhere => None,
    }
}

/// Changes the schemas directly inside one.
pub fn each_subschema_mut(schema: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    for (keyword, holds) in SUBSCHEMAS {
        match (holds, schema.get_mut(keyword)) {
            (Holds::Named, Some(Value::Object(named))) => named.values_mut().for_each(&mut *change),
            (Holds::List | Holds::OneOrList, Some(Value::Array(list))) => {
                list.iter_mut().for_each(&mut *change);
            }
            (Holds::One | Holds::OneOrList, Some(inner)) => change(inner),
            _ => {}
        }
    }
}

/// Goes through the schemas directly inside one, with the steps of their pointers.
pub(crate) fn subschemas(schema: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for (keyword, holds) in SUBSCHEMAS {
        match (holds, schema.get(keyword)) {
            (Holds::Named, Some(Value::Object(named))) => found.extend(
                named
                    .iter()
                    .map(|(name, inner)| (format!("/{keyword}/{}", escaped(name)), inner)),
            ),
            (Holds::List | Holds::OneOrList, Some(Value::Array(list))) => found.extend(
                list.iter()
                    .enumerate()
                    .map(|(at, inner)| (format!("/{keyword}/{at}"), inner)),
            ),
            (Holds::One | Holds::OneOrList, Some(inner)) => {
                found.push((format!("/{keyword}"), inner));
            }
            _ => {}
        }
    }
    found
}

/// Writes a key as one step of a JSON pointer.
pub(crate) fn escaped(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

/// Reads one step of a JSON pointer.
pub(crate) fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn anchored(schema: &Value, pointer: &str, name: &str) -> Option<String> {
    let draft_7 = |id: &str| id.strip_prefix('#') == Some(name);
    if schema.get("$anchor").and_then(Value::as_str) == Some(name)
        || schema
            .get("$id")
            .and_then(Value::as_str)
            .is_some_and(draft_7)
    {
        return Some(pointer.to_owned());
    }
    subschemas(schema)
        .into_iter()
        .find_map(|(steps, inner)| anchored(inner, &format!("{pointer}{steps}"), name))
}

fn percent_decoded(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high * 16 + low));
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}
