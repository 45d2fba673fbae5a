//! Values without what is secret in them.

use deed_guard::redact::{KnownSecret, known_from_url};
use serde_json::Value;

const HIDDEN: &str = "(hidden)";

/// How names of members end whose texts are secret, in small letters.
const SECRET_ENDS: &[&str] = &[
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

/// Finds texts under names that tell a secret, and passwords in URLs, wherever they are.
pub(crate) fn secrets_in(kind: &str, value: &Value, found: &mut Vec<KnownSecret>) {
    match value {
        Value::String(text) => found.extend(known_from_url(kind, text)),
        Value::Array(items) => items.iter().for_each(|item| secrets_in(kind, item, found)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if is_secret(name) && source_of(text) == HIDDEN => {
                        found.push(KnownSecret {
                            kind: kind.to_owned(),
                            value: text.clone(),
                        });
                    }
                    other => secrets_in(kind, other, found),
                }
            }
        }
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_ENDS.iter().any(|end| name.ends_with(end))
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
