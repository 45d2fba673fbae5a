use std::iter::Peekable;
use std::str::Chars;

use serde_json::value::RawValue;

use crate::args::RawArgs;

/// Reads a model's finished argument text, repairing the two slips that leave no doubt: raw control
/// characters inside strings are escaped, and a backslash that starts no escape is doubled.
///
/// Shape: a blank text, `null` and `""` are `{}`. A valid text comes back to the letter. There is no
/// partial reading: half an object is an error, never fewer fields.
///
/// Errors: what is still not one whole JSON object, in words for the model.
pub fn repair_arguments(text: &str) -> Result<RawArgs, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(RawArgs::empty());
    }
    let raw = serde_json::from_str::<Box<RawValue>>(text).or_else(|error| {
        serde_json::from_str::<Box<RawValue>>(&repaired(text))
            .map_err(|_| format!("the arguments are not valid JSON: {error}"))
    })?;
    let got = match raw.get().as_bytes().first() {
        Some(b'{') => return Ok(RawArgs(raw.into())),
        Some(b'n') => return Ok(RawArgs::empty()),
        Some(b'"') if raw.get() == "\"\"" => return Ok(RawArgs::empty()),
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        _ => "number",
    };
    Err(format!(
        "the arguments must be a JSON object, not a JSON {got}"
    ))
}

fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => copy_escape(&mut rest, &mut out),
            c if in_string && c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Copies the escape after a backslash, or doubles the backslash if none follows.
fn copy_escape(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('\\');
    match rest.peek().copied() {
        Some(c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
            rest.next();
            out.push(c);
        }
        Some('u') if four_hex_digits_follow(rest.clone()) => {}
        _ => out.push('\\'),
    }
}

fn four_hex_digits_follow(mut rest: Peekable<Chars<'_>>) -> bool {
    rest.next();
    rest.by_ref()
        .take(4)
        .filter(char::is_ascii_hexdigit)
        .count()
        == 4
}
