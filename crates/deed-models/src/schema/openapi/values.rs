//! What of a schema can only be said in words, and lists of allowed values.

use serde_json::{Map, Value, json};

use super::{Node, any_value};

/// Returns the values that a node allows, if it lists them: by `enum`, by `const`, or by a union of
/// nothing else.
pub(super) fn allowed(members: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(only) = members.get("const") {
        return Some(vec![only.clone()]);
    }
    if let Some(Value::Array(values)) = members.get("enum") {
        return Some(values.clone());
    }
    let union = members.get("anyOf").or_else(|| members.get("oneOf"))?;
    let branches = union.as_array().filter(|branches| !branches.is_empty())?;
    let mut values = Vec::new();
    for branch in branches {
        let branch = branch.as_object()?;
        if branch.get("type").is_some_and(|kind| kind == "null") {
            values.push(Value::Null);
            continue;
        }
        match (branch.get("const"), branch.get("enum")) {
            (Some(only), _) => values.push(only.clone()),
            (None, Some(Value::Array(several))) => values.extend(several.iter().cloned()),
            _ => return None,
        }
    }
    values
        .iter()
        .any(|value| !value.is_null())
        .then_some(values)
}

/// Makes the node of a list of values: Gemini takes lists of texts only, and no empty one.
pub(super) fn node(members: &Map<String, Value>, values: &[Value]) -> Node {
    let is_nullable = values.contains(&Value::Null);
    let values: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    let mut node = match texts {
        Some(texts) if !texts.is_empty() => {
            let mut node = Node::of_type("string");
            if texts.contains(&"") {
                node.remarks.push("may be empty".to_owned());
            }
            let listed: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
            if !listed.is_empty() {
                node.members.insert("enum".to_owned(), json!(listed));
            }
            node
        }
        _ => {
            let kind = kind_of_all(&values, members);
            let words: Vec<String> = values.iter().map(|value| value.to_string()).collect();
            let remark = match words.as_slice() {
                [only] => format!("always {only}"),
                several => format!("one of {}", several.join(", ")),
            };
            kind.map_or_else(any_value, Node::of_type).remark(remark)
        }
    };
    if is_nullable {
        node.members.insert("nullable".to_owned(), json!(true));
    }
    node
}

fn kind_of_all(values: &[&Value], members: &Map<String, Value>) -> Option<&'static str> {
    const KINDS: [&str; 3] = ["boolean", "integer", "number"];
    let declared = members.get("type").and_then(Value::as_str);
    if let Some(kind) = KINDS.into_iter().find(|kind| declared == Some(kind)) {
        return Some(kind);
    }
    let all = |test: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|it| test(it));
    if all(Value::is_boolean) {
        Some("boolean")
    } else if all(|value| value.is_i64() || value.is_u64()) {
        Some("integer")
    } else if all(Value::is_number) {
        Some("number")
    } else {
        None
    }
}

/// Says in words what OpenAPI has no keyword for, or what a provider may read otherwise.
pub(super) fn say_bounds(node: &mut Node, kind: &str, members: &Map<String, Value>) {
    let of_numbers = kind == "number" || kind == "integer";
    let words = [
        ("exclusiveMinimum", of_numbers, "more than"),
        ("exclusiveMaximum", of_numbers, "less than"),
        ("multipleOf", of_numbers, "a multiple of"),
        ("pattern", kind == "string", "matches"),
    ];
    for (keyword, belongs, word) in words {
        let value = members.get(keyword).filter(|_| belongs);
        match value {
            Some(Value::String(text)) => node.remarks.push(format!("{word} {text}")),
            Some(Value::Number(number)) => node.remarks.push(format!("{word} {number}")),
            _ => {}
        }
    }
    if members.get("uniqueItems") == Some(&Value::Bool(true)) && kind == "array" {
        node.remarks.push("no item twice".to_owned());
    }
    match (members.get("format").and_then(Value::as_str), kind) {
        (Some(format @ "date-time"), "string") => {
            node.members.insert("format".to_owned(), json!(format));
        }
        (Some(format), "string") => node.remarks.push(format!("format: {format}")),
        _ => {}
    }
    let names_fields = members.get("properties").and_then(Value::as_object);
    let is_open = !matches!(
        members.get("additionalProperties"),
        Some(Value::Bool(false))
    );
    if kind == "object" && is_open && names_fields.is_none_or(Map::is_empty) {
        node.remarks.push("with any fields".to_owned());
    }
}
