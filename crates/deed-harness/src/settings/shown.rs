//! Values without what is secret in them.

use deed_guard::redact::known_from_url;
use serde_json::Value;

const HIDDEN: &str = "(hidden)";

/// Parts of the names of members whose texts are secret, in small letters.
const SECRET_PARTS: &[&str] = &[
    "key",
    "token",
    "secret",
    "password",
    "authorization",
    "cookie",
];

/// Takes keys and passwords out of a value; where a key comes from stays.
pub(crate) fn without_secrets(value: &Value) -> Value {
    match value {
        Value::String(text) => without_password(text).into(),
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        Value::Object(members) => {
            let shown = members.iter().map(|(name, value)| {
                let shown = match value {
                    Value::String(text) if is_secret(name) => source_of(text).into(),
                    other => without_secrets(other),
                };
                (name.clone(), shown)
            });
            Value::Object(shown.collect())
        }
        other => other.clone(),
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// Keeps the name of a variable and the program of a command.
fn source_of(text: &str) -> String {
    if text.starts_with("env:") || text.starts_with('$') {
        return text.to_owned();
    }
    match text.strip_prefix('!') {
        Some(command) => {
            let program = command.split_whitespace().next().unwrap_or_default();
            format!("!{program} …")
        }
        None => HIDDEN.to_owned(),
    }
}

fn without_password(text: &str) -> String {
    let passwords = known_from_url("", text);
    passwords.iter().fold(text.to_owned(), |text, password| {
        text.replace(&password.value, HIDDEN)
    })
}
