use deed_agent::{Access, FrozenCall};
use deed_schema::Sha256Hash;
use serde_json::Value;

use crate::visible::{doubts, visible};

/// A frozen call as a person is shown it: every line, nothing hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownCall {
    /// The tool and where it comes from.
    pub title: String,
    /// The call, line by line.
    pub lines: Vec<String>,
    /// What may deceive the eye, and what a rule warns of.
    pub warnings: Vec<String>,
}

impl ShownCall {
    /// Writes a call down.
    pub fn of(call: &FrozenCall) -> Self {
        let (source, name) = (call.source(), &call.call().name);
        let title = match source.source.as_ref() {
            "builtin" => visible(name).into_owned(),
            _ => format!("{} from {}", visible(name), visible(&source.path)),
        };
        let mut lines = place(&call.plan().access);
        let args = call.args().value();
        match args.as_object() {
            Some(members) => {
                for (name, value) in members {
                    add(&mut lines, name, value);
                }
            }
            None => add(&mut lines, "arguments", args),
        }
        Self {
            title,
            lines,
            warnings: all_doubts(args),
        }
    }

    /// Returns the whole text, which is what the display hash is over.
    pub fn text(&self) -> String {
        let mut text = self.title.clone();
        let warnings = self.warnings.iter().map(|warning| format!("! {warning}"));
        for line in self.lines.iter().cloned().chain(warnings) {
            text.push('\n');
            text.push_str(&line);
        }
        text
    }

    /// Returns the SHA-256 of the whole text.
    pub fn sha256(&self) -> Sha256Hash {
        Sha256Hash::of(self.text().as_bytes())
    }
}

/// Says where the call really acts, which its arguments may not tell.
fn place(access: &Access) -> Vec<String> {
    let paths = |word: &str, paths: &[std::path::PathBuf]| {
        let line =
            |path: &std::path::PathBuf| format!("{word} {}", visible(&path.display().to_string()));
        paths.iter().map(line).collect()
    };
    match access {
        Access::None | Access::Opaque => Vec::new(),
        Access::Read(read) => paths("reads", read),
        Access::Write(written) => paths("writes", written),
        Access::Command { cwd, .. } => {
            vec![format!("runs in {}", visible(&cwd.display().to_string()))]
        }
        Access::Sql { database, .. } => vec![format!("on database {}", visible(database))],
        Access::Network { host } => vec![format!("talks to {}", visible(host))],
    }
}

fn add(lines: &mut Vec<String>, name: &str, value: &Value) {
    let name = visible(name);
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
        }
        plain => plain.to_string(),
    };
    if text.contains('\n') {
        lines.push(format!("{name}:"));
        // Not `lines()`, which drops a carriage return before the line break.
        let inner = text.strip_suffix('\n').unwrap_or(&text).split('\n');
        lines.extend(inner.map(|line| format!("  {}", visible(line))));
    } else {
        lines.push(format!("{name}: {}", visible(&text)));
    }
}

fn all_doubts(args: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![args];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.extend(doubts(text)),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().flat_map(|name| doubts(name)));
                open.extend(members.values());
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}
