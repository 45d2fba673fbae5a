use std::borrow::Cow;

use deed_agent::Redactor;
use deed_schema::canonical_json;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::bound::bounded;

/// Bytes of a name, an id or a word in JSON.
pub(super) const MAX_WORD_BYTES: usize = 320;
/// Bytes of the arguments in JSON.
pub(super) const MAX_ARGS_BYTES: usize = 4096;
/// Bytes of a reason or a comment in JSON.
pub(super) const MAX_PROSE_BYTES: usize = 2048;
const MAX_DETAIL_BYTES: usize = 3072;

/// Makes text fit for the record: known secrets out first, so that no cut can halve one.
pub(super) struct Scrub<'a>(pub(super) &'a dyn Redactor);

impl Scrub<'_> {
    pub(super) fn text<'t>(&self, text: &'t str, max_bytes: usize) -> Cow<'t, str> {
        bounded(self.redacted(text), max_bytes)
    }

    pub(super) fn word<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.text(text, MAX_WORD_BYTES)
    }

    /// Returns the canonical form of small facts; what is not small is named by its size.
    pub(super) fn detail(&self, facts: &Map<String, Value>) -> Option<Box<RawValue>> {
        if facts.is_empty() {
            return None;
        }
        let facts = Value::Object(self.redacted_facts(facts));
        let mut json = canonical_json(&facts);
        if json.len() > MAX_DETAIL_BYTES {
            json = canonical_json(&json!({ "cut_bytes": json.len() }));
        }
        serde_json::from_slice(&json).ok()
    }

    fn redacted_facts(&self, facts: &Map<String, Value>) -> Map<String, Value> {
        let scrubbed = facts
            .iter()
            .map(|(name, value)| (self.redacted(name).into_owned(), self.redacted_value(value)));
        scrubbed.collect()
    }

    fn redacted_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.redacted(text).into_owned().into(),
            Value::Array(items) => items.iter().map(|item| self.redacted_value(item)).collect(),
            Value::Object(facts) => self.redacted_facts(facts).into(),
            other => other.clone(),
        }
    }

    fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.redact_text(text)
    }
}
