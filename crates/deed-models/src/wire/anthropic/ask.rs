use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::version::{ADAPTIVE, BOUND, KNOWS_XHIGH, THINKS_UNASKED, Version};
use super::{is_anthropic, marks_cache};
use crate::ModelSpec;
use crate::transcript::safe_text;
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
const BUDGETS: [(ThinkingLevel, u64); 6] = [
    (ThinkingLevel::Minimal, MIN_BUDGET),
    (ThinkingLevel::Low, 4_096),
    (ThinkingLevel::Medium, 10_240),
    (ThinkingLevel::High, 20_480),
    (ThinkingLevel::Xhigh, 32_768),
    (ThinkingLevel::Max, 65_536),
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
        set("system", system(&safe_text(ask.system), marks_cache(spec)));
    }
    if !spec.thinking_levels.is_empty() {
        for (name, value) in thinking(spec, ask.thinking, max_tokens) {
            set(name, value);
        }
    }
    members
}

/// Says how much to think.
fn thinking(spec: &ModelSpec, level: ThinkingLevel, max_tokens: u64) -> Vec<(&'static str, Value)> {
    let is_off = level == ThinkingLevel::Off;
    if !is_adaptive(spec) {
        let budget = budget(level, max_tokens);
        let enabled = |tokens| json!({ "type": "enabled", "budget_tokens": tokens });
        let thinking = budget.map(|tokens| ("thinking", enabled(tokens)));
        return thinking.into_iter().collect();
    }
    match rest(spec) {
        Rest::Quiet if is_off => return Vec::new(),
        Rest::Told if is_off => return vec![("thinking", json!({ "type": "disabled" }))],
        _ => {}
    }
    let mut thinking = Map::new();
    thinking.insert("type".to_owned(), "adaptive".into());
    if !is_off {
        // Without it newer models show nothing of what they think.
        thinking.insert("display".to_owned(), "summarized".into());
    }
    if is_bound(spec) {
        // A prompt or a tool that changed must cost the thoughts before it, not the session.
        let behavior = json!({ "prefix_mismatch_behavior": "drop_block" });
        thinking.insert("block_binding".to_owned(), behavior);
    }
    let effort = json!({ "effort": effort(spec, level) });
    vec![
        ("thinking", Value::Object(thinking)),
        ("output_config", effort),
    ]
}

/// How a model is kept from thinking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// By saying nothing.
    Quiet,
    /// By telling it.
    Told,
    /// Not at all: it can only be told to make little effort.
    Never,
}

/// Source: Anthropic's pages on what is new in each model.
fn rest(spec: &ModelSpec) -> Rest {
    let said = spec.quirks.thinking_words.get(&ThinkingLevel::Off);
    let Some(version) = Version::of(&spec.id) else {
        return Rest::Quiet;
    };
    match said.map(String::as_str) {
        Some("disabled") => Rest::Told,
        Some(_) => Rest::Never,
        None if version < THINKS_UNASKED => Rest::Quiet,
        None if ["fable", "mythos"].iter().any(|it| spec.id.contains(it)) => Rest::Never,
        None if version >= BOUND && !is_haiku(spec) => Rest::Never,
        None => Rest::Told,
    }
}

/// Tells whether a model refuses a thought that does not stand where it stood, unless it may drop it.
pub(super) fn is_bound(spec: &ModelSpec) -> bool {
    let is_late = Version::of(&spec.id).is_some_and(|version| version >= BOUND);
    is_late && !is_haiku(spec) && is_anthropic(spec)
}

fn is_haiku(spec: &ModelSpec) -> bool {
    spec.id.contains("haiku")
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
        ThinkingLevel::Xhigh | ThinkingLevel::Max => "max",
    }
}

/// Returns how long to think. Thinking counts as output: a quarter of that is kept for the answer.
fn budget(level: ThinkingLevel, max_tokens: u64) -> Option<u64> {
    let (_, wanted) = BUDGETS.iter().find(|(known, _)| *known == level)?;
    let most = max_tokens - max_tokens / 4;
    let budget = (*wanted).min(most);
    (budget >= MIN_BUDGET && budget < max_tokens).then_some(budget)
}
