use serde_json::{Map, Value, json};

use super::key::{SettingKey, SettingKind};
use super::providers::PROVIDER;
use super::table::SETTINGS;

/// Makes the JSON Schema of a settings file.
pub fn settings_schema() -> Value {
    let mut properties = Map::new();
    properties.insert("$schema".to_owned(), json!({ "type": "string" }));
    for key in SETTINGS {
        let names: Vec<&str> = key.names().collect();
        insert(&mut properties, &names, schema_of(key));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of Deed",
        "description": "~/.config/deed/settings.json, and .deed/settings.json of a trusted project",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn insert(properties: &mut Map<String, Value>, names: &[&str], schema: Value) {
    match names {
        [] => {}
        [name] => {
            properties.insert((*name).to_owned(), schema);
        }
        [outer, inner @ ..] => {
            let object = properties.entry(*outer).or_insert_with(
                || json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            );
            if let Some(properties) = object.pointer_mut("/properties")
                && let Some(properties) = properties.as_object_mut()
            {
                insert(properties, inner, schema);
            }
        }
    }
}

fn schema_of(key: &SettingKey) -> Value {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), key.about().into());
    if let Value::Object(shape) = shape(key.kind) {
        schema.extend(shape);
    }
    if let Some(default) = key.default.to_json() {
        schema.insert("default".to_owned(), default);
    }
    Value::Object(schema)
}

fn shape(kind: SettingKind) -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    match kind {
        SettingKind::Flag => json!({ "type": "boolean" }),
        SettingKind::Text | SettingKind::Path | SettingKind::Program => text,
        SettingKind::Count { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        SettingKind::Amount => json!({ "type": "number", "exclusiveMinimum": 0 }),
        SettingKind::Word(words) => json!({ "enum": words }),
        SettingKind::ToolNames | SettingKind::Paths => {
            json!({ "type": "array", "items": text })
        }
        SettingKind::TextByName => json!({ "type": "object", "additionalProperties": text }),
        SettingKind::Providers => {
            let members: Map<String, Value> = PROVIDER
                .iter()
                .map(|name| ((*name).to_owned(), json!(true)))
                .collect();
            let provider = json!({ "properties": members, "additionalProperties": false });
            json!({ "type": "object", "additionalProperties": provider })
        }
        SettingKind::CountsByName(names) => {
            let count = json!({ "type": "integer", "minimum": 0 });
            let members: Map<String, Value> = names
                .iter()
                .map(|name| ((*name).to_owned(), count.clone()))
                .collect();
            json!({
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": members,
                    "additionalProperties": false,
                },
            })
        }
    }
}
