use serde_json::{Map, Value};

/// Pi's words for where a server differs, and ours.
///
/// Source: Pi's documentation of `models.json`.
const WORDS: &[(&str, &str)] = &[
    ("supportsStore", "store"),
    ("supportsDeveloperRole", "developerRole"),
    ("supportsReasoningEffort", "reasoningEffort"),
    ("supportsUsageInStreaming", "usageInStream"),
    ("supportsStrictMode", "strictTools"),
    ("maxTokensField", "maxTokensField"),
    ("requiresToolResultName", "toolResultName"),
    ("requiresMistralToolIds", "shortCallIds"),
    ("supportsPromptCacheKey", "cacheKey"),
];

/// Pi's words for how a server is told to think, and ours.
const STYLES: &[(&str, &str)] = &[
    ("openai", "effort"),
    ("openrouter", "nested"),
    ("deepseek", "toggle"),
    ("zai", "toggle"),
    ("qwen", "enable"),
    ("qwen-chat-template", "template"),
];

/// Returns what Pi's words mean here; those that mean nothing here are left out.
pub(super) fn quirks(compat: &Map<String, Value>) -> Map<String, Value> {
    let mut quirks = Map::new();
    for (theirs, ours) in WORDS {
        if let Some(value) = compat.get(*theirs) {
            quirks.insert((*ours).to_owned(), value.clone());
        }
    }
    let style = compat.get("thinkingFormat").and_then(Value::as_str);
    let row = STYLES.iter().find(|(theirs, _)| style == Some(theirs));
    if let Some((_, ours)) = row {
        quirks.insert("thinkingStyle".to_owned(), (*ours).into());
    }
    quirks
}
