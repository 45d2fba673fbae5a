use deed_env::file::Replaced;
use deed_protocol::ToolResult;
use serde_json::{Map, Value};

use super::EditParams;
use super::change::Change;

/// Words what was done.
pub(super) fn text(params: &EditParams, change: &Change, replaced: &Replaced) -> ToolResult {
    let count = params.edits.len();
    let noun = if count == 1 {
        "replacement"
    } else {
        "replacements"
    };
    let mut text = format!("Edited {}: {count} {noun}.", params.path);
    for (index, line) in &change.tolerant {
        let which = match count {
            1 => "The old text".to_owned(),
            _ => format!("The old text of edits[{index}]"),
        };
        text.push_str(&format!(
            " {which} was not there exactly; what looks the same at line {line} was taken for it \
             (quotes, dashes, spaces or blanks at line ends differ), and the file's own characters \
             were kept where the new text has the same."
        ));
    }
    if !change.idle.is_empty() {
        let idle: Vec<String> = change
            .idle
            .iter()
            .map(|index| format!("edits[{index}]"))
            .collect();
        text.push_str(&format!(" Nothing to change in {}.", idle.join(", ")));
    }
    if change.mixes_encodings {
        text.push_str(
            " The file is not in UTF-8, and what the new text holds beyond ASCII was written in \
             UTF-8: see whether what reads the file takes that.",
        );
    }
    if replaced.atomic == Some(false) {
        text.push_str(" The file was overwritten in place.");
    }
    ToolResult::text(text).with_details(details(params, change, replaced))
}

fn details(params: &EditParams, change: &Change, replaced: &Replaced) -> Value {
    let mut details = Map::new();
    details.insert("diff".to_owned(), change.diff.display().into());
    details.insert("patch".to_owned(), change.diff.patch(&params.path).into());
    if let Some(line) = change.diff.first_changed_line_1based() {
        details.insert("firstChangedLine".to_owned(), line.into());
    }
    if let Some(atomic) = replaced.atomic {
        details.insert("atomic".to_owned(), atomic.into());
    }
    if !change.tolerant.is_empty() {
        let indexes: Vec<usize> = change.tolerant.iter().map(|(index, _)| *index).collect();
        details.insert("tolerantEdits".to_owned(), indexes.into());
    }
    Value::Object(details)
}
