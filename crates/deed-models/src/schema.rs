//! What a provider is told of a tool: its name, its words and its schema, in the form that the wire
//! takes.
//!
//! Whatever is lost on the way is only told to the model less well: arguments are validated here
//! against the tool's own schema.

mod grammar;
mod merge;
mod names;
mod openapi;
mod plain;
mod strict;

use std::borrow::Cow;

use deed_agent::{ConstrainedSampling, Strictness, ToolSpec};
use serde_json::Value;

pub use grammar::{Grammar, grammar};
pub use names::{MAX_NAME_LENGTH, ToolNames, wire_name};
pub use openapi::openapi_schema;
pub use plain::plain_schema;
pub use strict::{NotStrict, StrictSchema, strict_schema};

use crate::transcript::safe_text;

/// A tool as a wire declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration<'a> {
    /// The name on the wire.
    pub name: Cow<'a, str>,
    /// What the model reads about it.
    pub description: Cow<'a, str>,
    /// The schema of its arguments; `None` where the wire wants none for a tool without arguments.
    pub parameters: Option<Value>,
    /// Whether the provider is to hold the model to the schema.
    pub is_strict: bool,
    /// How many nodes of a strict schema take more than one type.
    pub unions: usize,
    /// What the one text that it takes must look like, for a wire that can say so.
    pub grammar: Option<Grammar<'a>>,
}

/// What schemas an interface takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON Schema, with plain ones for all tools.
    Plain,
    /// JSON Schema, with strict ones for the tools that ask for it.
    Strict,
    /// What OpenAPI 3.0 takes of JSON Schema, as Gemini does.
    OpenApi,
}

/// Why a tool cannot be declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclareError {
    /// The tool demands what the interface does not have.
    #[error(
        "the tool {tool} demands a strict schema, which this model's interface does not have; \
         choose another model, or turn the tool off"
    )]
    NoStrictness {
        /// The tool.
        tool: String,
    },
    /// The tool demands what its schema does not allow.
    #[error("the tool {tool} demands a strict schema, but its own cannot be made strict: {why}")]
    NotStrict {
        /// The tool.
        tool: String,
        /// What stands in the way.
        why: NotStrict,
    },
}

/// Makes the declaration of a tool.
///
/// Errors: the tool demands a strict schema and cannot have one; one that only prefers it gets the
/// plain schema.
pub fn declare<'a>(
    tool: &'a ToolSpec,
    names: &'a ToolNames,
    form: Form,
) -> Result<Declaration<'a>, DeclareError> {
    let schema = tool.parameters.as_value();
    let strict = strictly(tool, form)?;
    let is_strict = strict.is_some();
    let unions = strict.as_ref().map_or(0, |strict| strict.unions);
    let parameters = match (strict, form) {
        (Some(strict), _) => Some(strict.schema),
        (None, Form::OpenApi) => openapi_schema(schema),
        (None, Form::Plain | Form::Strict) => Some(plain_schema(schema)),
    };
    Ok(Declaration {
        name: names.wire(&tool.name),
        description: safe_text(&tool.description),
        parameters,
        is_strict,
        unions,
        grammar: grammar(tool),
    })
}

fn strictly(tool: &ToolSpec, form: Form) -> Result<Option<StrictSchema>, DeclareError> {
    let ConstrainedSampling::JsonSchema(strictness) = tool.constrained_sampling else {
        return Ok(None);
    };
    let name = || tool.name.to_string();
    match (form, strictness) {
        (Form::Strict, _) => match (strict_schema(tool.parameters.as_value()), strictness) {
            (Ok(strict), _) => Ok(Some(strict)),
            (Err(_), Strictness::Prefer) => Ok(None),
            (Err(why), Strictness::Require) => Err(DeclareError::NotStrict { tool: name(), why }),
        },
        (Form::Plain | Form::OpenApi, Strictness::Prefer) => Ok(None),
        (Form::Plain | Form::OpenApi, Strictness::Require) => {
            Err(DeclareError::NoStrictness { tool: name() })
        }
    }
}
