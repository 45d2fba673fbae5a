use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tagged::tagged_enum;
use crate::{Extra, Message, Usage, UserContent};

tagged_enum! {
    /// One line of a session file after the header.
    ///
    /// Shape: an object told apart by `type`; a type that Deed does not know is kept to the letter.
    pub enum Entry by "type" {
        /// A message of the transcript.
        Message(MessageEntry) = "message",
        /// Another model was chosen.
        ModelChange(ModelChangeEntry) = "model_change",
        /// Another thinking level was chosen.
        ThinkingLevelChange(ThinkingLevelChangeEntry) = "thinking_level_change",
        /// What came before was summarised.
        Compaction(CompactionEntry) = "compaction",
        /// A branch was left, and summarised.
        BranchSummary(BranchSummaryEntry) = "branch_summary",
        /// What an earlier entry gives to the context was changed.
        ContextEdit(ContextEditEntry) = "context_edit",
        /// Something that models never see.
        Custom(CustomEntry) = "custom",
        /// A message of an extension.
        CustomMessage(CustomMessageEntry) = "custom_message",
        /// A mark on an entry.
        Label(LabelEntry) = "label",
        /// The name of the session.
        SessionInfo(SessionInfoEntry) = "session_info",
        /// What a model call beside the transcript used.
        Usage(UsageEntry) = "usage",
    }
}

impl Entry {
    /// Returns what every known entry has.
    pub fn base(&self) -> Option<&EntryBase> {
        match self {
            Self::Message(entry) => Some(&entry.base),
            Self::ModelChange(entry) => Some(&entry.base),
            Self::ThinkingLevelChange(entry) => Some(&entry.base),
            Self::Compaction(entry) => Some(&entry.base),
            Self::BranchSummary(entry) => Some(&entry.base),
            Self::ContextEdit(entry) => Some(&entry.base),
            Self::Custom(entry) => Some(&entry.base),
            Self::CustomMessage(entry) => Some(&entry.base),
            Self::Label(entry) => Some(&entry.base),
            Self::SessionInfo(entry) => Some(&entry.base),
            Self::Usage(entry) => Some(&entry.base),
            Self::Unknown(_) => None,
        }
    }
}

/// What every entry has: its place in the tree and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryBase {
    /// Names the entry in its session.
    pub id: Arc<str>,
    /// The entry before it on its branch; `None` begins a tree.
    #[serde(default)]
    pub parent_id: Option<Arc<str>>,
    /// When it was made, ISO 8601.
    #[serde(default)]
    pub timestamp: String,
}

/// A message of the transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MessageEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The message.
    pub message: Arc<Message>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Another model was chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChangeEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// Who runs the model.
    pub provider: String,
    /// The model.
    pub model_id: String,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Another thinking level was chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingLevelChangeEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The level; Pi knows words that Deed does not.
    pub thinking_level: String,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What came before was summarised.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The summary.
    pub summary: String,
    /// The first entry before this one that stays in the context; this one's own id if none does.
    #[serde(default)]
    pub first_kept_entry_id: Arc<str>,
    /// Size of the context before.
    #[serde(default)]
    pub tokens_before: u64,
    /// What the maker adds, such as lists of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What the summary used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// The prompt and tools as they stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_message: Option<Arc<Message>>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A branch was left, and summarised.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummaryEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The last entry of the branch that was left.
    #[serde(default)]
    pub from_id: String,
    /// The summary.
    pub summary: String,
    /// What the maker adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What the summary used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an earlier entry gives to the context was changed; the entry itself stays.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextEditEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The entry that is changed.
    pub target_id: Arc<str>,
    /// What stands in its place; `None` leaves it out.
    #[serde(default)]
    pub replacement: Option<Replacement>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The content that a message has for the context.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replacement {
    /// Text, or blocks.
    pub content: UserContent,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Something that models never see.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The maker's name for the kind of entry.
    pub custom_type: String,
    /// What it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A message of an extension.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessageEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The extension's name for the kind of message.
    pub custom_type: String,
    /// Text, or text and pictures.
    #[serde(default)]
    pub content: UserContent,
    /// Whether people see it.
    #[serde(default)]
    pub display: bool,
    /// What programs see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A mark on an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The entry that is marked.
    pub target_id: Arc<str>,
    /// The text; without one the mark is taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The name of the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfoEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// The name; without one, or with an empty one, it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a model call beside the transcript used.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageEntry {
    /// Its place in the tree.
    #[serde(flatten)]
    pub base: EntryBase,
    /// What it was for.
    pub kind: String,
    /// Who ran the model.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What it used.
    pub usage: Usage,
    /// A word to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}
