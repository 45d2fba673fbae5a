use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deed_protocol::{
    AssistantMessage, ContentBlock, Extra, Message, StopReason, ToolCall, ToolResultMessage,
};
use deed_session::{Session, SessionStore, StoreConfig};
use serde_json::value::RawValue;
use tempfile::TempDir;

/// A moment in 2026; each look at the clock is a second later.
pub(crate) const START_MS: i64 = 1_790_000_000_000;

/// A store whose ids and times are the same each time.
pub(crate) struct Place {
    pub(crate) store: SessionStore,
    pub(crate) cwd: PathBuf,
    pub(crate) root: PathBuf,
    _folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("sessions");
        Self {
            store: SessionStore::new(counting_config(&root)),
            cwd: PathBuf::from("/home/me/project"),
            root,
            _folder: folder,
        }
    }

    pub(crate) fn create(&self) -> Session {
        self.store.create(&self.cwd, None).unwrap()
    }

    /// Puts a file with this text where a session would be.
    pub(crate) fn file(&self, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join("given.jsonl");
        fs::create_dir_all(&self.root).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn open(&self, path: &Path) -> Session {
        self.store.open(path).unwrap()
    }
}

/// Numbers in place of random bits and a clock that goes by seconds.
pub(crate) fn counting_config(root: &Path) -> StoreConfig {
    let (ticks, numbers) = (AtomicU64::new(0), AtomicU64::new(1));
    let mut config = StoreConfig::new(root);
    config.clock = Arc::new(move || {
        START_MS + 1000 * i64::try_from(ticks.fetch_add(1, Ordering::Relaxed)).unwrap()
    });
    config.random = Arc::new(move || numbers.fetch_add(1, Ordering::Relaxed));
    config
}

pub(crate) fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text, 1))
}

pub(crate) fn says(text: &str) -> Arc<Message> {
    let mut message = AssistantMessage::new(StopReason::Stop, 2);
    message.content.push(ContentBlock::text(text));
    Arc::new(message.into())
}

/// An answer that asks for calls, given as `id:name`.
pub(crate) fn asks(calls: &[&str]) -> Arc<Message> {
    let mut message = AssistantMessage::new(StopReason::ToolUse, 3);
    for call in calls {
        let (id, name) = call.split_once(':').unwrap();
        let arguments = RawValue::from_string("{\"n\":1}".to_owned()).unwrap();
        let call = ToolCall::new(id, name, Arc::from(arguments));
        message.content.push(ContentBlock::ToolCall(call));
    }
    Arc::new(message.into())
}

pub(crate) fn result(id: &str, text: &str) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "tool".into(),
        content: vec![ContentBlock::text(text)],
        details: None,
        usage: None,
        added_tool_names: Vec::new(),
        is_error: false,
        duration_ms: None,
        timestamp: 4,
        extra: Extra::new(),
    }))
}

/// A transcript with a line a message: role, then text, calls as `name#id`, and results as
/// `id: text`.
pub(crate) fn shown(messages: &[Arc<Message>]) -> String {
    let lines: Vec<String> = messages.iter().map(|message| line_of(message)).collect();
    lines.join("\n")
}

fn line_of(message: &Message) -> String {
    let value = serde_json::to_value(message).unwrap();
    let role = value["role"].as_str().unwrap().to_owned();
    let blocks = |content: &serde_json::Value| match content {
        serde_json::Value::String(text) => text.clone(),
        other => other
            .as_array()
            .into_iter()
            .flatten()
            .map(|block| match block["type"].as_str() {
                Some("text") => block["text"].as_str().unwrap().to_owned(),
                Some("toolCall") => format!(
                    "{}#{}",
                    block["name"].as_str().unwrap(),
                    block["id"].as_str().unwrap()
                ),
                _ => "?".to_owned(),
            })
            .collect::<Vec<_>>()
            .join(" "),
    };
    let text = match &value["summary"] {
        serde_json::Value::String(summary) => summary.clone(),
        _ => blocks(&value["content"]),
    };
    match value["toolCallId"].as_str() {
        Some(id) => format!("{role} {id}: {text}"),
        None => format!("{role} {text}"),
    }
}

pub(crate) fn lines_of(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}
