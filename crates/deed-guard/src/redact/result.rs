//! Redaction of values and results.

use deed_protocol::{ContentBlock, ToolResult};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{SecretRedactor, shapes};

impl SecretRedactor {
    /// Redacts every string of a JSON value, names of members too.
    pub fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                self.redact_string(text);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(members) => self.redact_members(members),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Redacts the text and the details of a result; pictures stay.
    pub fn redact_result(&self, result: &mut ToolResult) {
        for block in &mut result.content {
            match block {
                ContentBlock::Text(block) => {
                    self.redact_string(&mut block.text);
                }
                ContentBlock::Unknown(raw) => self.redact_raw(raw),
                _ => {}
            }
        }
        if let Some(details) = &mut result.details {
            self.redact_value(details);
        }
    }

    fn redact_string(&self, text: &mut String) -> bool {
        let clean = self.redact_text(text);
        let is_changed = clean != text.as_str();
        if is_changed {
            *text = clean.into_owned();
        }
        is_changed
    }

    /// A name that says password makes its value one, which neither string shows alone.
    fn redact_members(&self, members: &mut Map<String, Value>) {
        for (name, value) in members.iter_mut() {
            let Value::String(text) = value else {
                self.redact_value(value);
                continue;
            };
            if !self.redact_string(text) && shapes::is_assigned_secret(name, text) {
                let marker = self.shared.markers.of_seen(shapes::ASSIGNED, text);
                *text = marker.as_ref().to_owned();
            }
        }
        let is_clean = |name: &String| self.redact_text(name) == name.as_str();
        if !members.keys().all(is_clean) {
            let renamed = std::mem::take(members).into_iter();
            members
                .extend(renamed.map(|(name, value)| (self.redact_text(&name).into_owned(), value)));
        }
    }

    fn redact_raw(&self, raw: &mut Box<RawValue>) {
        let Ok(before) = serde_json::from_str::<Value>(raw.get()) else {
            return;
        };
        let mut after = before.clone();
        self.redact_value(&mut after);
        if before != after
            && let Ok(clean) = serde_json::value::to_raw_value(&after)
        {
            *raw = clean;
        }
    }
}
