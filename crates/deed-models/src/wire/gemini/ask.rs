use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::is_third;
use crate::ModelSpec;
use crate::transcript::safe_text;
use crate::wire::Ask;

/// How long to think at each level, where that is told in tokens.
const BUDGETS: [(ThinkingLevel, u64); 6] = [
    (ThinkingLevel::Minimal, 512),
    (ThinkingLevel::Low, 2_048),
    (ThinkingLevel::Medium, 8_192),
    (ThinkingLevel::High, 16_384),
    (ThinkingLevel::Xhigh, 24_576),
    (ThinkingLevel::Max, 24_576),
];
/// The least that a model may think that always does.
///
/// Units: tokens. Source: Google's documentation of thinking, for Gemini 2.5 Pro.
const LEAST_OF_PRO: u64 = 128;

/// Returns the members of the body beside tools and contents.
pub(super) fn members(ask: &Ask<'_>) -> Map<String, Value> {
    let spec = ask.spec;
    let mut members = Map::new();
    if !ask.system.trim().is_empty() {
        let system = json!({ "parts": [{ "text": safe_text(ask.system) }] });
        members.insert("systemInstruction".to_owned(), system);
    }
    let mut config = Map::new();
    if spec.max_output_tokens > 0 {
        config.insert("maxOutputTokens".to_owned(), spec.max_output_tokens.into());
    }
    if !spec.thinking_levels.is_empty() {
        config.insert("thinkingConfig".to_owned(), thinking(spec, ask.thinking));
    }
    if !config.is_empty() {
        members.insert("generationConfig".to_owned(), Value::Object(config));
    }
    members
}

/// Says how much to think. Left to itself a model thinks as it likes, so `Off` is said too: most can
/// only be told to think little.
fn thinking(spec: &ModelSpec, level: ThinkingLevel) -> Value {
    let mut thinking = Map::new();
    if level != ThinkingLevel::Off {
        thinking.insert("includeThoughts".to_owned(), true.into());
    }
    if spec
        .quirks
        .adaptive_thinking
        .unwrap_or_else(|| is_third(spec))
    {
        thinking.insert("thinkingLevel".to_owned(), word(spec, level).into());
    } else {
        thinking.insert("thinkingBudget".to_owned(), budget(spec, level).into());
    }
    Value::Object(thinking)
}

fn word(spec: &ModelSpec, level: ThinkingLevel) -> String {
    if let Some(word) = spec.quirks.thinking_words.get(&level) {
        return word.clone();
    }
    let knows_minimal = spec.thinking_levels.contains(&ThinkingLevel::Minimal);
    let word = match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal if knows_minimal => "MINIMAL",
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "LOW",
        ThinkingLevel::Medium => "MEDIUM",
        ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => "HIGH",
    };
    word.to_owned()
}

fn budget(spec: &ModelSpec, level: ThinkingLevel) -> u64 {
    let row = BUDGETS.iter().find(|(known, _)| *known == level);
    match row {
        Some((_, budget)) => *budget,
        None if spec.id.contains("pro") => LEAST_OF_PRO,
        None => 0,
    }
}
