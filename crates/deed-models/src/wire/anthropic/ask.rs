use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::marks_cache;
use super::version::{ADAPTIVE, KNOWS_XHIGH, Version};
use crate::ModelSpec;
use crate::wire::Ask;

/// What a model may write where nothing is known of it: the interface wants a limit.
///
/// Units: tokens. Source: the smallest limit of the models that are still served.
const DEFAULT_MAX_TOKENS: u64 = 8_192;
/// The least a model may be told to think.
///
/// Units: tokens. Source: Anthropic's documentation of extended thinking.
const MIN_BUDGET: u64 = 1_024;

/// How long to think at each level, where that is told in tokens.
const BUDGETS: [(ThinkingLevel, u64); 5] = [
    (ThinkingLevel::Minimal, MIN_BUDGET),
    (ThinkingLevel::Low, 4_096),
    (ThinkingLevel::Medium, 10_240),
    (ThinkingLevel::High, 20_480),
    (ThinkingLevel::Xhigh, 32_768),
];

/// Returns the members of the body beside tools and messages.
pub(super) fn members(ask: &Ask<'_>) -> Map<String, Value> {
    let spec = ask.spec;
    let max_tokens = match spec.max_output_tokens {
        0 => DEFAULT_MAX_TOKENS,
        known => known,
    };
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| {
        members.insert(name.to_owned(), value);
    };
    set("model", Value::from(&*spec.id));
    set("max_tokens", max_tokens.into());
    set("stream", true.into());
    if !ask.system.trim().is_empty() {
        set("system", system(ask.system, marks_cache(spec)));
    }
    if ask.thinking == ThinkingLevel::Off || spec.thinking_levels.is_empty() {
        return members;
    }
    if is_adaptive(spec) {
        // Without the second word newer models show nothing of what they think.
        set(
            "thinking",
            json!({ "type": "adaptive", "display": "summarized" }),
        );
        set(
            "output_config",
            json!({ "effort": effort(spec, ask.thinking) }),
        );
    } else if let Some(budget) = budget(ask.thinking, max_tokens) {
        set(
            "thinking",
            json!({ "type": "enabled", "budget_tokens": budget }),
        );
    }
    members
}

/// Writes the system prompt. A mark on it covers the tools too, which come before it.
fn system(text: &str, is_marked: bool) -> Value {
    let mut block = json!({ "type": "text", "text": text });
    if is_marked && let Some(members) = block.as_object_mut() {
        members.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
    json!([block])
}

/// Tells whether a model is told how much effort to make, and not how long to think.
pub(super) fn is_adaptive(spec: &ModelSpec) -> bool {
    let by_version = || Version::of(&spec.id).is_some_and(|version| version >= ADAPTIVE);
    spec.quirks.adaptive_thinking.unwrap_or_else(by_version)
}

/// Returns the word for a level.
fn effort(spec: &ModelSpec, level: ThinkingLevel) -> &str {
    if let Some(word) = spec.quirks.thinking_words.get(&level) {
        return word;
    }
    let knows_xhigh = Version::of(&spec.id).is_none_or(|version| version >= KNOWS_XHIGH);
    match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High => "high",
        ThinkingLevel::Xhigh if knows_xhigh => "xhigh",
        ThinkingLevel::Xhigh => "max",
    }
}

/// Returns how long to think. Thinking counts as output: a quarter of that is kept for the answer.
fn budget(level: ThinkingLevel, max_tokens: u64) -> Option<u64> {
    let (_, wanted) = BUDGETS.iter().find(|(known, _)| *known == level)?;
    let most = max_tokens - max_tokens / 4;
    let budget = (*wanted).min(most);
    (budget >= MIN_BUDGET && budget < max_tokens).then_some(budget)
}
