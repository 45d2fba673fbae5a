use deed_schema::{SchemaError, ToolSchema};
use thiserror::Error;

use super::{Layer, RegisteredTool};

const MAX_NAME_CHARS: usize = 64;

/// Why a tool was not registered.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RegisterError {
    /// No provider would take the name.
    #[error("the tool `{name}` of {owner} was not registered: its name {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Where the tool comes from.
        owner: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No provider would take the schema.
    #[error("the tool `{name}` of {owner} was not registered: {fault}")]
    BadSchema {
        /// The name.
        name: String,
        /// Where the tool comes from.
        owner: String,
        /// What is wrong with it.
        fault: SchemaError,
    },
    /// Another has the name.
    #[error(
        "the tool `{name}` of {owner} was not registered: {holder} already has one of that name"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// Where the tool comes from.
        owner: String,
        /// Where the tool comes from that stands.
        holder: String,
    },
}

/// Refuses what would make every request of the session fail.
pub(super) fn check(tool: &RegisteredTool) -> Result<(), RegisterError> {
    let (name, owner) = (tool.name().to_string(), tool.source().path.to_string());
    if let Some(reason) = name_fault(&name) {
        return Err(RegisterError::BadName {
            name,
            owner,
            reason,
        });
    }
    let parameters = &tool.spec().parameters;
    let checked = if tool.layer() == Layer::BuiltIn {
        // Building a validator takes time at start, and tests build those of built-in tools.
        ToolSchema::new(parameters.as_value().clone()).map(drop)
    } else {
        ToolSchema::new(parameters.as_value().clone()).and_then(|schema| schema.warm())
    };
    checked.map_err(|fault| RegisterError::BadSchema { name, owner, fault })
}

fn name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("is empty");
    }
    if name.len() > MAX_NAME_CHARS {
        return Some("has more than 64 characters");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (!name.chars().all(is_plain)).then_some("has characters other than A-Z a-z 0-9 _ -")
}
