//! From the text of a file to the settings in it.

use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::effective::{Layer, Origin};
use super::finding::{Position, SettingsFinding, Severity};
use super::key::{SettingKey, WhoMaySet};
use super::nearest::nearest;
use super::paths::PathGround;
use super::table::SETTINGS;
use super::value;

/// The one key that is no setting: where editors find the schema.
const SCHEMA_KEY: &str = "$schema";

/// A setting as one file has it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: &'static SettingKey,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// What a file says.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) entries: Vec<Entry>,
    pub(crate) findings: Vec<SettingsFinding>,
}

/// Reads the text of a file.
pub(crate) fn read(layer: Layer, file: &Arc<str>, text: &str, ground: &PathGround) -> Document {
    let mut reading = Reading {
        layer,
        file,
        text,
        ground,
        document: Document::default(),
    };
    reading.root();
    let mut document = reading.document;
    document.findings.sort_by_key(|finding| finding.position);
    document
}

struct Reading<'a> {
    layer: Layer,
    file: &'a Arc<str>,
    text: &'a str,
    ground: &'a PathGround,
    document: Document,
}

impl Reading<'_> {
    fn root(&mut self) {
        // What editors of some systems put in front is no part of the text.
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        self.text = text;
        if text.trim().is_empty() {
            return;
        }
        match parse_to_ast(text, &CollectOptions::default(), &options()) {
            Ok(parsed) => match parsed.value {
                Some(Ast::Object(object)) => self.object("", &object),
                Some(other) => {
                    let reason = "settings are a JSON object `{…}`; write one";
                    self.find(Severity::Fault, other.range().start, reason);
                }
                // Only comments.
                None => {}
            },
            Err(error) => {
                let reason = format!("not JSON: {}; mend it here", error.kind());
                self.find(Severity::Fault, error.range().start, reason);
            }
        }
    }

    fn object(&mut self, path: &str, object: &Object<'_>) {
        let mut seen = Vec::with_capacity(object.properties.len());
        for member in &object.properties {
            let name = member.name.as_str();
            let path = match path {
                "" => name.to_owned(),
                outer => format!("{outer}.{name}"),
            };
            if seen.contains(&name) {
                let reason = format!("`{path}` is there twice; keep one of them");
                self.find(Severity::Fault, member.range.start, reason);
                continue;
            }
            seen.push(name);
            // With a dot in it, a name is that of no member.
            let key = SETTINGS.iter().find(|key| key.path == path);
            match key.filter(|_| !name.contains('.')) {
                Some(key) => self.setting(key, member),
                None => self.between(&path, name, member),
            }
        }
    }

    /// Takes a member that is no setting itself.
    fn between(&mut self, path: &str, name: &str, member: &ObjectProp<'_>) {
        let is_outer = !name.contains('.') && SETTINGS.iter().any(|key| key.is_below(path));
        match &member.value {
            _ if path == SCHEMA_KEY => {}
            Ast::Object(object) if is_outer => self.object(path, object),
            other if is_outer => {
                let reason = format!("`{path}` must be an object `{{…}}`");
                self.find(Severity::Fault, other.range().start, reason);
            }
            _ => {
                let reason = format!("`{path}` is no setting, and was ignored; {}", hint(path));
                self.find(Severity::Ignored, member.range.start, reason);
            }
        }
    }

    fn setting(&mut self, key: &'static SettingKey, member: &ObjectProp<'_>) {
        let start = member.range.start;
        if let (Layer::Project, WhoMaySet::User { because }) = (self.layer, key.who) {
            let reason = format!(
                "`{}` in a project's file was ignored, for {because}; it counts in your own \
                 settings only",
                key.path
            );
            return self.find(Severity::Ignored, start, reason);
        }
        let (value, found) = value::check(key.path, key.kind, &member.value, self.ground);
        for fault in found.faults {
            self.find(Severity::Fault, fault.at, fault.reason);
        }
        for fault in found.ignored {
            self.find(Severity::Ignored, fault.at, fault.reason);
        }
        let origin = Origin {
            layer: self.layer,
            file: self.file.clone(),
            position: Position::of(self.text, start),
        };
        let entry = |value| Entry { key, value, origin };
        self.document.entries.extend(value.map(entry));
    }

    fn find(&mut self, severity: Severity, at: usize, reason: impl Into<String>) {
        self.document.findings.push(SettingsFinding {
            severity,
            file: self.file.clone(),
            position: Some(Position::of(self.text, at)),
            reason: reason.into(),
        });
    }
}

/// JSON with comments and commas at ends, and nothing else.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Says what somebody may have meant who wrote a name that there is not.
pub(crate) fn hint(path: &str) -> String {
    if let Some(key) = SETTINGS.iter().find(|key| key.path == path) {
        let opened: String = key.names().map(|name| format!("{{\"{name}\": ")).collect();
        let closed = "}".repeat(key.names().count());
        return format!("write it as `{opened}…{closed}`");
    }
    let same = SETTINGS.iter().find(|key| key.elsewhere.contains(&path));
    let similar = || {
        let found = nearest(path, SETTINGS.iter().map(|key| key.path));
        found.or_else(|| {
            // Somebody may have left the outer names out.
            let is_inner = |key: &&SettingKey| key.names().next_back() == Some(path);
            SETTINGS.iter().find(is_inner).map(|key| key.path)
        })
    };
    match same.map(|key| key.path).or_else(similar) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`deed config` lists all there are".to_owned(),
    }
}
