use std::borrow::Cow;

use deed_protocol::{ContentBlock, ToolResult};
use serde_json::Value;

/// Takes known secrets out of what leaves a tool.
pub trait Redactor: Send + Sync + 'static {
    /// Begins a stream of bytes; `None` if there is nothing to take out.
    fn stream(&self) -> Option<Box<dyn RedactStream>>;

    /// Takes secrets out of a text that leaves for the model, the session or the audit.
    ///
    /// By default what [`Redactor::stream`] takes out.
    fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(mut stream) = self.stream() else {
            return Cow::Borrowed(text);
        };
        let mut redacted = stream.push(text.as_bytes()).into_owned();
        redacted.extend(stream.finish());
        if redacted == text.as_bytes() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(String::from_utf8_lossy(&redacted).into_owned())
        }
    }

    /// Takes secrets out of all texts of a value, names of members included.
    fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.redact_text(text) {
                    *text = redacted;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(members) => {
                let is_unclean = |name: &String| matches!(self.redact_text(name), Cow::Owned(_));
                if members.keys().any(is_unclean) {
                    *members = std::mem::take(members)
                        .into_iter()
                        .map(|(name, value)| (self.redact_text(&name).into_owned(), value))
                        .collect();
                }
                members
                    .values_mut()
                    .for_each(|value| self.redact_value(value));
            }
            _ => {}
        }
    }

    /// Takes secrets out of texts and details; pictures stay as they are.
    fn redact_result(&self, result: &mut ToolResult) {
        for block in &mut result.content {
            if let ContentBlock::Text(text) = block
                && let Cow::Owned(redacted) = self.redact_text(&text.text)
            {
                text.text = redacted;
            }
        }
        if let Some(details) = &mut result.details {
            self.redact_value(details);
        }
    }
}

/// Takes known secrets out of a stream of bytes, also where one is cut in two.
pub trait RedactStream: Send + 'static {
    /// Takes the next bytes and returns what may leave now.
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]>;

    /// Returns what was held back.
    fn finish(&mut self) -> Vec<u8>;
}

/// Knows no secret.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeepAll;

impl Redactor for KeepAll {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        None
    }

    fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }

    fn redact_value(&self, _value: &mut Value) {}

    fn redact_result(&self, _result: &mut ToolResult) {}
}
