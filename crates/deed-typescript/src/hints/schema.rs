//! What can be said of the parameters of a tool.

use serde_json::{Map, Value};

type Properties = Map<String, Value>;

fn properties(schema: &Value) -> Option<&Properties> {
    schema
        .get("properties")?
        .as_object()
        .filter(|own| !own.is_empty())
}

fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

/// Tells whether an object may have any members, or a value may be anything.
fn is_anything(schema: &Value) -> bool {
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let says_nothing = [
        "type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not",
    ];
    let says_nothing = !says_nothing.iter().any(|key| schema.get(key).is_some());
    says_nothing || (is_object && properties(schema).is_none() && !is_closed(schema))
}

/// Parameters that are no parameters.
pub(super) fn any_object(schema: &Value) -> Option<String> {
    if is_anything(schema) {
        return Some("its parameters are any object; name each, with a type".to_owned());
    }
    let own = properties(schema)?.iter();
    let any: Vec<_> = own
        .filter(|(_, schema)| is_anything(schema))
        .map(|(name, _)| name)
        .collect();
    let told = named(&any)?;
    Some(format!(
        "{told} can be anything; give it a type, or the members that it has"
    ))
}

/// Parameters of which the model is told nothing.
pub(super) fn undescribed(schema: &Value) -> Option<String> {
    let own = properties(schema)?.iter();
    let bare = own.filter(|(_, schema)| schema.get("description").is_none());
    let bare: Vec<_> = bare.map(|(name, _)| name).collect();
    let told = named(&bare)?;
    Some(format!(
        "no description of {told}; the model reads nothing else"
    ))
}

/// Objects that take more than they name.
pub(super) fn open(schema: &Value) -> Option<String> {
    let is_open = properties(schema).is_some() && schema.get("additionalProperties").is_none();
    is_open.then(|| {
        "its parameters take names that it does not know; say `additionalProperties: false`"
            .to_owned()
    })
}

fn named(names: &[&String]) -> Option<String> {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
