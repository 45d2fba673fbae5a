use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{ContentBlock, Message, ToolCall, ToolResult, Usage};

/// One thing that happened, with its place in the order of all.
///
/// Shape: serialises as its body alone, which is what Pi's clients read.
#[derive(Clone, Debug)]
pub struct Event {
    /// Counts from 1, without gaps, for one event bus.
    pub sequence: u64,
    /// What happened.
    pub body: EventBody,
}

impl Serialize for Event {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.body.serialize(to)
    }
}

/// What happened.
///
/// Shape: an object told apart by `type`, in Pi's names and order.
#[derive(Clone, Debug, Serialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[expect(clippy::large_enum_variant, reason = "an event lives behind an Arc")]
pub enum EventBody {
    /// A run began.
    AgentStart,
    /// A turn began: one model answer and its batch.
    TurnStart,
    /// A message began.
    MessageStart {
        /// The message so far.
        message: Arc<Message>,
    },
    /// A message grew.
    MessageUpdate {
        /// What it used so far.
        usage: Usage,
        /// What came.
        assistant_message_event: AssistantDelta,
    },
    /// A message is whole.
    MessageEnd {
        /// The message.
        message: Arc<Message>,
    },
    /// A call was taken up.
    ToolExecutionStart {
        /// The call.
        tool_call_id: Arc<str>,
        /// The tool it names.
        tool_name: Arc<str>,
        /// The arguments as the model wrote them.
        args: Arc<RawValue>,
    },
    /// A running call has something to show.
    ToolExecutionUpdate {
        /// The call.
        tool_call_id: Arc<str>,
        /// The tool it names.
        tool_name: Arc<str>,
        /// The arguments as the model wrote them.
        args: Arc<RawValue>,
        /// All there is so far, not a difference.
        partial_result: Arc<ToolResult>,
    },
    /// A call ended.
    ToolExecutionEnd {
        /// The call.
        tool_call_id: Arc<str>,
        /// The tool it names.
        tool_name: Arc<str>,
        /// What came of it.
        result: Arc<ToolResult>,
        /// Whether it failed.
        is_error: bool,
        /// Milliseconds that the tool itself took; absent if it did not run.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A turn ended.
    TurnEnd {
        /// The model's answer.
        message: Arc<Message>,
        /// The results of its calls, in call order.
        tool_results: Vec<Arc<Message>>,
    },
    /// A run ended.
    AgentEnd {
        /// Messages of this run, prompts included.
        messages: Vec<Arc<Message>>,
        /// Whether it starts again by itself.
        will_retry: bool,
    },
    /// Nothing automatic is left to do.
    AgentSettled {
        /// Whether the run was cancelled.
        aborted: bool,
    },
    /// A queue changed.
    QueueUpdate {
        /// Texts that wait for the end of the batch.
        steering: Vec<String>,
        /// Texts that wait for the end of the run.
        follow_up: Vec<String>,
    },
    /// An entry that is no message went into the session.
    EntryAppended {
        /// The entry.
        entry: Value,
    },
    /// The name of the session changed.
    SessionInfoChanged {
        /// The name.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The thinking level changed.
    ThinkingLevelChanged {
        /// The level.
        level: String,
    },
    /// Compaction began.
    CompactionStart {
        /// `manual`, `threshold` or `overflow`.
        reason: String,
    },
    /// Compaction ended.
    CompactionEnd {
        /// `manual`, `threshold` or `overflow`.
        reason: String,
        /// What came of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Whether it was cancelled.
        aborted: bool,
        /// Whether the run starts again.
        will_retry: bool,
        /// What went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
    },
    /// A failed request is going to be sent again.
    AutoRetryStart {
        /// Counts from 1.
        attempt: u32,
        /// How many there may be.
        max_attempts: u32,
        /// Milliseconds until then.
        delay_ms: u64,
        /// Why.
        error_message: String,
    },
    /// Sending again came to an end.
    AutoRetryEnd {
        /// Whether it worked.
        success: bool,
        /// Which attempt.
        attempt: u32,
        /// What went wrong last.
        #[serde(skip_serializing_if = "Option::is_none")]
        final_error: Option<String>,
    },
    /// A command that a client started printed something.
    BashExecutionUpdate {
        /// The client's name for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// What it printed.
        delta: String,
    },
}

/// What came of a model's answer.
///
/// Shape: an object told apart by `type`; `contentIndex` counts blocks from 0.
#[derive(Clone, Debug, Serialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum AssistantDelta {
    /// A text block began.
    TextStart {
        /// Which block.
        content_index: usize,
    },
    /// Text came.
    TextDelta {
        /// Which block.
        content_index: usize,
        /// The text.
        delta: String,
    },
    /// A text block is whole.
    TextEnd {
        /// Which block.
        content_index: usize,
        /// All of it.
        content: String,
    },
    /// A thought began.
    ThinkingStart {
        /// Which block.
        content_index: usize,
    },
    /// More of a thought came.
    ThinkingDelta {
        /// Which block.
        content_index: usize,
        /// The text.
        delta: String,
    },
    /// A thought is whole.
    ThinkingEnd {
        /// Which block.
        content_index: usize,
        /// All of it.
        content: String,
    },
    /// A tool call began.
    #[serde(rename = "toolcall_start")]
    ToolCallStart {
        /// Which block.
        content_index: usize,
        /// The call.
        id: Arc<str>,
        /// The tool it names.
        tool_name: Arc<str>,
    },
    /// Text of the arguments came.
    #[serde(rename = "toolcall_delta")]
    ToolCallDelta {
        /// Which block.
        content_index: usize,
        /// The text.
        delta: String,
    },
    /// A tool call is whole.
    #[serde(rename = "toolcall_end")]
    ToolCallEnd {
        /// Which block.
        content_index: usize,
        /// The call, written as the block that it is in the message.
        #[serde(serialize_with = "as_block")]
        tool_call: ToolCall,
    },
}

fn as_block<S: serde::Serializer>(call: &ToolCall, to: S) -> Result<S::Ok, S::Error> {
    ContentBlock::ToolCall(call.clone()).serialize(to)
}

/// The first line of a session file and of the JSON stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionHeader {
    /// Always `session`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The version of the format: 3.
    pub version: u32,
    /// The session.
    pub id: String,
    /// When it began, ISO 8601.
    pub timestamp: String,
    /// Where it runs.
    pub cwd: String,
    /// The file it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
}
