//! Anthropic Messages.

use deed_agent::ToolSet;
use serde_json::{Map, Value};

mod ask;
mod decode;
mod event;
mod tools;
mod version;
mod write;

use super::{Ask, Decoder, Items, Wire};
use crate::ModelSpec;
use crate::fault::Fault;
use crate::schema::ToolNames;
use crate::transcript::Unit;

/// Anthropic Messages.
#[derive(Debug)]
pub(crate) struct Anthropic;

/// The version of the interface.
///
/// Source: Anthropic's documentation of API versions.
const VERSION: &str = "2023-06-01";
/// Lets models think between calls that are told how long to think; others do so anyway.
const THINK_BETWEEN: &str = "interleaved-thinking-2025-05-14";
/// Lets thoughts be dropped that a model would refuse.
const DROP_THOUGHTS: &str = "thinking-binding-controls-2026-08-01";
/// Lets a token that a person got by signing in stand for a key.
const SIGNED_IN: &str = "oauth-2025-04-20";
/// How such a token begins.
const TOKEN_PREFIX: &str = "sk-ant-oat";

impl Wire for Anthropic {
    fn path(&self, spec: &ModelSpec) -> String {
        let has_version = spec.base_url.trim_end_matches('/').ends_with("/v1");
        let path = if has_version {
            "/messages"
        } else {
            "/v1/messages"
        };
        path.to_owned()
    }

    fn headers(&self, spec: &ModelSpec, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", VERSION.to_owned())];
        let is_token = key.is_some_and(|key| key.starts_with(TOKEN_PREFIX));
        match key {
            Some(token) if is_token => {
                headers.push(("authorization", format!("Bearer {token}")));
            }
            Some(key) => headers.push(("x-api-key", key.to_owned())),
            None => {}
        }
        let mut betas = Vec::new();
        if is_anthropic(spec) && !spec.thinking_levels.is_empty() && !ask::is_adaptive(spec) {
            betas.push(THINK_BETWEEN);
        }
        if !spec.thinking_levels.is_empty() && ask::is_bound(spec) {
            betas.push(DROP_THOUGHTS);
        }
        if is_token {
            betas.push(SIGNED_IN);
        }
        if !betas.is_empty() {
            headers.push(("anthropic-beta", betas.join(",")));
        }
        headers
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
        let tools = tools::declared(spec, tools, names)?;
        Ok((!tools.is_empty()).then(|| Value::Array(tools)))
    }

    fn members(&self, ask: &Ask<'_>) -> Map<String, Value> {
        ask::members(ask)
    }

    fn write(&self, spec: &ModelSpec, unit: &Unit<'_>, is_last: bool, items: &mut Items<'_>) {
        write::unit(unit, is_last && marks_cache(spec), items);
    }

    fn decoder(&self, spec: &ModelSpec) -> Box<dyn Decoder> {
        Box::new(decode::AnthropicDecoder::new(&spec.provider))
    }
}

/// Tells whether Anthropic itself is asked.
fn is_anthropic(spec: &ModelSpec) -> bool {
    spec.host() == "api.anthropic.com"
}

fn marks_cache(spec: &ModelSpec) -> bool {
    spec.quirks.cache_marks.unwrap_or(true)
}
