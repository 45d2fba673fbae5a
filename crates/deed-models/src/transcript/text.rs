use std::borrow::Cow;

use deed_protocol::{ContentBlock, UserContent};

const NUL: char = '\0';
const REPLACEMENT: &str = "\u{fffd}";

/// What a message that says nothing says.
pub(super) const EMPTY_MESSAGE: &str = "(empty message)";
/// What the result of a tool says that gave nothing.
pub(super) const NO_OUTPUT: &str = "(no output)";
/// What stands for the result of a call that has none.
pub(super) const NO_RESULT: &str = "No result of this call is on record: it may have run, in part or not at all. Look before relying on either.";

/// Returns a text without NUL, which some providers refuse even when it is escaped.
pub fn safe_text(text: &str) -> Cow<'_, str> {
    if memchr::memchr(0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(NUL, REPLACEMENT))
}

/// Tells whether a text holds nothing that a provider would count as text.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns the text of a content, blocks joined by newlines.
pub(super) fn joined(content: &UserContent) -> Cow<'_, str> {
    match content {
        UserContent::Text(text) => safe_text(text),
        UserContent::Blocks(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
            match texts.as_slice() {
                [only] => safe_text(only),
                several => Cow::Owned(safe_text(&several.join("\n")).into_owned()),
            }
        }
    }
}

/// Returns arguments as a JSON object that every reader takes: what is no object is an empty one, and
/// escapes that stand for no character (half a surrogate pair, NUL) stand for U+FFFD.
pub(super) fn safe_arguments(json: &str) -> Cow<'_, str> {
    if !json.starts_with('{') {
        return Cow::Borrowed("{}");
    }
    if memchr::memmem::find(json.as_bytes(), b"\\u").is_none() {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (written, after) = one_escape(escape);
        out.push_str(written);
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Splits the escape off that a text begins with, replaced if it stands for no character.
fn one_escape(text: &str) -> (&str, &str) {
    const SHORT: usize = 2;
    const LONG: usize = 6;
    let split = |length: usize| text.split_at_checked(length).unwrap_or((text, ""));
    match (unit_of(text), text.get(LONG..).and_then(unit_of)) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => split(2 * LONG),
        (Some(0 | 0xd800..=0xdfff), _) => ("\\ufffd", split(LONG).1),
        (Some(_), _) => split(LONG),
        (None, _) => split(SHORT),
    }
}

/// Reads the code unit of a `\u` escape at the start.
fn unit_of(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
