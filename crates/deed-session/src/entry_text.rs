//! Reading the text of an entry, as tolerantly as Pi does where it can be.

use std::borrow::Cow;

use deed_protocol::Entry;
use serde_json::Value;

use crate::index::Kind;

/// Reads an entry.
///
/// Half a surrogate pair, which JavaScript can write, stands as U+FFFD; a message whose content is
/// missing has empty content.
///
/// Errors: it is no entry of its type.
pub(crate) fn read_entry(kind: Kind, text: &str) -> serde_json::Result<Entry> {
    let error = match read_plain(kind, text) {
        Ok(entry) => return Ok(entry),
        Err(error) => error,
    };
    let text = with_whole_pairs(text);
    if let Cow::Owned(text) = &text
        && let Ok(entry) = read_plain(kind, text)
    {
        return Ok(entry);
    }
    let mut value: Value = serde_json::from_str(&text)?;
    let fields = value.get_mut("message").and_then(Value::as_object_mut);
    let Some(fields) = fields.filter(|it| it.get("content").is_none_or(Value::is_null)) else {
        return Err(error);
    };
    fields.insert("content".to_owned(), Value::Array(Vec::new()));
    read_plain(kind, &value.to_string())
}

fn read_plain(kind: Kind, text: &str) -> serde_json::Result<Entry> {
    // The type of most is known: they are read at once, without looking for it first.
    match kind {
        Kind::Message(_) => serde_json::from_str(text).map(Entry::Message),
        _ => serde_json::from_str(text),
    }
}

/// Replaces escapes of half a surrogate pair.
pub(crate) fn with_whole_pairs(text: &str) -> Cow<'_, str> {
    let mut whole = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let start = at + found;
        let unit = escaped_unit(text, start);
        at = start + 2;
        match unit {
            Some(0xd800..=0xdbff) if is_low(escaped_unit(text, start + 6)) => at = start + 12,
            Some(0xd800..=0xdfff) => {
                whole.push_str(text.get(copied..start).unwrap_or_default());
                whole.push_str("\\ufffd");
                at = start + 6;
                copied = at;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    whole.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(whole)
}

fn is_low(unit: Option<u16>) -> bool {
    matches!(unit, Some(0xdc00..=0xdfff))
}

/// Reads an escape such as `\ud83d`.
fn escaped_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}
