use deed_agent::{ToolSet, ToolSpec};
use deed_protocol::ErrorKind;
use serde_json::{Map, Value};

use super::is_anthropic;
use super::version::{STRICT, Version};
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::{Declaration, Form, ToolNames, declare};

/// How many strict tools a request may have, and how many unions they may hold together.
///
/// Source: Anthropic's documentation of structured outputs, "JSON Schema limitations".
const MAX_STRICT_TOOLS: usize = 20;
const MAX_UNIONS: usize = 16;

/// Declares the tools; those that only prefer a strict schema get a plain one beyond the limits.
pub(super) fn declared(
    spec: &ModelSpec,
    tools: &ToolSet,
    names: &ToolNames,
) -> Result<Vec<Value>, Fault> {
    let knows_strict = spec.quirks.strict_tools.unwrap_or_else(|| {
        is_anthropic(spec) && Version::of(&spec.id).is_some_and(|version| version >= STRICT)
    });
    let (mut strict_tools, mut unions) = (0, 0);
    let mut written = Vec::new();
    for tool in tools.iter() {
        let mut declared = one(tool.spec(), names, knows_strict)?;
        if declared.is_strict {
            let beyond = strict_tools == MAX_STRICT_TOOLS || unions + declared.unions > MAX_UNIONS;
            if beyond && let Ok(plain) = one(tool.spec(), names, false) {
                declared = plain;
            }
        }
        if declared.is_strict {
            strict_tools += 1;
            unions += declared.unions;
        }
        written.push(tool_of(declared));
    }
    Ok(written)
}

fn one<'a>(
    tool: &'a ToolSpec,
    names: &'a ToolNames,
    is_strict: bool,
) -> Result<Declaration<'a>, Fault> {
    let form = if is_strict { Form::Strict } else { Form::Plain };
    declare(tool, names, form)
        .map_err(|error| Fault::new(ErrorKind::InvalidRequest, error.to_string()))
}

fn tool_of(declared: Declaration<'_>) -> Value {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), declared.name.into());
    tool.insert("description".to_owned(), declared.description.into());
    if let Some(schema) = declared.parameters {
        tool.insert("input_schema".to_owned(), schema);
    }
    if declared.is_strict {
        tool.insert("strict".to_owned(), true.into());
    }
    Value::Object(tool)
}
