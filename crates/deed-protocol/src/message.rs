use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tagged::tagged_enum;
use crate::{ContentBlock, ErrorKind, Extra, ToolCall, Usage};

tagged_enum! {
    /// One message of a transcript.
    ///
    /// Shape: an object told apart by `role`; a role that Deed does not know is kept to the letter.
    #[expect(clippy::large_enum_variant, reason = "messages live behind an Arc")]
    pub enum Message by "role" {
        /// What a person or program said.
        User(UserMessage) = "user",
        /// What a model answered.
        Assistant(AssistantMessage) = "assistant",
        /// What came of a tool call.
        ToolResult(ToolResultMessage) = "toolResult",
        /// A change of the system prompt or the tools.
        System(SystemMessage) = "system",
        /// A command that a person ran.
        BashExecution(BashExecutionMessage) = "bashExecution",
        /// A message of an extension.
        Custom(CustomMessage) = "custom",
        /// What happened on a branch that was left.
        BranchSummary(BranchSummaryMessage) = "branchSummary",
        /// What stands for messages that were compacted.
        CompactionSummary(CompactionSummaryMessage) = "compactionSummary",
    }
}

impl Message {
    /// Makes a user message of one text.
    ///
    /// Units: `timestamp_ms` is milliseconds since 1970.
    pub fn user(text: impl Into<String>, timestamp_ms: i64) -> Self {
        Self::User(UserMessage {
            content: UserContent::Text(text.into()),
            timestamp: timestamp_ms,
            extra: Extra::new(),
        })
    }

    /// Returns the assistant message, if it is one.
    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Assistant(message) => Some(message),
            _ => None,
        }
    }

    /// Returns the tool result, if it is one.
    pub fn as_tool_result(&self) -> Option<&ToolResultMessage> {
        match self {
            Self::ToolResult(message) => Some(message),
            _ => None,
        }
    }
}

/// What a person or program said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UserMessage {
    /// Text, or text and pictures.
    pub content: UserContent,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The content of a user, system or custom message: plain text or blocks.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum UserContent {
    /// Plain text.
    Text(String),
    /// Text and pictures.
    Blocks(Vec<ContentBlock>),
}

impl Default for UserContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl<'de> Deserialize<'de> for UserContent {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let raw = <Box<serde_json::value::RawValue>>::deserialize(from)?;
        if raw.get().starts_with('"') {
            serde_json::from_str(raw.get())
                .map(Self::Text)
                .map_err(D::Error::custom)
        } else {
            serde_json::from_str(raw.get())
                .map(Self::Blocks)
                .map_err(D::Error::custom)
        }
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// It was done.
    Stop,
    /// It ran into the limit of output tokens.
    Length,
    /// It waits for tool results.
    ToolUse,
    /// The request failed.
    Error,
    /// The run was cancelled.
    Aborted,
    /// It has not stopped yet; never stored.
    Pending,
    /// Anything else.
    #[serde(untagged)]
    Other(String),
}

/// What a model answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, thoughts and tool calls, in order.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// The interface it was reached through.
    #[serde(default)]
    pub api: String,
    /// Who runs the model.
    #[serde(default)]
    pub provider: String,
    /// The model that was asked for.
    #[serde(default)]
    pub model: String,
    /// The model that answered, if another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_model: Option<String>,
    /// The provider's name for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Data of answers that come later; not Deed's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferred: Option<Value>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// What kind of fault it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// Milliseconds that the provider asks to wait before the request is sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The stop reason in the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_stop_reason: Option<String>,
    /// Whether the model gave the turn back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_turn: Option<bool>,
    /// Remarks of the provider layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Value>,
    /// The thinking level as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_thinking_level: Option<Value>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Milliseconds from request to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The thinking level that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl AssistantMessage {
    /// Makes an empty message that stopped for this reason.
    ///
    /// Units: `timestamp_ms` is milliseconds since 1970.
    pub fn new(stop_reason: StopReason, timestamp_ms: i64) -> Self {
        Self {
            content: Vec::new(),
            api: String::new(),
            provider: String::new(),
            model: String::new(),
            response_model: None,
            response_id: None,
            usage: Usage::default(),
            stop_reason,
            deferred: None,
            error_message: None,
            error_kind: None,
            retry_after_ms: None,
            raw_stop_reason: None,
            end_turn: None,
            diagnostics: None,
            provider_thinking_level: None,
            timestamp: timestamp_ms,
            duration_ms: None,
            thinking_level: None,
            extra: Extra::new(),
        }
    }

    /// Returns the tool calls in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(ContentBlock::as_tool_call)
    }
}

/// What came of a tool call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The call that this answers.
    pub tool_call_id: Arc<str>,
    /// The tool that was called.
    pub tool_name: Arc<str>,
    /// What the model reads; may be empty, never missing.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// What people and programs see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What model calls inside the tool used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Names of tools that the call itself activated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_tool_names: Vec<Arc<str>>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Milliseconds that the tool itself took; absent if it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A change of the system prompt or the tools.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SystemMessage {
    /// Text, or blocks.
    #[serde(default)]
    pub content: UserContent,
    /// Sections of the prompt that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Value>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Declarations of tools that came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_added: Option<Value>,
    /// Names of tools that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_removed: Option<Vec<String>>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A command that a person ran, not a tool result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BashExecutionMessage {
    /// The command.
    pub command: String,
    /// What it printed.
    #[serde(default)]
    pub output: String,
    /// How it ended; absent if it did not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Whether it was cancelled.
    #[serde(default)]
    pub cancelled: bool,
    /// Whether `output` is cut.
    #[serde(default)]
    pub truncated: bool,
    /// Where the whole output is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Whether models never see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_from_context: Option<bool>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A message of an extension.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// The extension's name for the kind of message.
    pub custom_type: String,
    /// Text, or text and pictures.
    pub content: UserContent,
    /// Whether people see it.
    #[serde(default)]
    pub display: bool,
    /// What programs see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What happened on a branch that was left.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummaryMessage {
    /// The summary.
    pub summary: String,
    /// The entry where the branch was left.
    pub from_id: String,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What stands for messages that were compacted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionSummaryMessage {
    /// The summary.
    pub summary: String,
    /// Size of the context before.
    #[serde(default)]
    pub tokens_before: u64,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: i64,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}
