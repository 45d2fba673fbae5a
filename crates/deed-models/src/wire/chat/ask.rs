use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value, json};

use crate::wire::Ask;
use crate::wire::openai::is_openai;
use crate::{ModelSpec, ThinkingStyle};

/// Returns the members of the body beside tools and messages.
pub(super) fn members(ask: &Ask<'_>) -> Map<String, Value> {
    let (spec, quirks) = (ask.spec, &ask.spec.quirks);
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| {
        members.insert(name.to_owned(), value);
    };
    set("model", Value::from(&*spec.id));
    set("stream", true.into());
    if quirks.usage_in_stream.unwrap_or(true) {
        set("stream_options", json!({ "include_usage": true }));
    }
    if quirks.store.unwrap_or(is_openai(spec)) {
        set("store", false.into());
    }
    if spec.max_output_tokens > 0 {
        let field = quirks.max_tokens_field.as_deref();
        let by_default = if is_openai(spec) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        set(field.unwrap_or(by_default), spec.max_output_tokens.into());
    }
    if let Some(key) = ask.cache_key
        && quirks.cache_key.unwrap_or(is_openai(spec))
    {
        set("prompt_cache_key", key.into());
    }
    if !spec.thinking_levels.is_empty() {
        for (name, value) in thinking(spec, ask.thinking) {
            set(name, value);
        }
    }
    members
}

/// Returns the role of instructions: `developer` only where reasoning models of OpenAI are asked.
pub(super) fn system_role(spec: &ModelSpec) -> &'static str {
    let reasons = is_openai(spec) && !spec.thinking_levels.is_empty();
    if spec.quirks.developer_role.unwrap_or(reasons) {
        "developer"
    } else {
        "system"
    }
}

/// Returns what tells a model that can think how much to.
fn thinking(spec: &ModelSpec, level: ThinkingLevel) -> Vec<(&'static str, Value)> {
    let is_on = level != ThinkingLevel::Off;
    let named = spec.quirks.thinking_words.get(&level).map(String::as_str);
    let word = named.or(is_on.then(|| level.as_str()));
    let effort = || word.map(|word| ("reasoning_effort", Value::from(word)));
    let takes_effort = spec.quirks.reasoning_effort;
    let mut members = match spec.quirks.thinking_style.unwrap_or(ThinkingStyle::Effort) {
        ThinkingStyle::Effort => {
            return effort()
                .filter(|_| takes_effort.unwrap_or(true))
                .into_iter()
                .collect();
        }
        ThinkingStyle::Nested => {
            let value = match word {
                Some(word) => json!({ "effort": word }),
                None => json!({ "enabled": false }),
            };
            return vec![("reasoning", value)];
        }
        ThinkingStyle::Toggle => {
            let state = if is_on { "enabled" } else { "disabled" };
            vec![("thinking", json!({ "type": state }))]
        }
        ThinkingStyle::Enable => vec![("enable_thinking", is_on.into())],
        ThinkingStyle::Template => {
            vec![("chat_template_kwargs", json!({ "enable_thinking": is_on }))]
        }
    };
    // Some that are switched on and off take a measure beside it, but only if they say so.
    members.extend(effort().filter(|_| takes_effort == Some(true)));
    members
}
