use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use jsonschema::Validator;
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::args::{RawArgs, ValidatedArgs};
use crate::check::{check, draft};
use crate::coerce::Plan;
use crate::derive::derived_schema;
use crate::explain::explain;
use crate::faults::Faults;
use crate::strict::{MAX_DEPTH, read_arguments};

/// How deep arguments may nest for the faults of a recursive union to be listed.
const MAX_EXPLAINED_DEPTH: usize = 12;

/// Why a value cannot be the parameter schema of a tool.
///
/// Errors: messages name the place in the schema; whoever registers the tool adds its name and owner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The schema is no JSON object.
    #[error("the parameter schema must be an object with \"type\": \"object\", got {got}")]
    NotAnObject {
        /// What stands there.
        got: String,
    },
    /// The schema does not say `"type": "object"`.
    #[error("the parameter schema has no \"type\"; it must say \"type\": \"object\"")]
    NoType,
    /// The schema describes something other than an object.
    #[error("the parameter schema must say \"type\": \"object\", not {got}")]
    WrongType {
        /// The type that stands there.
        got: String,
    },
    /// `$schema` names a draft other than 2020-12 and 7.
    #[error(
        "the parameter schema's \"$schema\" {named} is not supported; use draft 2020-12 or draft 7"
    )]
    UnknownDraft {
        /// What stands there.
        named: String,
    },
    /// A keyword has a wrong value.
    #[error("the parameter schema is wrong at {path}: {reason}")]
    Malformed {
        /// Where, keys joined by dots.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// The validator cannot be built.
    #[error("the parameter schema cannot be used: {reason}")]
    Unusable {
        /// What the validator says.
        reason: String,
    },
}

/// The parameter schema of a tool; cheap to clone.
///
/// The validator is built when it is first needed, or by [`warm`](Self::warm).
#[derive(Clone)]
pub struct ToolSchema(Arc<Inner>);

struct Inner {
    value: Value,
    compiled: OnceLock<Result<Compiled, SchemaError>>,
}

struct Compiled {
    validator: Validator,
    plan: Plan,
}

impl ToolSchema {
    /// Takes a JSON Schema of draft 2020-12, or of draft 7 if `$schema` says so.
    ///
    /// Shape: an object schema; a `$ref` leads to a part of the same schema.
    ///
    /// Errors: what is wrong and where. Rarer faults, such as a pattern that is no regular
    /// expression, are found by [`warm`](Self::warm).
    pub fn new(value: Value) -> Result<Self, SchemaError> {
        check(&value)?;
        Ok(Self::unchecked(value))
    }

    /// Derives the schema of a parameter type.
    ///
    /// Shape: `#[serde(deny_unknown_fields)]` closes it; doc comments become descriptions. If the
    /// type is no struct with named fields, every validation and [`warm`](Self::warm) say so.
    pub fn of<T: JsonSchema>() -> Self {
        Self::unchecked(derived_schema::<T>())
    }

    /// Returns a schema that takes every object.
    pub fn any_object() -> Self {
        static ANY_OBJECT: LazyLock<ToolSchema> =
            LazyLock::new(|| ToolSchema::unchecked(json!({ "type": "object" })));
        ANY_OBJECT.clone()
    }

    fn unchecked(value: Value) -> Self {
        Self(Arc::new(Inner {
            value,
            compiled: OnceLock::new(),
        }))
    }

    /// Returns the schema, as providers get it.
    pub fn as_value(&self) -> &Value {
        &self.0.value
    }

    /// Builds the validator, which takes about a millisecond the first time in a process.
    ///
    /// Errors: the schema cannot be used.
    pub fn warm(&self) -> Result<(), SchemaError> {
        self.compiled().map(|_| ()).map_err(Clone::clone)
    }

    /// Reads arguments strictly, coerces them, and checks them against the schema.
    ///
    /// Errors: every fault, one by one; after an unreadable argument only that.
    pub fn validate(&self, raw: &RawArgs) -> Result<ValidatedArgs, Faults> {
        let members = read_arguments(raw.get()).map_err(|fault| Faults::from_list(vec![fault]))?;
        let compiled = self
            .compiled()
            .map_err(|error| Faults::at("", error.to_string()))?;
        let value = compiled.plan.coerce(Value::Object(members));
        if deeper_than(&value, MAX_DEPTH) {
            return Err(Faults::at(
                "",
                format!("nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        if compiled.validator.is_valid(&value) {
            return Ok(ValidatedArgs::new(value));
        }
        // The validator lists what every branch of a union lacks, which multiplies with depth.
        if compiled.plan.has_recursive_unions() && deeper_than(&value, MAX_EXPLAINED_DEPTH) {
            return Err(Faults::at(
                "",
                "does not fit the schema, and nests too deeply to say where",
            ));
        }
        Err(explain(&compiled.validator, &value))
    }

    fn compiled(&self) -> Result<&Compiled, &SchemaError> {
        self.0
            .compiled
            .get_or_init(|| Compiled::build(&self.0.value))
            .as_ref()
    }
}

/// Loads what the first validation of a program needs, so that it can be done while something else
/// is waited for.
pub fn warm_up() {
    // A schema without properties compiles.
    ToolSchema::new(serde_json::json!({ "type": "object" }))
        .and_then(|schema| schema.warm())
        .ok();
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolSchema").field(&self.0.value).finish()
    }
}

impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl Compiled {
    fn build(schema: &Value) -> Result<Self, SchemaError> {
        check(schema)?;
        let draft = draft(schema)?;
        let validator = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(true)
            .offline()
            .build(schema)
            .map_err(|error| SchemaError::Unusable {
                reason: error.to_string(),
            })?;
        Ok(Self {
            validator,
            plan: Plan::build(schema, draft)?,
        })
    }
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => {
            levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1))
        }
        Value::Object(members) => {
            levels == 0 || members.values().any(|item| deeper_than(item, levels - 1))
        }
        _ => false,
    }
}
