//! Calls that a crash left open are brought to an end when the session goes on.

use std::sync::Arc;

use deed_agent::{AgentError, Batch, Replay};
use deed_protocol::{
    AssistantMessage, ContentBlock, EventBody, Extra, Message, ToolCall, ToolResult,
    ToolResultMessage,
};
use deed_session::{CallState, OpenCall};
use tokio_util::sync::CancellationToken;

use crate::AgentSession;

const UNKNOWN: &str = "The outcome of this call is unknown: the program ended while it ran. It may \
have had its effect, in whole or in part. Look at what there is before you do it again.";

/// What became of calls that were open when a session was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Ids of calls that ran now: they never had begun, or may run twice.
    pub ran: Vec<Arc<str>>,
    /// Ids of calls that were answered that their outcome is unknown.
    pub unknown: Vec<Arc<str>>,
}

impl AgentSession {
    /// Answers the calls that were open when the session was opened: what never began goes through
    /// the whole pipeline, and so does what began and is safe to run twice; the rest is answered by
    /// an error that says that the outcome is unknown. A prompt does this first.
    ///
    /// Errors: a run is under way.
    ///
    /// Cancellation: by [`AgentSession::cancel`].
    pub async fn resume(&self) -> Result<Resumed, AgentError> {
        let _prompting = self.begin_prompt().ok_or(AgentError::AlreadyRunning)?;
        Ok(self.answer_open_calls().await)
    }

    pub(crate) async fn answer_open_calls(&self) -> Resumed {
        let Some(recovery) = self.source.take_recovery() else {
            return Resumed::default();
        };
        let (again, unknown): (Vec<_>, Vec<_>) =
            recovery.calls.iter().partition(|open| self.may_run(open));
        let resumed = Resumed {
            ran: ids(&again),
            unknown: ids(&unknown),
        };
        let mut results = Vec::new();
        for open in unknown {
            results.push((open.call_index, self.tell_unknown(&open.call).await));
        }
        results.extend(self.run_again(&again).await);
        results.sort_by_key(|(index, _)| *index);
        let mut messages = self.agent.messages();
        messages.extend(results.into_iter().map(|(_, result)| result));
        // The caller holds the prompt, so no run is under way.
        self.agent.set_messages(messages).ok();
        resumed
    }

    fn may_run(&self, open: &OpenCall) -> bool {
        match open.state {
            CallState::NeverStarted => true,
            CallState::OutcomeUnknown { .. } => self
                .registry()
                .get(&open.call.name)
                .is_some_and(|tool| tool.definition().spec().replay == Replay::Safe),
        }
    }

    async fn tell_unknown(&self, call: &ToolCall) -> Arc<Message> {
        let result = ToolResult::error(UNKNOWN);
        let message = Arc::new(Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: result.content,
            details: result.details,
            usage: None,
            added_tool_names: Vec::new(),
            is_error: true,
            duration_ms: None,
            timestamp: (self.source.now_ms)(),
            extra: Extra::new(),
        }));
        for body in [
            EventBody::MessageStart {
                message: message.clone(),
            },
            EventBody::MessageEnd {
                message: message.clone(),
            },
        ] {
            self.bus.emit(body).await;
        }
        message
    }

    async fn run_again(&self, again: &[&OpenCall]) -> Vec<(usize, Arc<Message>)> {
        let Some(mut message) = self.last_answer().filter(|_| !again.is_empty()) else {
            return Vec::new();
        };
        message.content = again
            .iter()
            .map(|open| ContentBlock::ToolCall(open.call.clone()))
            .collect();
        let cancel: CancellationToken = self.source.batches.token().child_token();
        let batch = Batch {
            assistant: Arc::new(Message::Assistant(message)),
            tools: self.source.inputs().tools,
        };
        let outcome = self.agent.runner().run(&batch, &cancel).await;
        let indices = again.iter().map(|open| open.call_index);
        indices.zip(outcome.results).collect()
    }

    fn last_answer(&self) -> Option<AssistantMessage> {
        let messages = self.agent.messages();
        messages
            .iter()
            .rev()
            .find_map(|message| message.as_assistant().cloned())
    }
}

fn ids(calls: &[&OpenCall]) -> Vec<Arc<str>> {
    calls.iter().map(|open| open.call.id.clone()).collect()
}
