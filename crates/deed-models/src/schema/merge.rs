use deed_schema::referenced;
use serde_json::{Map, Value, json};

/// How often a chain of references is followed.
const MAX_HOPS: usize = 16;

/// How parts of a schema come together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// A value must fit all of them.
    All,
    /// A value must fit one of them.
    Any,
}

/// Follows a schema that is a reference to what it refers to, with what stands beside the reference.
///
/// Returns `None` if a reference leads nowhere or in a circle.
pub(super) fn dereferenced(root: &Value, schema: &Value) -> Option<Map<String, Value>> {
    let mut members = schema.as_object()?.clone();
    for _ in 0..MAX_HOPS {
        let Some(reference) = members.shift_remove("$ref") else {
            return Some(members);
        };
        let target = referenced(root, reference.as_str()?)?.as_object()?;
        for (keyword, value) in target {
            members
                .entry(keyword.clone())
                .or_insert_with(|| value.clone());
        }
    }
    None
}

/// Adds to an object schema what its parts say about fields.
pub(super) fn join_fields(into: &mut Map<String, Value>, parts: &[Map<String, Value>], join: Join) {
    let mut joined: Map<String, Value> = Map::new();
    for part in parts {
        let properties = part.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            match joined.get_mut(name) {
                Some(known) => add_form(known, property, join),
                None => {
                    joined.insert(name.clone(), property.clone());
                }
            }
        }
    }
    let own = into.entry("properties").or_insert_with(|| json!({}));
    if let Some(own) = own.as_object_mut() {
        for (name, property) in joined {
            match own.get_mut(&name) {
                Some(known) => add_form(known, &property, Join::All),
                None => {
                    own.insert(name, property);
                }
            }
        }
    }
    join_required(into, parts, join);
    join_closedness(into, parts, join);
}

/// Lets a field have a second form, or makes it have both.
fn add_form(known: &mut Value, more: &Value, join: Join) {
    // A branch often repeats a field only to require it.
    let says_nothing = |schema: &Value| matches!(schema, Value::Bool(true)) || *schema == json!({});
    if known == more || (join == Join::All && says_nothing(more)) {
        return;
    }
    if join == Join::All && says_nothing(known) {
        *known = more.clone();
        return;
    }
    let keyword = match join {
        Join::All => "allOf",
        Join::Any => "anyOf",
    };
    let is_join = known.as_object().is_some_and(|it| it.len() == 1);
    match known.get_mut(keyword).and_then(Value::as_array_mut) {
        Some(forms) if is_join => {
            if !forms.contains(more) {
                forms.push(more.clone());
            }
        }
        _ => *known = json!({ keyword: [known.take(), more] }),
    }
}

fn join_required(into: &mut Map<String, Value>, parts: &[Map<String, Value>], join: Join) {
    let names = |part: &Map<String, Value>| -> Vec<Value> {
        match part.get("required") {
            Some(Value::Array(names)) => names.clone(),
            _ => Vec::new(),
        }
    };
    let mut required = names(into);
    let mut add = |name: Value| {
        if !required.contains(&name) {
            required.push(name);
        }
    };
    match join {
        Join::All => parts.iter().flat_map(names).for_each(add),
        Join::Any => {
            let first = parts.first().map(names).unwrap_or_default();
            let in_all = |name: &Value| parts.iter().all(|part| names(part).contains(name));
            first.into_iter().filter(in_all).for_each(&mut add);
        }
    }
    if !required.is_empty() {
        into.insert("required".to_owned(), Value::Array(required));
    }
}

/// An object stays closed only if that shuts out no field that a part names.
fn join_closedness(into: &mut Map<String, Value>, parts: &[Map<String, Value>], join: Join) {
    const KEYWORD: &str = "additionalProperties";
    let closed = Some(&Value::Bool(false));
    let all_closed = !parts.is_empty() && parts.iter().all(|part| part.get(KEYWORD) == closed);
    if join == Join::Any && all_closed && !into.contains_key(KEYWORD) {
        into.insert(KEYWORD.to_owned(), Value::Bool(false));
    }
}
