//! OpenAI Chat Completions, and everything that speaks it more or less.

use deed_agent::ToolSet;
use serde_json::{Map, Value, json};

mod ask;
mod calls;
mod chunk;
mod decode;
mod details;
mod write;

use super::openai::{self, is_openai};
use super::{Ask, Decoder, Items, Wire};
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::{Declaration, ToolNames};
use crate::transcript::Unit;

/// OpenAI Chat Completions.
#[derive(Debug)]
pub(crate) struct Chat;

impl Wire for Chat {
    fn path(&self, _spec: &ModelSpec) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, _spec: &ModelSpec, key: Option<&str>) -> Vec<(&'static str, String)> {
        openai::bearer(key)
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
        openai::tools(tools, names, knows_strict, |tool| {
            function(tool, knows_strict)
        })
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

fn function(mut tool: Declaration<'_>, knows_strict: bool) -> Value {
    let mut function = json!({
        "name": tool.name,
        "description": tool.description,
        "parameters": openai::parameters(&mut tool),
    });
    if knows_strict && let Some(members) = function.as_object_mut() {
        members.insert("strict".to_owned(), tool.is_strict.into());
    }
    json!({ "type": "function", "function": function })
}
