//! OpenAI Chat Completions, and everything that speaks it more or less.

use deed_agent::ToolSet;
use serde_json::{Map, Value, json};

mod ask;
mod calls;
mod chunk;
mod decode;
mod details;
mod write;

use super::{Ask, Decoder, Items, Wire, declarations, is_openai};
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::{Declaration, Form, ToolNames};
use crate::transcript::Unit;

/// OpenAI Chat Completions.
#[derive(Debug)]
pub(crate) struct Chat;

impl Wire for Chat {
    fn path(&self, _spec: &ModelSpec) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, _spec: &ModelSpec, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}")))
            .into_iter()
            .collect()
    }

    fn list(&self) -> &'static str {
        "messages"
    }

    fn tools(
        &self,
        spec: &ModelSpec,
        tools: &ToolSet,
        names: &ToolNames,
    ) -> Result<Option<Value>, Fault> {
        let knows_strict = spec.quirks.strict_tools.unwrap_or(is_openai(spec));
        let form = if knows_strict {
            Form::Strict
        } else {
            Form::Plain
        };
        let tools = declarations(tools, names, form, |tool| function(tool, knows_strict))?;
        Ok((!tools.is_empty()).then(|| Value::Array(tools)))
    }

    fn members(&self, ask: &Ask<'_>) -> Map<String, Value> {
        ask::members(ask)
    }

    fn lead(&self, ask: &Ask<'_>) -> Option<Value> {
        let role = ask::system_role(ask.spec);
        (!ask.system.is_empty()).then(|| json!({ "role": role, "content": ask.system }))
    }

    fn write(&self, spec: &ModelSpec, unit: &Unit<'_>, _is_last: bool, items: &mut Items<'_>) {
        write::unit(spec, unit, items);
    }

    fn decoder(&self, spec: &ModelSpec) -> Box<dyn Decoder> {
        Box::new(decode::ChatDecoder::new(&spec.provider))
    }
}

fn function(tool: Declaration<'_>, knows_strict: bool) -> Value {
    let parameters = tool
        .parameters
        .unwrap_or_else(|| json!({ "type": "object", "properties": {} }));
    let mut function = json!({
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters,
    });
    if knows_strict && let Some(members) = function.as_object_mut() {
        members.insert("strict".to_owned(), tool.is_strict.into());
    }
    json!({ "type": "function", "function": function })
}
