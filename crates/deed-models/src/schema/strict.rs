use serde_json::{Map, Value, json};

/// How deep objects and lists may nest in a strict schema.
///
/// Source: OpenAI's documentation of structured outputs.
const MAX_DEPTH: usize = 10;

/// Keywords that say nothing about which values are right.
const ANNOTATIONS: [&str; 9] = [
    "title",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
];

/// A schema that a provider can hold a model to.
#[derive(Clone, Debug, PartialEq)]
pub struct StrictSchema {
    /// Every object closed, every property required, what was optional may be null.
    pub schema: Value,
    /// How many of its nodes take more than one type; some providers bound their number.
    pub unions: usize,
}

/// What keeps a schema from being strict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct NotStrict {
    /// Where, keys joined by dots; `root` for the whole.
    pub path: String,
    /// What stands there.
    pub reason: String,
}

/// Makes the strict form of a parameter schema.
///
/// Shape: an optional property becomes a required one that may be null; such a null is taken out again
/// before arguments are validated. That way a model can leave an optional field out without making up
/// an empty value for it.
///
/// Errors: the schema says something that a strict schema cannot, such as a bound of a number, an open
/// object or a `$ref`. Nothing is left out to make it fit: then the plain schema says more.
pub fn strict_schema(schema: &Value) -> Result<StrictSchema, NotStrict> {
    let mut conversion = Conversion::default();
    if schema.get("anyOf").is_some() {
        return Err(conversion.refusal("a union"));
    }
    let schema = conversion.node(schema)?;
    Ok(StrictSchema {
        schema,
        unions: conversion.unions,
    })
}

#[derive(Default)]
struct Conversion {
    path: Vec<String>,
    depth: usize,
    unions: usize,
}

impl Conversion {
    fn refusal(&self, what: impl AsRef<str>) -> NotStrict {
        let path = if self.path.is_empty() {
            "root".to_owned()
        } else {
            self.path.join(".")
        };
        NotStrict {
            path,
            reason: format!("{} cannot be said in a strict schema", what.as_ref()),
        }
    }

    fn node(&mut self, schema: &Value) -> Result<Value, NotStrict> {
        let Some(members) = schema.as_object() else {
            return Err(self.refusal("a node without a type"));
        };
        let mut out = Map::new();
        self.kind(members, &mut out)?;
        for (keyword, value) in members {
            match keyword.as_str() {
                "type" | "enum" | "const" | "required" => {}
                "description" => {
                    out.insert(keyword.clone(), value.clone());
                }
                "properties" | "additionalProperties" if takes(&out, "object") => {}
                "items" if takes(&out, "array") => {}
                "minItems" if takes(&out, "array") && value.as_u64().is_some_and(|n| n <= 1) => {
                    out.insert(keyword.clone(), value.clone());
                }
                "anyOf" => {
                    let branches = self.union(value)?;
                    out.insert(keyword.clone(), branches);
                }
                word if ANNOTATIONS.contains(&word) => {}
                word => return Err(self.refusal(format!("\"{word}\""))),
            }
        }
        if takes(&out, "object") {
            self.nested(|this| this.object(members, &mut out))?;
        }
        if takes(&out, "array") {
            self.nested(|this| this.array(members, &mut out))?;
        }
        self.unions += usize::from(is_union(&out));
        Ok(Value::Object(out))
    }

    /// Writes the type, read off `enum` and `const` if need be.
    fn kind(
        &self,
        members: &Map<String, Value>,
        out: &mut Map<String, Value>,
    ) -> Result<(), NotStrict> {
        let values = match (members.get("const"), members.get("enum")) {
            (Some(only), _) => Some(vec![only.clone()]),
            (None, Some(Value::Array(values))) => Some(values.clone()),
            _ => None,
        };
        let kind = match (members.get("type"), &values) {
            (Some(kind), _) => kind.clone(),
            (None, Some(values)) => match type_of_all(values) {
                Some(kind) => json!(kind),
                None => return Err(self.refusal("a list of values of several types")),
            },
            (None, None) if members.contains_key("anyOf") => return Ok(()),
            (None, None) => return Err(self.refusal("a node without a type")),
        };
        let is_mixed = |kinds: &Vec<Value>| {
            let not_null = kinds.iter().filter(|kind| *kind != "null").count();
            not_null > 1 && kinds.iter().any(|kind| kind == "object" || kind == "array")
        };
        if kind.as_array().is_some_and(is_mixed) {
            return Err(self.refusal("a union with an object or a list"));
        }
        out.insert("type".to_owned(), kind);
        if let Some(values) = values {
            out.insert("enum".to_owned(), Value::Array(values));
        }
        Ok(())
    }

    fn union(&mut self, branches: &Value) -> Result<Value, NotStrict> {
        let branches = branches.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut out = Vec::new();
        for (at, branch) in branches.iter().enumerate() {
            out.push(self.at(at.to_string(), |this| this.node(branch))?);
        }
        let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
        let is_plain = |branch: &Value| {
            let Some(members) = branch.as_object() else {
                return false;
            };
            !takes(members, "object") && !takes(members, "array")
        };
        let not_null = out.iter().filter(|branch| !is_null(branch)).count();
        if not_null > 1 && !out.iter().all(is_plain) {
            return Err(self.refusal("a union with an object or a list"));
        }
        Ok(Value::Array(out))
    }

    fn object(
        &mut self,
        members: &Map<String, Value>,
        out: &mut Map<String, Value>,
    ) -> Result<(), NotStrict> {
        let rest = members.get("additionalProperties");
        let properties = members.get("properties").and_then(Value::as_object);
        let is_closed = rest == Some(&Value::Bool(false));
        let names_none = properties.is_none_or(Map::is_empty);
        if !is_closed && (rest.is_some() || names_none) {
            return Err(self.refusal("an open object"));
        }
        let required: Vec<&str> = match members.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut typed = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            let mut property = self.at(name.clone(), |this| this.node(property))?;
            if !required.contains(&name.as_str()) {
                let was_union = property.as_object().is_some_and(is_union);
                widen(&mut property);
                self.unions += usize::from(!was_union);
            }
            typed.insert(name.clone(), property);
        }
        if let Some(name) = required.iter().find(|name| !typed.contains_key(**name)) {
            return Err(self.refusal(format!("the required field {name}, which has no schema,")));
        }
        let names: Vec<String> = typed.keys().cloned().collect();
        out.insert("properties".to_owned(), Value::Object(typed));
        out.insert("required".to_owned(), json!(names));
        out.insert("additionalProperties".to_owned(), json!(false));
        Ok(())
    }

    fn array(
        &mut self,
        members: &Map<String, Value>,
        out: &mut Map<String, Value>,
    ) -> Result<(), NotStrict> {
        let Some(items) = members.get("items") else {
            return Err(self.refusal("a list of anything"));
        };
        let items = self.at("items".to_owned(), |this| this.node(items))?;
        out.insert("items".to_owned(), items);
        Ok(())
    }

    fn nested(
        &mut self,
        convert: impl FnOnce(&mut Self) -> Result<(), NotStrict>,
    ) -> Result<(), NotStrict> {
        if self.depth == MAX_DEPTH {
            return Err(self.refusal(format!("more than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        convert(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn at<T>(
        &mut self,
        step: String,
        convert: impl FnOnce(&mut Self) -> Result<T, NotStrict>,
    ) -> Result<T, NotStrict> {
        self.path.push(step);
        let out = convert(self)?;
        self.path.pop();
        Ok(out)
    }
}

fn takes(node: &Map<String, Value>, kind: &str) -> bool {
    match node.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|it| it == kind),
        Some(only) => only == kind,
        None => false,
    }
}

fn is_union(node: &Map<String, Value>) -> bool {
    node.contains_key("anyOf") || node.get("type").is_some_and(Value::is_array)
}

fn type_of_all(values: &[Value]) -> Option<&'static str> {
    let kind = |value: &Value| match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let first = kind(values.first()?)?;
    values
        .iter()
        .all(|value| kind(value) == Some(first))
        .then_some(first)
}

/// Lets a node be null too.
fn widen(node: &mut Value) {
    let Some(members) = node.as_object_mut() else {
        return;
    };
    if takes(members, "null") {
        return;
    }
    match members.get_mut("type") {
        Some(Value::Array(kinds)) => kinds.push(json!("null")),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
        let null = json!({ "type": "null" });
        if !branches.contains(&null) {
            branches.push(null);
        }
    }
}
