use std::ops::Range;
use std::sync::Arc;

use deed_protocol::{AssistantMessage, ContentBlock, Message, StopReason, SystemMessage};

use super::text::is_blank;
use super::{Target, text};

/// Where a unit lies in a transcript.
pub(super) struct Span {
    messages: Range<usize>,
    /// Where the unit after it begins, if there is one yet.
    pub(super) follower: Option<usize>,
}

impl Span {
    pub(super) fn within<'m>(&self, messages: &'m [Arc<Message>]) -> &'m [Arc<Message>] {
        messages.get(self.messages.clone()).unwrap_or_default()
    }
}

/// Finds the first unit at or after a place.
pub(super) fn span(messages: &[Arc<Message>], from: usize, target: &Target) -> Option<Span> {
    let start = first_that_begins(messages, from, target)?;
    let end = match messages.get(start).map(Arc::as_ref) {
        Some(Message::Assistant(message)) if message.tool_calls().next().is_some() => {
            end_of_answers(messages, start + 1)
        }
        _ => start + 1,
    };
    Some(Span {
        messages: start..end,
        follower: first_that_begins(messages, end, target),
    })
}

/// Finds where a model's answer can have no more results: at the next message of a user or a model,
/// also one that is not sent.
fn end_of_answers(messages: &[Arc<Message>], from: usize) -> usize {
    let rest = messages.get(from..).unwrap_or_default();
    let ends = |message: &Arc<Message>| match message.as_ref() {
        Message::ToolResult(_) | Message::System(_) | Message::Unknown(_) => false,
        Message::BashExecution(command) => command.exclude_from_context != Some(true),
        _ => true,
    };
    rest.iter()
        .position(ends)
        .map_or(messages.len(), |at| from + at)
}

fn first_that_begins(messages: &[Arc<Message>], from: usize, target: &Target) -> Option<usize> {
    let rest = messages.get(from..)?;
    let found = rest.iter().position(|message| begins(message, target))?;
    Some(from + found)
}

/// Tells whether a message, standing on its own, begins a unit.
fn begins(message: &Message, target: &Target) -> bool {
    match message {
        Message::Assistant(message) => is_sent(message, target),
        Message::System(message) => is_instruction(message),
        Message::BashExecution(command) => command.exclude_from_context != Some(true),
        Message::User(_)
        | Message::Custom(_)
        | Message::BranchSummary(_)
        | Message::CompactionSummary(_) => true,
        Message::ToolResult(_) | Message::Unknown(_) => false,
    }
}

fn is_sent(message: &AssistantMessage, target: &Target) -> bool {
    let is_whole = !matches!(
        message.stop_reason,
        StopReason::Error | StopReason::Aborted | StopReason::Pending
    );
    let is_own = target.wrote(message);
    is_whole
        && message
            .content
            .iter()
            .any(|block| has_content(block, is_own))
}

/// Tells whether something is left of a block when it is sent.
pub(super) fn has_content(block: &ContentBlock, is_own: bool) -> bool {
    match block {
        ContentBlock::Text(block) => !is_blank(&block.text),
        ContentBlock::Thinking(block) => {
            let is_opaque = block.redacted == Some(true)
                || block
                    .thinking_signature
                    .as_deref()
                    .is_some_and(|it| !it.is_empty());
            is_own && (is_opaque || !is_blank(&block.thinking))
        }
        ContentBlock::ToolCall(_) => true,
        ContentBlock::Image(_) | ContentBlock::Unknown(_) => false,
    }
}

/// Tells whether a system message says something by itself: one that records a change of the prompt or
/// of the tools does not, since every request has both as they are now.
pub(super) fn is_instruction(message: &SystemMessage) -> bool {
    let is_record = message.sections.is_some()
        || message.tools_added.is_some()
        || message.tools_removed.is_some();
    !is_record && !is_blank(&text::joined(&message.content))
}
