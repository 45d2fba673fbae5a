use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::keywords::{Holds, SUBSCHEMAS};

/// Derives the schema of a parameter type in the form that providers take best.
///
/// Shape: draft 2020-12, subschemas in place, no `$schema`, no `title`, no format that only says how
/// wide a number is, and no description of the type as a whole (the tool has one). An optional field
/// is one that may be left out: its `null` branch and `null` default are dropped, since a model that
/// sends `null` there has it removed.
pub(crate) fn derived_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Some(root) = schema.as_object_mut() {
        root.shift_remove("description");
    }
    tidy(&mut schema);
    schema
}

fn tidy(schema: &mut Value) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    node.shift_remove("title");
    if node
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(is_number_width)
    {
        node.shift_remove("format");
    }
    for (keyword, holds) in SUBSCHEMAS {
        match (holds, node.get_mut(keyword)) {
            (Holds::Named, Some(Value::Object(named))) => named.values_mut().for_each(tidy),
            (_, Some(Value::Array(list))) => list.iter_mut().for_each(tidy),
            (_, Some(single)) => tidy(single),
            (_, None) => {}
        }
    }
    drop_optional_nulls(node);
}

fn is_number_width(format: &str) -> bool {
    let digits = format.trim_start_matches("uint").trim_start_matches("int");
    matches!(format, "float" | "double" | "uint" | "int")
        || (digits != format && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn drop_optional_nulls(node: &mut Map<String, Value>) {
    let required: Vec<String> = match node.get("required") {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = node.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        if !required.contains(name)
            && let Some(property) = property.as_object_mut()
        {
            drop_null(property);
        }
    }
}

fn drop_null(property: &mut Map<String, Value>) {
    let mut dropped = false;
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            property.insert("type".to_owned(), only);
        }
        dropped = true;
    }
    if let Some(Value::Array(members)) = property.get_mut("enum") {
        members.retain(|member| !member.is_null());
    }
    if let Some(Value::Array(branches)) = property.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
        dropped = true;
        if let [only] = branches.as_mut_slice() {
            let only = only.take();
            property.shift_remove("anyOf");
            if let Value::Object(members) = only {
                for (keyword, value) in members {
                    property.entry(keyword).or_insert(value);
                }
            }
        }
    }
    if dropped && property.get("default").is_some_and(Value::is_null) {
        property.shift_remove("default");
    }
}
