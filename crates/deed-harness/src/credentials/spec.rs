use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::settings::ProviderSettings;

/// How a key is got.
///
/// Shape: in the file of keys `{"key": "…"}`, `{"env": "NAME"}` or `{"command": "…"}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeySpec {
    /// It is this one.
    #[serde(rename = "key")]
    Literal(String),
    /// It is in this variable.
    #[serde(rename = "env")]
    Variable(String),
    /// This command prints it.
    #[serde(rename = "command")]
    Command(String),
}

impl KeySpec {
    /// Reads what the settings say: `env:NAME` (or `$NAME`, `${NAME}`), `!command`, or the key.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(command) = text.strip_prefix('!') {
            return Self::Command(command.trim().to_owned());
        }
        let braced = || text.strip_prefix("${")?.strip_suffix('}');
        let variable = text.strip_prefix("env:").or_else(braced).or_else(|| {
            let name = text.strip_prefix('$')?;
            is_variable_name(name).then_some(name)
        });
        match variable {
            Some(name) => Self::Variable(name.trim().to_owned()),
            None => Self::Literal(text.to_owned()),
        }
    }

    /// Returns the keys that the settings speak of, by provider.
    pub fn in_settings(providers: &ProviderSettings) -> BTreeMap<String, Self> {
        let keys = providers.0.iter().filter_map(|(name, provider)| {
            let key = provider.get("apiKey").and_then(Value::as_str)?;
            Some((name.clone(), Self::parse(key)))
        });
        keys.collect()
    }

    /// Returns a word for what it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Literal(_) => "key",
            Self::Variable(_) => "variable",
            Self::Command(_) => "command",
        }
    }
}

fn is_variable_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

impl fmt::Debug for KeySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(_) => f.write_str("Literal(…)"),
            Self::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
            // A command may hold a secret among its arguments.
            Self::Command(_) => f.write_str("Command(…)"),
        }
    }
}
