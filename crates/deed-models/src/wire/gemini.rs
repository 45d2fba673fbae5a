//! Google Gemini.

use deed_agent::ToolSet;
use serde_json::{Map, Value, json};

mod ask;
mod decode;
mod event;
mod reasons;
mod write;

use super::{Ask, Decoder, Items, Wire, declarations};
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::{Declaration, Form, ToolNames};
use crate::transcript::Unit;

/// Google Gemini.
#[derive(Debug)]
pub(crate) struct Gemini;

impl Wire for Gemini {
    fn path(&self, spec: &ModelSpec) -> String {
        let has_version = spec.base_url.split('/').any(is_version);
        let version = if has_version { "" } else { "/v1beta" };
        let id = spec.id.strip_prefix("models/").unwrap_or(&spec.id);
        let id = escaped(id);
        format!("{version}/models/{id}:streamGenerateContent?alt=sse")
    }

    fn headers(&self, _spec: &ModelSpec, key: Option<&str>) -> Vec<(&'static str, String)> {
        // Never in the address, which ends up in logs.
        key.map(|key| ("x-goog-api-key", key.to_owned()))
            .into_iter()
            .collect()
    }

    fn list(&self) -> &'static str {
        "contents"
    }

    fn tools(
        &self,
        _spec: &ModelSpec,
        tools: &ToolSet,
        names: &ToolNames,
    ) -> Result<Option<Value>, Fault> {
        let tools = declarations(tools, names, Form::OpenApi, function)?;
        Ok((!tools.is_empty()).then(|| json!([{ "functionDeclarations": tools }])))
    }

    fn members(&self, ask: &Ask<'_>) -> Map<String, Value> {
        ask::members(ask)
    }

    fn write(&self, spec: &ModelSpec, unit: &Unit<'_>, _is_last: bool, items: &mut Items<'_>) {
        write::unit(spec, unit, items);
    }

    fn decoder(&self, spec: &ModelSpec) -> Box<dyn Decoder> {
        Box::new(decode::GeminiDecoder::new(&spec.provider))
    }
}

fn function(tool: Declaration<'_>) -> Value {
    let mut function = json!({ "name": tool.name, "description": tool.description });
    if let Some((members, parameters)) = function.as_object_mut().zip(tool.parameters) {
        members.insert("parameters".to_owned(), parameters);
    }
    function
}

/// Tells whether a part of an address names a version of the interface, such as `v1beta`.
fn is_version(part: &str) -> bool {
    let number = part.strip_prefix('v').unwrap_or_default();
    number.starts_with(|first: char| first.is_ascii_digit())
}

/// Writes an id as a part of an address.
fn escaped(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Tells whether a model is of the third generation or later: it thinks by levels, wants the
/// signatures of calls back, gives calls ids and takes pictures in results.
///
/// What has no number in its name, such as `gemini-flash-latest`, is one.
fn is_third(spec: &ModelSpec) -> bool {
    if spec.id.contains("gemma") {
        return false;
    }
    let (_, words) = spec.id.split_once("gemini-").unwrap_or_default();
    let major = words.split(['-', '.']).next().unwrap_or_default();
    major.parse::<u32>().map_or(true, |major| major >= 3)
}
