//! Pi's settings and models, which become one file here.

mod models;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Action, ImportKind, Plan};
use crate::settings::{Layer, PathGround, SETTINGS, SettingKey, SettingKind, read_document};

const FILE: &str = "settings.json";

/// Settings of Pi that are not taken though Deed has such a one, and why.
const LEFT: &[(&str, &str)] = &[
    ("sessionDir", "sessions are copied into Deed's own folder"),
    (
        "extensions",
        "extensions are programs; look at them, then name them in the settings or with --extension",
    ),
];

/// Tools that only Pi has.
const TOOLS_OF_PI: [&str; 2] = ["codemode", "tool_search"];

impl Plan<'_> {
    pub(super) fn settings(&mut self) {
        let Some(theirs) = self.object(FILE) else {
            return;
        };
        self.pi_sessions = self.session_folder(&theirs);
        self.members("", &theirs);
    }

    fn session_folder(&self, theirs: &Map<String, Value>) -> PathBuf {
        let named = theirs.get("sessionDir").and_then(Value::as_str);
        let named = named.filter(|named| !named.is_empty());
        let default = || self.places.pi.join("sessions");
        named.map_or_else(default, |named| self.path_of(named))
    }

    /// Makes a path of Pi's settings absolute.
    fn path_of(&self, written: &str) -> PathBuf {
        match (written.strip_prefix("~/"), &self.places.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.places.pi.join(written),
        }
    }

    fn members(&mut self, outer: &str, members: &Map<String, Value>) {
        for (name, value) in members {
            let path = match outer {
                "" => name.clone(),
                outer => format!("{outer}.{name}"),
            };
            let is_same = |key: &&SettingKey| key.path == path || key.elsewhere.contains(&&*path);
            let left = LEFT.iter().find(|(key, _)| *key == path);
            match (left, SETTINGS.iter().find(is_same), value) {
                (_, _, _) if path == "$schema" => {}
                (Some((_, reason)), ..) => self.skip(ImportKind::Setting, path, *reason),
                (None, Some(key), _) => self.setting(key, path, value),
                (None, None, Value::Object(inner)) => self.members(&path, inner),
                (None, None, _) => {
                    let reason = "Deed has no such setting";
                    self.not_supported(ImportKind::Setting, path, reason);
                }
            }
        }
    }

    fn setting(&mut self, key: &'static SettingKey, path: String, value: &Value) {
        let (value, note) = self.translated(key, value);
        if let Err(reason) = check(key, &value, &self.places.config) {
            return self.skip(ImportKind::Setting, path, reason);
        }
        let to = self.places.config.join(FILE);
        if to.symlink_metadata().is_ok() {
            let reason = already(&to, key.path);
            return self.skip(ImportKind::Setting, path, reason);
        }
        put(&mut self.settings, key, value);
        let taken = (to, Action::Settings);
        self.take_with_note(ImportKind::Setting, path, note, taken);
    }

    fn translated(&self, key: &SettingKey, value: &Value) -> (Value, Option<String>) {
        match key.kind {
            SettingKind::Count { .. } if value == "disabled" => (json!(0), None),
            SettingKind::Paths => self.paths(value),
            SettingKind::ToolNames => without(value, |name| {
                TOOLS_OF_PI.contains(&name.trim_start_matches(['+', '-']))
            }),
            _ => (value.clone(), None),
        }
    }

    fn paths(&self, value: &Value) -> (Value, Option<String>) {
        let is_pattern = |name: &str| name.starts_with(['!', '+', '-']) || name.contains('*');
        let (kept, note) = without(value, is_pattern);
        let Value::Array(kept) = kept else {
            return (kept, note);
        };
        let absolute = kept.iter().filter_map(Value::as_str).map(|path| {
            let path = self.path_of(path);
            Value::from(path.display().to_string())
        });
        (absolute.collect(), note)
    }
}

/// Says what to do by hand; the value may hold a password and is not told.
fn already(file: &Path, key: &str) -> String {
    format!(
        "{} is there already; set `{key}` in it yourself",
        file.display()
    )
}

/// Leaves names out of a list, and says which.
fn without(value: &Value, is_left_out: impl Fn(&str) -> bool) -> (Value, Option<String>) {
    let Value::Array(names) = value else {
        return (value.clone(), None);
    };
    let is_out = |name: &&Value| name.as_str().is_some_and(&is_left_out);
    let out: Vec<&str> = names
        .iter()
        .filter(is_out)
        .filter_map(Value::as_str)
        .collect();
    let note = (!out.is_empty()).then(|| format!("without {}", out.join(", ")));
    let kept = names.iter().filter(|name| !is_out(name)).cloned();
    (kept.collect(), note)
}

/// Tells whether Deed would take a value.
///
/// Errors: why not.
fn check(key: &SettingKey, value: &Value, config: &Path) -> Result<(), String> {
    let ground = PathGround {
        base: config.to_owned(),
        home: None,
        bounds: None,
    };
    let file: Arc<str> = FILE.into();
    let text = nested(key, value.clone()).to_string();
    let read = read_document(Layer::User, &file, &text, &ground);
    match read.findings.into_iter().next() {
        None => Ok(()),
        Some(finding) => Err(finding.reason),
    }
}

fn nested(key: &SettingKey, value: Value) -> Value {
    let mut object = Map::new();
    put(&mut object, key, value);
    Value::Object(object)
}

fn put(object: &mut Map<String, Value>, key: &SettingKey, value: Value) {
    let mut names = key.names();
    let Some(last) = names.next_back() else {
        return;
    };
    let mut inner = object;
    for name in names {
        let member = inner.entry(name).or_insert_with(|| json!({}));
        match member {
            Value::Object(next) => inner = next,
            // Two settings cannot be a value and an object of the same name.
            _ => return,
        }
    }
    inner.insert(last.to_owned(), value);
}
