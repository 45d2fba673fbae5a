//! What the settings say of providers, checked where it stands.

use deed_models::catalogue::{OverrideError, Overrides};
use jsonc_parser::ast::{Object, Value as Ast};
use serde_json::{Value, json};

use super::nearest::nearest;
use super::value::Fault;

/// What may be said of a provider.
pub(crate) const PROVIDER: &[&str] = &[
    "name",
    "baseUrl",
    "api",
    "apiKey",
    "keyVariables",
    "headers",
    "extraBody",
    "quirks",
    "compat",
    "isLocal",
    "defaultModel",
    "modelDefaults",
    "models",
    "modelOverrides",
];

/// What may be said of a model.
pub(crate) const MODEL: &[&str] = &[
    "id",
    "name",
    "api",
    "baseUrl",
    "headers",
    "extraBody",
    "contextWindow",
    "maxTokens",
    "maxOutputTokens",
    "input",
    "reasoning",
    "thinkingLevels",
    "thinkingLevelMap",
    "cost",
    "quirks",
    "compat",
];

/// Reports what no provider and no model has.
pub(crate) fn unknown(provider: &str, object: &Object<'_>, ignored: &mut Vec<Fault>) {
    let whose = format!("providers.{provider}");
    names(&whose, object, PROVIDER, ignored);
    for member in &object.properties {
        let whose = format!("{whose}.{}", member.name.as_str());
        match (member.name.as_str(), &member.value) {
            ("modelDefaults", Ast::Object(model)) => names(&whose, model, MODEL, ignored),
            ("models", Ast::Array(models)) => {
                let models = models.elements.iter().filter_map(Ast::as_object);
                models.for_each(|model| names(&whose, model, MODEL, ignored));
            }
            ("modelOverrides", Ast::Object(models)) => {
                let models = models.properties.iter();
                let models = models.filter_map(|member| member.value.as_object());
                models.for_each(|model| names(&whose, model, MODEL, ignored));
            }
            _ => {}
        }
    }
}

/// Says what is wrong with what is said of a provider.
pub(crate) fn wrong(provider: &str, value: &Value) -> Option<String> {
    match Overrides::read(&json!({ provider: value })) {
        Err(OverrideError::Provider { why, .. }) => Some(without_values(&why)),
        _ => None,
    }
}

fn names(whose: &str, object: &Object<'_>, known: &[&str], ignored: &mut Vec<Fault>) {
    for member in &object.properties {
        let name = member.name.as_str();
        if known.contains(&name) {
            continue;
        }
        let hint = match nearest(name, known.iter().copied()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("there are `{}`", known.join("`, `")),
        };
        ignored.push(Fault {
            at: member.range.start,
            reason: format!("`{whose}.{name}` is no setting, and was ignored; {hint}"),
        });
    }
}

/// Takes what is quoted out of a message: it may be a key.
fn without_values(message: &str) -> String {
    let mut shown = String::new();
    let (mut is_quoted, mut is_escaped) = (false, false);
    for letter in message.chars() {
        match letter {
            '"' if !is_escaped => {
                is_quoted = !is_quoted;
                shown.push_str(if is_quoted { "\"…" } else { "\"" });
            }
            _ if is_quoted => {}
            other => shown.push(other),
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    shown
}
