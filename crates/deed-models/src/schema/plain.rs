use deed_schema::each_subschema_mut;
use serde_json::{Map, Value, json};

use super::merge::{Join, dereferenced, join_fields};

/// Keywords that no provider takes at the top of a parameter schema.
///
/// Source: the error messages of OpenAI and Anthropic.
const NOT_AT_THE_TOP: [&str; 8] = [
    "$ref",
    "not",
    "if",
    "then",
    "else",
    "enum",
    "const",
    "dependentSchemas",
];

/// Makes the form of a parameter schema that providers with JSON Schema take.
///
/// Shape: an object of draft 2020-12 with `properties`. Unions at the top are told as one object with
/// the fields of all branches, of which those are required that every branch requires.
pub fn plain_schema(schema: &Value) -> Value {
    let own_id = schema.get("$id").and_then(Value::as_str).map(str::to_owned);
    let mut out = top(schema);
    out.shift_remove("$schema");
    out.shift_remove("$id");
    let mut out = Value::Object(out);
    tidy(&mut out, own_id.as_deref());
    out
}

/// Makes the top of a schema one plain object.
pub(super) fn top(root: &Value) -> Map<String, Value> {
    let mut out = dereferenced(root, root).unwrap_or_else(|| {
        let mut broken = root.as_object().cloned().unwrap_or_default();
        broken.shift_remove("$ref");
        broken
    });
    flatten(root, &mut out, 0);
    for keyword in NOT_AT_THE_TOP {
        out.shift_remove(keyword);
    }
    out.insert("type".to_owned(), json!("object"));
    out.entry("properties").or_insert_with(|| json!({}));
    out
}

/// Takes the fields of a node's unions up into it.
fn flatten(root: &Value, node: &mut Map<String, Value>, depth: usize) {
    const MAX_DEPTH: usize = 8;
    for (keyword, join) in [
        ("allOf", Join::All),
        ("anyOf", Join::Any),
        ("oneOf", Join::Any),
    ] {
        let Some(Value::Array(branches)) = node.shift_remove(keyword) else {
            continue;
        };
        if depth == MAX_DEPTH {
            continue;
        }
        let mut parts: Vec<Map<String, Value>> = branches
            .iter()
            .filter_map(|branch| dereferenced(root, branch))
            .filter(|branch| branch.get("type").is_none_or(|kind| kind != "null"))
            .collect();
        parts
            .iter_mut()
            .for_each(|part| flatten(root, part, depth + 1));
        join_fields(node, &parts, join);
    }
}

/// Brings a node into draft 2020-12, with no schema that is a mere `true` or `false`.
fn tidy(node: &mut Value, own_id: Option<&str>) {
    each_subschema_mut(node, &mut |inner| tidy(inner, own_id));
    let Some(members) = node.as_object_mut() else {
        return;
    };
    for keyword in ["properties", "patternProperties", "$defs", "definitions"] {
        if let Some(Value::Object(named)) = members.get_mut(keyword) {
            named.values_mut().for_each(written_out);
        }
    }
    for keyword in ["items", "anyOf", "oneOf", "allOf", "prefixItems"] {
        match members.get_mut(keyword) {
            Some(Value::Array(list)) => list.iter_mut().for_each(written_out),
            Some(inner) => written_out(inner),
            None => {}
        }
    }
    tuple(members);
    local_reference(members, own_id);
}

fn written_out(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        _ => {}
    }
}

/// Writes the tuples of draft 7 as those of draft 2020-12.
fn tuple(members: &mut Map<String, Value>) {
    if !members.get("items").is_some_and(Value::is_array) {
        return;
    }
    if let Some(items) = members.shift_remove("items") {
        members.entry("prefixItems").or_insert(items);
    }
    if let Some(rest) = members.shift_remove("additionalItems") {
        members.insert("items".to_owned(), rest);
    }
}

/// Writes a reference that goes through the schema's own name, which is not sent, as a local one.
fn local_reference(members: &mut Map<String, Value>, own_id: Option<&str>) {
    let Some(Value::String(reference)) = members.get_mut("$ref") else {
        return;
    };
    let local = own_id
        .filter(|id| !id.is_empty())
        .and_then(|id| reference.strip_prefix(id.trim_end_matches('#')))
        .map(|fragment| if fragment.is_empty() { "#" } else { fragment });
    if let Some(local) = local.filter(|it| it.starts_with('#')).map(str::to_owned) {
        *reference = local;
    }
}
