use std::collections::BTreeSet;

use deed_protocol::{CompactionEntry, Message};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The files that a history read and changed, each once and sorted.
///
/// Shape: as `details` of a compaction or branch summary, `{readFiles, modifiedFiles}`; a file that
/// was changed does not count as read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileLists {
    /// Those that were only read.
    #[serde(default)]
    pub read_files: Vec<String>,
    /// Those that were changed.
    #[serde(default)]
    pub modified_files: Vec<String>,
}

/// Tools that touch the file that their `path` names, and whether they change it.
const TOOLS: &[(&str, bool)] = &[("read", false), ("write", true), ("edit", true)];

impl FileLists {
    /// Collects the files of messages, and those that an earlier summary of Deed or Pi kept.
    pub fn of<'m>(
        messages: impl IntoIterator<Item = &'m Message>,
        previous: Option<&CompactionEntry>,
    ) -> Self {
        let mut touched = Touched::default();
        let own = previous.filter(|entry| entry.from_hook != Some(true));
        if let Some(details) = own.and_then(|entry| entry.details.as_ref())
            && let Ok(kept) = Self::deserialize(details)
        {
            touched.read.extend(kept.read_files);
            touched.modified.extend(kept.modified_files);
        }
        for message in messages {
            touched.take(message);
        }
        let Touched { read, modified } = touched;
        Self {
            read_files: read.difference(&modified).cloned().collect(),
            modified_files: modified.into_iter().collect(),
        }
    }
}

#[derive(Default)]
struct Touched {
    read: BTreeSet<String>,
    modified: BTreeSet<String>,
}

impl Touched {
    fn take(&mut self, message: &Message) {
        if let Some(answer) = message.as_assistant() {
            for call in answer.tool_calls() {
                let arguments = serde_json::from_str(call.arguments.get()).unwrap_or_default();
                self.take_call(&call.name, &arguments);
            }
        }
        // Calls that a tool made itself stand with its result.
        let nested = message.as_tool_result().and_then(|result| {
            let calls = result.extra.get("nestedCalls")?.get("calls")?;
            calls.as_array()
        });
        for call in nested.into_iter().flatten() {
            let name = call.get("name").and_then(Value::as_str);
            if let Some(arguments) = call.get("arguments") {
                self.take_call(name.unwrap_or_default(), arguments);
            }
        }
    }

    fn take_call(&mut self, name: &str, arguments: &Value) {
        let tool = TOOLS.iter().find(|(known, _)| *known == name);
        let path = arguments.get("path").and_then(Value::as_str);
        let (Some((_, changes)), Some(path)) = (tool, path.filter(|path| !path.is_empty())) else {
            return;
        };
        let files = if *changes {
            &mut self.modified
        } else {
            &mut self.read
        };
        files.insert(path.to_owned());
    }
}
