use deed_schema::referenced;
use serde_json::{Map, Value, json};

use super::merge::{Join, join_fields};
use super::plain::top;

mod values;

/// How many nodes a schema may have once its references are written out.
const MAX_NODES: usize = 2_000;
/// How deep it may nest.
const MAX_DEPTH: usize = 24;

/// Keywords that are taken as they are where their value is a number.
const BOUNDS: [&str; 8] = [
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// Makes the form of a parameter schema that Gemini takes: the part of JSON Schema that OpenAPI 3.0 has.
///
/// Shape: references are written out, and cut where they come back to themselves, which the description
/// says; a node has one type or is a bare `anyOf`; what can only be said in words is said in the
/// description. `None` for a tool without arguments, which Gemini wants to have no schema.
///
/// Source: the type `Schema` of the Gemini API, and its error messages.
pub fn openapi_schema(schema: &Value) -> Option<Value> {
    let top = top(schema);
    let mut conversion = Conversion {
        root: schema,
        open: Vec::new(),
        nodes: 0,
    };
    let out = conversion.object(&top);
    out.contains_key("properties").then_some(Value::Object(out))
}

struct Conversion<'a> {
    root: &'a Value,
    /// The references that are being written out, from the outside in.
    open: Vec<String>,
    nodes: usize,
}

/// A node in the making.
struct Node {
    members: Map<String, Value>,
    /// What stands behind the description.
    remarks: Vec<String>,
}

impl Node {
    fn of_type(kind: &str) -> Self {
        let mut members = Map::new();
        members.insert("type".to_owned(), json!(kind));
        Self {
            members,
            remarks: Vec::new(),
        }
    }

    fn remark(mut self, remark: impl Into<String>) -> Self {
        self.remarks.push(remark.into());
        self
    }

    fn done(mut self, description: Option<&str>) -> Map<String, Value> {
        let description = description.into_iter().map(str::to_owned);
        let remarks = self.remarks.into_iter().map(|remark| format!("({remark})"));
        let words: Vec<String> = description.chain(remarks).collect();
        if !words.is_empty() {
            self.members
                .insert("description".to_owned(), json!(words.join(" ")));
        }
        self.members
    }
}

impl Conversion<'_> {
    fn node(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        self.nodes += 1;
        let members = schema.as_object().cloned().unwrap_or_default();
        let description = described(&members).map(str::to_owned);
        if self.nodes > MAX_NODES || depth > MAX_DEPTH {
            return Node::of_type("object")
                .remark("nested too deeply to say what is in it")
                .done(description.as_deref());
        }
        match members.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.reference(reference, &members, depth),
            None => self.without_reference(members, depth),
        }
    }

    fn reference(
        &mut self,
        reference: &str,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        let description = described(members);
        let target = referenced(self.root, reference).and_then(Value::as_object);
        let Some(target) = target else {
            return any_value().done(description);
        };
        if self.open.iter().any(|open| open == reference) {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let kind = match target.get("type") {
                Some(Value::String(kind)) if kind != "array" => kind.as_str(),
                _ => "object",
            };
            return Node::of_type(kind)
                .remark(format!("again of the form {name}"))
                .done(description);
        }
        let mut joined = members.clone();
        joined.shift_remove("$ref");
        for (keyword, value) in target {
            joined
                .entry(keyword.clone())
                .or_insert_with(|| value.clone());
        }
        self.open.push(reference.to_owned());
        let out = self.node(&Value::Object(joined), depth + 1);
        self.open.pop();
        out
    }

    fn without_reference(
        &mut self,
        mut members: Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        if let Some(Value::Array(parts)) = members.shift_remove("allOf") {
            self.take_all(&mut members, &parts, depth);
            return self.node(&Value::Object(members), depth + 1);
        }
        let description = described(&members).map(str::to_owned);
        if let Some(allowed) = values::allowed(&members) {
            return values::node(&members, &allowed).done(description.as_deref());
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = members.shift_remove(keyword) {
                return self.union(&members, &branches, depth);
            }
        }
        let kinds = kinds_of(&members);
        let is_nullable = kinds.iter().any(|kind| kind == "null");
        let kinds: Vec<&str> = kinds
            .iter()
            .map(String::as_str)
            .filter(|it| *it != "null")
            .collect();
        let mut out = match kinds.as_slice() {
            [] => any_value().done(description.as_deref()),
            [only] => self.of_kind(only, &members, depth),
            several => {
                let mut branches = Vec::new();
                for kind in several {
                    branches.push(Value::Object(self.of_kind(kind, &members, depth)));
                }
                return any_of(branches, is_nullable);
            }
        };
        if is_nullable {
            out.insert("nullable".to_owned(), json!(true));
        }
        out
    }

    /// Takes the parts of an `allOf` up into their node.
    fn take_all(&mut self, members: &mut Map<String, Value>, parts: &[Value], depth: usize) {
        let mut fields = Vec::new();
        for part in parts {
            let mut part = part.as_object().cloned().unwrap_or_default();
            let reference = part.get("$ref").and_then(Value::as_str).map(str::to_owned);
            if let Some(reference) = reference {
                let is_open = self.open.contains(&reference) || depth == MAX_DEPTH;
                part.shift_remove("$ref");
                let target = referenced(self.root, &reference).filter(|_| !is_open);
                for (keyword, value) in target.and_then(Value::as_object).into_iter().flatten() {
                    part.entry(keyword.clone()).or_insert_with(|| value.clone());
                }
            }
            for (keyword, value) in &part {
                if keyword != "properties" && keyword != "required" {
                    members
                        .entry(keyword.clone())
                        .or_insert_with(|| value.clone());
                }
            }
            fields.push(part);
        }
        if fields.iter().any(|part| part.contains_key("properties")) {
            join_fields(members, &fields, Join::All);
        }
    }

    fn union(
        &mut self,
        members: &Map<String, Value>,
        branches: &[Value],
        depth: usize,
    ) -> Map<String, Value> {
        let is_null = |branch: &&Value| branch.get("type").is_some_and(|kind| kind == "null");
        let is_nullable = branches.iter().any(|branch| is_null(&branch));
        let mut out: Vec<Value> = Vec::new();
        for branch in branches.iter().filter(|branch| !is_null(branch)) {
            let mut branch = branch.as_object().cloned().unwrap_or_default();
            for (keyword, value) in members {
                branch
                    .entry(keyword.clone())
                    .or_insert_with(|| value.clone());
            }
            let converted = Value::Object(self.node(&Value::Object(branch), depth + 1));
            if !out.contains(&converted) {
                out.push(converted);
            }
        }
        any_of(out, is_nullable)
    }

    fn of_kind(
        &mut self,
        kind: &str,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        let mut node = Node::of_type(kind);
        for keyword in BOUNDS {
            let belongs = match keyword {
                "minimum" | "maximum" => kind == "number" || kind == "integer",
                "minLength" | "maxLength" => kind == "string",
                "minItems" | "maxItems" => kind == "array",
                _ => kind == "object",
            };
            if let Some(bound) = members.get(keyword).filter(|it| belongs && it.is_number()) {
                node.members.insert(keyword.to_owned(), bound.clone());
            }
        }
        values::say_bounds(&mut node, kind, members);
        match kind {
            "array" => self.items(&mut node, members, depth),
            "object" => {
                let object = self.object_at(members, depth);
                node.members.extend(object);
            }
            _ => {}
        }
        node.done(described(members))
    }

    fn items(&mut self, node: &mut Node, members: &Map<String, Value>, depth: usize) {
        let items = match (members.get("prefixItems"), members.get("items")) {
            (Some(Value::Array(tuple)), _) | (None, Some(Value::Array(tuple))) => {
                let remark = format!("{} items, each of its own kind", tuple.len());
                node.remarks.push(remark);
                let parts = tuple.clone();
                self.node(&json!({ "anyOf": parts }), depth + 1)
            }
            (_, Some(items)) => self.node(items, depth + 1),
            (_, None) => any_value().done(None),
        };
        node.members
            .insert("items".to_owned(), Value::Object(items));
    }

    fn object(&mut self, members: &Map<String, Value>) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("type".to_owned(), json!("object"));
        out.extend(self.object_at(members, 0));
        out
    }

    fn object_at(&mut self, members: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let mut properties = Map::new();
        let declared = members.get("properties").and_then(Value::as_object);
        for (name, property) in declared.into_iter().flatten() {
            let property = self.node(property, depth + 1);
            properties.insert(name.clone(), Value::Object(property));
        }
        let mut out = Map::new();
        if properties.is_empty() {
            return out;
        }
        let required: Vec<Value> = match members.get("required") {
            Some(Value::Array(names)) => names
                .iter()
                .filter(|name| name.as_str().is_some_and(|it| properties.contains_key(it)))
                .cloned()
                .collect(),
            _ => Vec::new(),
        };
        out.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            out.insert("required".to_owned(), Value::Array(required));
        }
        out
    }
}

fn described(members: &Map<String, Value>) -> Option<&str> {
    members.get("description").and_then(Value::as_str)
}

/// What stands for a node that takes anything: there is no such type.
fn any_value() -> Node {
    Node::of_type("string").remark("any value; other than text, as JSON")
}

/// Writes a union, which has no member beside its branches.
fn any_of(mut branches: Vec<Value>, is_nullable: bool) -> Map<String, Value> {
    if is_nullable {
        for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
            branch.insert("nullable".to_owned(), json!(true));
        }
    }
    match branches.pop() {
        None => any_value().done(None),
        Some(Value::Object(only)) if branches.is_empty() => only,
        Some(last) => {
            branches.push(last);
            let mut out = Map::new();
            out.insert("anyOf".to_owned(), Value::Array(branches));
            out
        }
    }
}

/// Returns the types of a node, guessed from its other keywords if it names none.
fn kinds_of(members: &Map<String, Value>) -> Vec<String> {
    match members.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds.map(str::to_owned).collect()
        }
        _ if members.contains_key("properties") => vec!["object".to_owned()],
        _ if members.contains_key("additionalProperties") => vec!["object".to_owned()],
        _ if members.contains_key("items") => vec!["array".to_owned()],
        _ => Vec::new(),
    }
}
