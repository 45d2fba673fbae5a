//! Keys of providers: from Pi's `auth.json`, and those that stand among its models.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Action, ImportKind, Plan};
use crate::credentials::{AuthFile, KeySpec};

const FILE: &str = "auth.json";

impl Plan<'_> {
    pub(super) fn keys(&mut self, auth: &AuthFile) {
        let theirs = self.object(FILE).unwrap_or_default();
        let in_models = std::mem::take(&mut self.provider_keys);
        if theirs.is_empty() && in_models.is_empty() {
            return;
        }
        let mut ours: BTreeSet<String> = match auth.load() {
            Ok(keys) => keys.into_keys().collect(),
            Err(error) => return self.skip(ImportKind::Key, FILE, error.to_string()),
        };
        let entries = theirs.iter().filter_map(|(provider, entry)| {
            let name = format!("{FILE}: {provider}");
            match key_of(entry) {
                Ok(key) => Some((provider.clone(), name, key)),
                Err(reason) => {
                    self.not_supported(ImportKind::Key, name, reason);
                    None
                }
            }
        });
        let entries: Vec<(String, String, KeySpec)> = entries.collect();
        let in_models = in_models.into_iter().map(|(provider, key)| {
            let name = format!("models.json: {provider}");
            (provider, name, key)
        });
        // Pi asks its file of keys before its models.
        for (provider, name, key) in entries.into_iter().chain(in_models) {
            if !ours.insert(provider.clone()) {
                self.skip(ImportKind::Key, name, "there is a key already");
                continue;
            }
            let note = (!self.knows(&provider)).then(|| {
                format!(
                    "Deed does not know it; describe it in the settings, as `providers.{provider}`"
                )
            });
            let taken = (auth.path().to_owned(), Action::Key(provider, key));
            self.take_with_note(ImportKind::Key, name, note, taken);
        }
    }
}

fn key_of(entry: &Value) -> Result<KeySpec, &'static str> {
    let fields = entry.as_object().ok_or("it is no object")?;
    let kind = fields.get("type").and_then(Value::as_str);
    match kind {
        Some("api_key") => {}
        Some("oauth") => {
            return Err(
                "signing in with an account is not in this version; set a key with `deed auth`",
            );
        }
        _ => return Err("it is no kind of key that Deed knows"),
    }
    let has_more = |fields: &Map<String, Value>| {
        fields
            .get("env")
            .and_then(Value::as_object)
            .is_some_and(|env| !env.is_empty())
    };
    if has_more(fields) {
        return Err("it needs further values beside the key, which Deed does not keep");
    }
    let key = fields.get("key").and_then(Value::as_str);
    key_spec(key.ok_or("it holds no key")?)
}

/// Reads a key as Pi does: `!command`, `$NAME` or `${NAME}`, or the key, in which `$$` and `$!`
/// stand for `$` and `!`.
pub(super) fn key_spec(text: &str) -> Result<KeySpec, &'static str> {
    if let Some(command) = text.strip_prefix('!') {
        return Ok(KeySpec::Command(command.trim().to_owned()));
    }
    let braced = || text.strip_prefix("${")?.strip_suffix('}');
    if let Some(name) = braced().or_else(|| text.strip_prefix('$'))
        && is_variable_name(name)
    {
        return Ok(KeySpec::Variable(name.to_owned()));
    }
    let literal = literal(text).ok_or("it is put together of several parts")?;
    match literal.is_empty() {
        true => Err("it is empty"),
        false => Ok(KeySpec::Literal(literal)),
    }
}

/// Takes the escapes out; `None` if a variable stands in the text.
pub(super) fn literal(text: &str) -> Option<String> {
    let mut read = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('$', Some(&escaped @ ('$' | '!'))) => {
                read.push(escaped);
                rest.next();
            }
            ('$', Some('{' | 'A'..='Z' | 'a'..='z' | '_')) => return None,
            _ => read.push(c),
        }
    }
    Some(read)
}

fn is_variable_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
    !name.is_empty() && !begins_with_digit && name.chars().all(is_part)
}
