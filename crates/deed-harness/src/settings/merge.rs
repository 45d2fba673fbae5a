//! From the settings of two files to what holds.

use serde_json::{Map, Value};

use super::document::Entry;
use super::effective::EffectiveSetting;
use super::finding::{SettingsFinding, Severity};
use super::key::{SettingKey, SettingKind, WhoMaySet};
use super::table::SETTINGS;

/// Weighs the settings of the user against those of the project.
pub(crate) fn merge(
    user: &[Entry],
    project: &[Entry],
    findings: &mut Vec<SettingsFinding>,
) -> Vec<EffectiveSetting> {
    let settings = SETTINGS.iter().map(|key| {
        let (user, project) = (of(user, key), of(project, key));
        let project = project.filter(|project| !raises(key, user, project, findings));
        let value = match (user, project) {
            (None, None) => key.default.to_json(),
            (Some(only), None) | (None, Some(only)) => Some(over_default(key, only.value.clone())),
            (Some(user), Some(project)) => {
                Some(both(key, user.value.clone(), project.value.clone()))
            }
        };
        let counts_of_user = project.is_none_or(|project| joins(key.kind, &project.value));
        let given = project.into_iter().chain(user.filter(|_| counts_of_user));
        EffectiveSetting {
            key,
            value,
            origins: given.clone().map(|entry| entry.origin.clone()).collect(),
            given: given.map(|entry| entry.value.clone()).collect(),
        }
    });
    settings.collect()
}

fn of<'e>(entries: &'e [Entry], key: &SettingKey) -> Option<&'e Entry> {
    entries.iter().find(|entry| entry.key.path == key.path)
}

/// Tells whether a project raises what it may only lower, and reports it.
fn raises(
    key: &SettingKey,
    user: Option<&Entry>,
    project: &Entry,
    findings: &mut Vec<SettingsFinding>,
) -> bool {
    let own = user.map(|user| user.value.clone());
    let Some(own) = own.or_else(|| key.default.to_json()) else {
        return false;
    };
    if key.who != WhoMaySet::ProjectMayLower || !is_higher(&project.value, &own) {
        return false;
    }
    findings.push(SettingsFinding {
        severity: Severity::Ignored,
        file: project.origin.file.clone(),
        position: Some(project.origin.position),
        reason: format!(
            "`{}` in a project's file was ignored, for it is above yours, which is {own}; a project \
             may only lower it",
            key.path
        ),
    });
    true
}

/// Tells whether the values of both files are put together.
fn joins(kind: SettingKind, of_project: &Value) -> bool {
    match kind {
        SettingKind::Paths
        | SettingKind::TextByName
        | SettingKind::Providers
        | SettingKind::CountsByName(_) => true,
        SettingKind::ToolNames => only_changes(of_project),
        _ => false,
    }
}

fn both(key: &SettingKey, user: Value, project: Value) -> Value {
    match key.kind {
        kind if !joins(kind, &project) => project,
        SettingKind::Paths => joined(project, user),
        SettingKind::ToolNames => joined(over_default(key, user), project),
        _ => deep(user, project),
    }
}

/// Puts a list that only changes what is there behind what is there.
fn over_default(key: &SettingKey, value: Value) -> Value {
    match key.default.to_json() {
        Some(default) if key.kind == SettingKind::ToolNames && only_changes(&value) => {
            joined(default, value)
        }
        _ => value,
    }
}

fn only_changes(value: &Value) -> bool {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut texts = items.iter().filter_map(Value::as_str);
    !items.is_empty() && texts.all(|text| text.starts_with(['+', '-']))
}

fn is_higher(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one > other,
        _ => false,
    }
}

fn joined(first: Value, then: Value) -> Value {
    match (first, then) {
        (Value::Array(mut items), Value::Array(more)) => {
            items.extend(more);
            Value::Array(items)
        }
        (_, then) => then,
    }
}

fn deep(base: Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            let mut members: Map<String, Value> = base;
            for (name, value) in over {
                let value = match members.remove(&name) {
                    Some(base) => deep(base, value),
                    None => value,
                };
                members.insert(name, value);
            }
            Value::Object(members)
        }
        (_, over) => over,
    }
}
