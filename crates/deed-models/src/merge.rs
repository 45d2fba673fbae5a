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
