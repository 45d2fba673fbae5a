use std::sync::Arc;

use deed_protocol::{AssistantDelta, Message, Usage};

use super::{ExtensionEvent, told};

/// A run began.
#[derive(Clone, Copy, Debug)]
pub struct AgentStartEvent;

/// A run ended.
#[derive(Clone, Debug)]
pub struct AgentEndEvent {
    /// Messages of this run, prompts included.
    pub messages: Vec<Arc<Message>>,
}

/// Nothing automatic is left to do.
#[derive(Clone, Copy, Debug)]
pub struct AgentSettledEvent {
    /// Whether the run was cancelled.
    pub aborted: bool,
}

/// A turn began: one answer of the model and its batch.
#[derive(Clone, Copy, Debug)]
pub struct TurnStartEvent {
    /// Counts from 0 within the run.
    pub turn_index: usize,
    /// Milliseconds since 1970.
    pub timestamp_ms: i64,
}

/// A turn ended.
#[derive(Clone, Debug)]
pub struct TurnEndEvent {
    /// Counts from 0 within the run.
    pub turn_index: usize,
    /// The model's answer.
    pub message: Arc<Message>,
    /// The results of its calls, in call order.
    pub tool_results: Vec<Arc<Message>>,
}

/// A message began.
#[derive(Clone, Debug)]
pub struct MessageStartEvent {
    /// The message so far.
    pub message: Arc<Message>,
}

/// A message grew.
#[derive(Clone, Debug)]
pub struct MessageUpdateEvent {
    /// All there is so far; calls have their arguments once these are whole.
    pub message: Arc<Message>,
    /// What it used so far.
    pub usage: Usage,
    /// What came.
    pub assistant_message_event: AssistantDelta,
}

/// A message is whole, and is stored as the handlers leave it.
///
/// A handler may change it, or answer another one of the same role (and of the same call, if it is a
/// result).
#[derive(Clone, Debug)]
pub struct MessageEndEvent {
    /// The message.
    pub message: Arc<Message>,
}

impl ExtensionEvent for MessageEndEvent {
    const NAME: &'static str = "message_end";
    type Reply = Option<Message>;
}

/// The model is about to be asked.
///
/// What handlers do to the messages changes this one request; the transcript stays as it is.
#[derive(Clone, Debug)]
pub struct ContextEvent {
    /// The transcript, as it would be sent.
    pub messages: Vec<Arc<Message>>,
}

impl ExtensionEvent for ContextEvent {
    const NAME: &'static str = "context";
    type Reply = Option<Vec<Arc<Message>>>;
}

told! {
    AgentStartEvent = "agent_start",
    AgentEndEvent = "agent_end",
    AgentSettledEvent = "agent_settled",
    TurnStartEvent = "turn_start",
    TurnEndEvent = "turn_end",
    MessageStartEvent = "message_start",
    MessageUpdateEvent = "message_update",
}
