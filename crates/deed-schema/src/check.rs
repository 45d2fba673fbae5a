use serde_json::Value;

use crate::keywords::{Holds, Kind, SUBSCHEMAS, Target, follow, subschemas};
use crate::schema::SchemaError;
use crate::strict::kind_of;

const MAX_SCHEMA_DEPTH: usize = 100;

/// Finds what authors of tools get wrong, in words that name the place; the validator's compiler
/// finds the rest.
pub(crate) fn check(root: &Value) -> Result<(), SchemaError> {
    if !root.is_object() {
        return Err(SchemaError::NotAnObject { got: shown(root) });
    }
    match root.get("type") {
        None => return Err(SchemaError::NoType),
        Some(kind) if kind == "object" => {}
        Some(other) => {
            return Err(SchemaError::WrongType {
                got: other.to_string(),
            });
        }
    }
    draft(root)?;
    let mut walk = Walk {
        root,
        embedded: has_embedded_resource(root),
        path: Vec::new(),
    };
    walk.schema(root)
}

/// Reads the draft off `$schema`.
pub(crate) fn draft(root: &Value) -> Result<jsonschema::Draft, SchemaError> {
    let Some(named) = root.get("$schema") else {
        return Ok(jsonschema::Draft::Draft202012);
    };
    match named.as_str().map(|uri| uri.trim_end_matches('#')) {
        Some("https://json-schema.org/draft/2020-12/schema") => Ok(jsonschema::Draft::Draft202012),
        Some(
            "http://json-schema.org/draft-07/schema" | "https://json-schema.org/draft-07/schema",
        ) => Ok(jsonschema::Draft::Draft7),
        _ => Err(SchemaError::UnknownDraft {
            named: named.to_string(),
        }),
    }
}

/// Tells whether a part of the schema has an `$id` of its own, so that `#` means that part inside it.
pub(crate) fn has_embedded_resource(root: &Value) -> bool {
    subschemas(root).into_iter().any(|(_, inner)| {
        inner
            .get("$id")
            .and_then(Value::as_str)
            .is_some_and(|id| !id.starts_with('#'))
            || has_embedded_resource(inner)
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bool(_) | Value::Null => value.to_string(),
        other => kind_of(other).to_owned(),
    }
}

struct Walk<'a> {
    root: &'a Value,
    embedded: bool,
    path: Vec<String>,
}

impl Walk<'_> {
    fn schema(&mut self, schema: &Value) -> Result<(), SchemaError> {
        if self.path.len() > MAX_SCHEMA_DEPTH {
            return self.wrong(format!("nested deeper than {MAX_SCHEMA_DEPTH} levels"));
        }
        if !schema.is_object() && !schema.is_boolean() {
            return self.wrong(format!(
                "expected a schema (an object, true or false), got {}",
                kind_of(schema)
            ));
        }
        self.plain_keywords(schema)?;
        for (keyword, holds) in SUBSCHEMAS {
            if let Some(value) = schema.get(keyword) {
                self.inside(keyword, |walk| walk.holder(holds, value))?;
            }
        }
        Ok(())
    }

    fn holder(&mut self, holds: Holds, value: &Value) -> Result<(), SchemaError> {
        match (holds, value) {
            (Holds::Named, Value::Object(named)) => named
                .iter()
                .try_for_each(|(name, inner)| self.inside(name, |walk| walk.schema(inner))),
            (Holds::Named, other) => self.wrong(format!(
                "expected an object from names to schemas, got {}",
                kind_of(other)
            )),
            (Holds::List | Holds::OneOrList, Value::Array(list)) if !list.is_empty() => list
                .iter()
                .enumerate()
                .try_for_each(|(at, inner)| self.inside(at, |walk| walk.schema(inner))),
            (Holds::OneOrList, Value::Array(_)) => Ok(()),
            (Holds::List, Value::Array(_)) => self.wrong("expected at least one schema".to_owned()),
            (Holds::List, other) => self.wrong(format!(
                "expected a list of schemas, got {}",
                kind_of(other)
            )),
            (Holds::One | Holds::OneOrList, inner) => self.schema(inner),
        }
    }

    fn plain_keywords(&mut self, schema: &Value) -> Result<(), SchemaError> {
        if let Some(kind) = schema.get("type") {
            self.inside("type", |walk| walk.kinds(kind))?;
        }
        if let Some(required) = schema.get("required") {
            let names = required
                .as_array()
                .is_some_and(|names| names.iter().all(Value::is_string));
            if !names {
                return self.inside("required", |walk| {
                    walk.wrong(format!("expected a list of field names, got {required}"))
                });
            }
        }
        if let Some(members) = schema.get("enum").filter(|members| !members.is_array()) {
            return self.inside("enum", |walk| {
                walk.wrong(format!(
                    "expected a list of values, got {}",
                    kind_of(members)
                ))
            });
        }
        if let Some(reference) = schema.get("$ref") {
            return self.inside("$ref", |walk| walk.reference(reference));
        }
        Ok(())
    }

    fn kinds(&mut self, kind: &Value) -> Result<(), SchemaError> {
        let names = match kind {
            Value::Array(names) => names.as_slice(),
            single => std::slice::from_ref(single),
        };
        let unknown = names
            .iter()
            .find(|name| name.as_str().and_then(Kind::named).is_none());
        match unknown {
            Some(name) => self.wrong(format!(
                "{name} is not a JSON type (string, number, integer, boolean, array, object, null)"
            )),
            None if names.is_empty() => self.wrong("expected at least one type".to_owned()),
            None => Ok(()),
        }
    }

    fn reference(&mut self, reference: &Value) -> Result<(), SchemaError> {
        let Some(text) = reference.as_str() else {
            return self.wrong(format!("expected a text, got {}", kind_of(reference)));
        };
        if self.embedded {
            return Ok(());
        }
        match follow(self.root, text) {
            Target::Pointer(_) => Ok(()),
            Target::Nothing => self.wrong(format!("\"{text}\" leads to nothing in this schema")),
            Target::Elsewhere if text.contains(':') => self.wrong(format!(
                "\"{text}\" leads outside this schema; nothing is fetched, so put it into \"$defs\""
            )),
            // A relative reference may come back to the root's own `$id`: the compiler knows.
            Target::Elsewhere => Ok(()),
        }
    }

    fn inside(
        &mut self,
        step: impl ToString,
        look: impl FnOnce(&mut Self) -> Result<(), SchemaError>,
    ) -> Result<(), SchemaError> {
        self.path.push(step.to_string());
        look(self)?;
        self.path.pop();
        Ok(())
    }

    fn wrong(&self, reason: String) -> Result<(), SchemaError> {
        Err(SchemaError::Malformed {
            path: self.path.join("."),
            reason,
        })
    }
}
