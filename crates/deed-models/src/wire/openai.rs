//! What the two interfaces of OpenAI have in common.

use deed_agent::ToolSet;
use serde_json::{Value, json};

use super::declarations;
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::{Declaration, Form, ToolNames};

/// Tells whether OpenAI itself is asked, not one of the many that speak its interfaces.
pub(super) fn is_openai(spec: &ModelSpec) -> bool {
    let host = spec.host();
    host == "api.openai.com" || host.ends_with(".api.openai.com")
}

/// Returns the header field with the key.
pub(super) fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}")))
        .into_iter()
        .collect()
}

/// Declares the tools, each in the words of a wire, which is told whether it may say `strict`.
///
/// Errors: a tool demands what the server does not have.
pub(super) fn tools(
    tools: &ToolSet,
    names: &ToolNames,
    knows_strict: bool,
    write: impl Fn(Declaration<'_>) -> Value,
) -> Result<Option<Value>, Fault> {
    let form = if knows_strict {
        Form::Strict
    } else {
        Form::Plain
    };
    let tools = declarations(tools, names, form, write)?;
    Ok((!tools.is_empty()).then_some(Value::Array(tools)))
}

/// Returns the schema of the arguments of a tool, which may not be left out.
pub(super) fn parameters(tool: &mut Declaration<'_>) -> Value {
    let none = || json!({ "type": "object", "properties": {} });
    tool.parameters.take().unwrap_or_else(none)
}
