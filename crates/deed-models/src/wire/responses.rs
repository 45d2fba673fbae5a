//! OpenAI Responses.
//!
//! Nothing is stored at the provider: each request carries the whole transcript, and what a model
//! thought goes back in the encrypted form in which it came.

use deed_agent::ToolSet;
use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value, json};

mod decode;
mod event;
mod write;

use super::openai::{self, is_openai};
use super::{Ask, Decoder, Items, Wire};
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::{Declaration, Grammar, ToolNames};
use crate::transcript::Unit;

/// OpenAI Responses.
#[derive(Debug)]
pub(crate) struct Responses;

impl Wire for Responses {
    fn path(&self, _spec: &ModelSpec) -> String {
        "/responses".to_owned()
    }

    fn headers(&self, _spec: &ModelSpec, key: Option<&str>) -> Vec<(&'static str, String)> {
        openai::bearer(key)
    }

    fn list(&self) -> &'static str {
        "input"
    }

    fn takes_grammars(&self, spec: &ModelSpec) -> bool {
        spec.quirks.grammar_tools.unwrap_or(is_openai(spec))
    }

    fn tools(
        &self,
        spec: &ModelSpec,
        tools: &ToolSet,
        names: &ToolNames,
    ) -> Result<Option<Value>, Fault> {
        let knows_strict = spec.quirks.strict_tools.unwrap_or(true);
        let knows_grammars = self.takes_grammars(spec);
        openai::tools(tools, names, knows_strict, |mut tool| {
            match tool.grammar.take().filter(|_| knows_grammars) {
                Some(grammar) => custom(&tool, &grammar),
                None => function(tool),
            }
        })
    }

    fn members(&self, ask: &Ask<'_>) -> Map<String, Value> {
        let (spec, quirks) = (ask.spec, &ask.spec.quirks);
        let mut members = Map::new();
        let mut set = |name: &str, value: Value| {
            members.insert(name.to_owned(), value);
        };
        set("model", Value::from(&*spec.id));
        set("stream", true.into());
        if quirks.store.unwrap_or(true) {
            set("store", false.into());
        }
        if !ask.system.is_empty() {
            set("instructions", ask.system.into());
        }
        if spec.max_output_tokens > 0 {
            set("max_output_tokens", spec.max_output_tokens.into());
        }
        if let Some(key) = ask.cache_key
            && quirks.cache_key.unwrap_or(is_openai(spec))
        {
            set("prompt_cache_key", key.into());
        }
        if !spec.thinking_levels.is_empty() {
            set("include", json!(["reasoning.encrypted_content"]));
            if let Some(reasoning) = reasoning(ask) {
                set("reasoning", reasoning);
            }
        }
        members
    }

    fn write(&self, spec: &ModelSpec, unit: &Unit<'_>, _is_last: bool, items: &mut Items<'_>) {
        write::unit(spec, unit, items);
    }

    fn decoder(&self, spec: &ModelSpec) -> Box<dyn Decoder> {
        Box::new(decode::ResponsesDecoder::new(&spec.provider))
    }
}

fn reasoning(ask: &Ask<'_>) -> Option<Value> {
    let level = ask.thinking;
    let named = ask.spec.quirks.thinking_words.get(&level);
    if level == ThinkingLevel::Off {
        return named.map(|word| json!({ "effort": word }));
    }
    if ask.spec.quirks.reasoning_effort == Some(false) {
        return None;
    }
    let word = named.map_or(level.as_str(), String::as_str);
    Some(json!({ "effort": word, "summary": "auto" }))
}

/// Writes a tool. Without the word `strict` the interface would make any schema strict.
fn function(mut tool: Declaration<'_>) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": openai::parameters(&mut tool),
        "strict": tool.is_strict,
    })
}

/// Writes a tool that is called with a text that follows a grammar.
fn custom(tool: &Declaration<'_>, grammar: &Grammar<'_>) -> Value {
    json!({
        "type": "custom",
        "name": tool.name,
        "description": tool.description,
        "format": {
            "type": "grammar",
            "syntax": grammar.syntax,
            "definition": grammar.definition,
        },
    })
}
