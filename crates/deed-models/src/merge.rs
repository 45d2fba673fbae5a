use serde_json::{Map, Value};

/// Merges members into others: objects into objects, everything else takes the place of what was
/// there, and `null` takes it away.
///
/// Source: RFC 7396.
pub(crate) fn merge(members: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (members.get_mut(name), value) {
            (_, Value::Null) => {
                members.shift_remove(name);
            }
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, value) => {
                members.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Lays members over others: objects over objects, everything else takes the place of what was there,
/// also `null`, which is for whoever merges the outcome.
pub(crate) fn lay_over(members: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (name, value) in over {
        match (members.get_mut(name), value) {
            (Some(Value::Object(old)), Value::Object(new)) => lay_over(old, new),
            (_, value) => {
                members.insert(name.clone(), value.clone());
            }
        }
    }
}
