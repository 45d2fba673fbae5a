use std::collections::{HashMap, HashSet};

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};

use crate::check::has_embedded_resource;
use crate::keywords::{Kind, Target, escaped, follow};
use crate::schema::SchemaError;

/// Where the schema stands for the validators of its parts; nothing is ever fetched from there.
const BASE: &str = "deed:///parameters";

/// A place in a [`Plan`]; references make places shared.
pub(super) type NodeId = usize;

/// What coercion must know of a schema, looked up once.
pub(crate) struct Plan {
    nodes: Vec<Node>,
    recursive: bool,
}

/// What coercion must know of one subschema. A `$ref` counts as one more `allOf`.
#[derive(Default)]
pub(super) struct Node {
    pub(super) never: bool,
    pub(super) kinds: Vec<Kind>,
    pub(super) members: Option<Vec<Value>>,
    pub(super) all_of: Vec<NodeId>,
    pub(super) unions: Vec<Union>,
    pub(super) properties: HashMap<String, NodeId>,
    pub(super) required: HashSet<String>,
    patterns: Vec<(Validator, NodeId)>,
    additional: Option<NodeId>,
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: Option<NodeId>,
    tuple: bool,
}

/// An `anyOf` or `oneOf`.
pub(super) struct Union {
    pub(super) branches: Vec<(NodeId, Validator)>,
    /// The schema that the union stands in.
    pub(super) whole: Validator,
}

impl Plan {
    pub(super) const ROOT: NodeId = 0;

    pub(crate) fn build(schema: &Value, draft: Draft) -> Result<Self, SchemaError> {
        let mut builder = Builder {
            root: schema,
            draft,
            // `#` would have to be read per part: such schemas are validated, but references in
            // them are not followed here.
            follows: !has_embedded_resource(schema),
            registry: None,
            nodes: Vec::new(),
            known: HashMap::new(),
            open: Vec::new(),
            recursive: false,
        };
        builder.node("", schema)?;
        Ok(Self {
            nodes: builder.nodes,
            recursive: builder.recursive,
        })
    }

    /// Tells whether unions may stand inside themselves, so that their branches multiply with depth.
    pub(crate) fn has_recursive_unions(&self) -> bool {
        self.recursive && self.nodes.iter().any(|node| !node.unions.is_empty())
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }
}

impl Node {
    /// Goes through the schemas that apply to a member of an object.
    pub(super) fn schemas_of(&self, key: &str) -> impl Iterator<Item = NodeId> {
        let declared = self.properties.get(key).copied();
        let key = (!self.patterns.is_empty()).then(|| Value::from(key));
        let mut matching = Vec::new();
        if let Some(key) = key {
            let fits =
                |(validator, id): &(Validator, NodeId)| validator.is_valid(&key).then_some(*id);
            matching.extend(self.patterns.iter().filter_map(fits));
        }
        let additional = self
            .additional
            .filter(|_| declared.is_none() && matching.is_empty());
        declared.into_iter().chain(matching).chain(additional)
    }

    /// Tells whether a single value stands for a list of one here.
    pub(super) fn wraps(&self, value: &Value) -> bool {
        let kind = Kind::of(value);
        self.kinds.contains(&Kind::Array)
            && !self.tuple
            && kind != Kind::Null
            && !self.kinds.iter().any(|wanted| wanted.covers(kind))
    }
}

struct Builder<'a> {
    root: &'a Value,
    draft: Draft,
    follows: bool,
    registry: Option<Registry<'a>>,
    nodes: Vec<Node>,
    known: HashMap<String, NodeId>,
    /// The places that are being filled.
    open: Vec<NodeId>,
    recursive: bool,
}

impl Builder<'_> {
    fn node(&mut self, pointer: &str, schema: &Value) -> Result<NodeId, SchemaError> {
        if let Some(id) = self.known.get(pointer) {
            self.recursive |= self.open.contains(id);
            return Ok(*id);
        }
        // Known before it is filled, because a reference below may lead back here.
        let id = self.nodes.len();
        self.nodes.push(Node::default());
        self.known.insert(pointer.to_owned(), id);
        self.open.push(id);
        let mut node = Node {
            never: schema == &Value::Bool(false),
            ..Node::default()
        };
        node.kinds = kinds(schema);
        node.members = members(schema);
        self.composition(&mut node, pointer, schema)?;
        self.object(&mut node, pointer, schema)?;
        self.array(&mut node, pointer, schema)?;
        self.open.pop();
        if let Some(slot) = self.nodes.get_mut(id) {
            *slot = node;
        }
        Ok(id)
    }

    fn composition(
        &mut self,
        node: &mut Node,
        pointer: &str,
        schema: &Value,
    ) -> Result<(), SchemaError> {
        let reference = schema
            .get("$ref")
            .and_then(Value::as_str)
            .filter(|_| self.follows);
        if let Some(Target::Pointer(target)) = reference.map(|text| follow(self.root, text))
            && let Some(inner) = self.root.pointer(&target)
        {
            node.all_of.push(self.node(&target, inner)?);
        }
        node.all_of.extend(
            self.list(pointer, schema, "allOf")?
                .into_iter()
                .map(|(id, _)| id),
        );
        for keyword in ["anyOf", "oneOf"] {
            let mut branches = Vec::new();
            for (id, pointer) in self.list(pointer, schema, keyword)? {
                branches.push((id, self.validator_at(&pointer)?));
            }
            if !branches.is_empty() {
                node.unions.push(Union {
                    branches,
                    whole: self.validator_at(pointer)?,
                });
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        node: &mut Node,
        pointer: &str,
        schema: &Value,
    ) -> Result<(), SchemaError> {
        if let Some(Value::Array(names)) = schema.get("required") {
            node.required = names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
        }
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (name, inner) in properties {
                let id = self.node(&format!("{pointer}/properties/{}", escaped(name)), inner)?;
                node.properties.insert(name.clone(), id);
            }
        }
        if let Some(Value::Object(patterns)) = schema.get("patternProperties") {
            for (pattern, inner) in patterns {
                let key = self.validator(&json!({ "pattern": pattern }))?;
                let steps = escaped(pattern);
                let id = self.node(&format!("{pointer}/patternProperties/{steps}"), inner)?;
                node.patterns.push((key, id));
            }
        }
        node.additional = self.one(pointer, schema, "additionalProperties")?;
        Ok(())
    }

    fn array(&mut self, node: &mut Node, pointer: &str, schema: &Value) -> Result<(), SchemaError> {
        let (prefix, rest) = match schema.get("items") {
            Some(Value::Array(_)) => ("items", "additionalItems"),
            _ => ("prefixItems", "items"),
        };
        let prefix = self.list(pointer, schema, prefix)?;
        node.tuple = !prefix.is_empty();
        node.prefix = prefix.into_iter().map(|(id, _)| id).collect();
        node.items = self.one(pointer, schema, rest)?;
        Ok(())
    }

    fn one(
        &mut self,
        pointer: &str,
        schema: &Value,
        keyword: &str,
    ) -> Result<Option<NodeId>, SchemaError> {
        match schema.get(keyword) {
            Some(inner @ Value::Object(_)) => {
                self.node(&format!("{pointer}/{keyword}"), inner).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn list(
        &mut self,
        pointer: &str,
        schema: &Value,
        keyword: &str,
    ) -> Result<Vec<(NodeId, String)>, SchemaError> {
        let Some(Value::Array(list)) = schema.get(keyword) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::with_capacity(list.len());
        for (at, inner) in list.iter().enumerate() {
            let pointer = format!("{pointer}/{keyword}/{at}");
            found.push((self.node(&pointer, inner)?, pointer));
        }
        Ok(found)
    }

    /// Builds the validator of one part, with the whole schema at hand for its references.
    fn validator_at(&mut self, pointer: &str) -> Result<Validator, SchemaError> {
        if self.registry.is_none() {
            let registry = Registry::new()
                .draft(self.draft)
                .add(BASE, self.draft.create_resource(self.root.clone()))
                .and_then(jsonschema::RegistryBuilder::prepare)
                .map_err(|error| SchemaError::Unusable {
                    reason: error.to_string(),
                })?;
            self.registry = Some(registry);
        }
        self.validator(&json!({ "$ref": format!("{BASE}#{}", percent_encoded(pointer)) }))
    }

    fn validator(&self, schema: &Value) -> Result<Validator, SchemaError> {
        let mut options = jsonschema::options()
            .with_draft(self.draft)
            .should_validate_formats(true)
            .offline();
        if let Some(registry) = &self.registry {
            options = options.with_registry(registry);
        }
        options
            .build(schema)
            .map_err(|error| SchemaError::Unusable {
                reason: error.to_string(),
            })
    }
}

fn kinds(schema: &Value) -> Vec<Kind> {
    match schema.get("type") {
        Some(Value::String(name)) => Kind::named(name).into_iter().collect(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .filter_map(Kind::named)
            .collect(),
        _ => Vec::new(),
    }
}

fn members(schema: &Value) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(members))) => Some(members.clone()),
        _ => None,
    }
}

/// Writes a JSON pointer as the fragment of a URI.
fn percent_encoded(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
