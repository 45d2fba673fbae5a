//! An answer that is not whole yet, put together of what came of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_protocol::{
    AssistantDelta, AssistantMessage, ContentBlock, Message, StopReason, ThinkingBlock, ToolCall,
    Usage,
};
use serde_json::value::RawValue;

/// The answer that the model is giving; `None` while nobody wants to hear of it.
#[derive(Default)]
pub(crate) struct Growing(Mutex<Option<AssistantMessage>>);

impl Growing {
    fn lock(&self) -> MutexGuard<'_, Option<AssistantMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with an announced message; one that is whole has nothing to grow.
    pub(crate) fn begin(&self, message: &Message) {
        *self.lock() = match message {
            Message::Assistant(begun) => Some(begun.clone()),
            _ => None,
        };
    }

    /// Adds what came; returns all there is so far.
    pub(crate) fn add(&self, delta: &AssistantDelta, usage: &Usage) -> Arc<Message> {
        let mut growing = self.lock();
        let message = growing.get_or_insert_with(|| AssistantMessage::new(StopReason::Pending, 0));
        message.usage = usage.clone();
        grow(&mut message.content, delta);
        Arc::new(Message::Assistant(message.clone()))
    }
}

fn grow(content: &mut Vec<ContentBlock>, delta: &AssistantDelta) {
    match delta {
        AssistantDelta::TextStart { content_index } => {
            put(content, *content_index, ContentBlock::text(""));
        }
        AssistantDelta::TextDelta {
            content_index,
            delta,
        } => match content.get_mut(*content_index) {
            Some(ContentBlock::Text(block)) => block.text.push_str(delta),
            _ => put(content, *content_index, ContentBlock::text(delta)),
        },
        AssistantDelta::TextEnd {
            content_index,
            content: whole,
        } => put(content, *content_index, ContentBlock::text(whole)),
        AssistantDelta::ThinkingStart { content_index } => {
            put(content, *content_index, thought(""));
        }
        AssistantDelta::ThinkingDelta {
            content_index,
            delta,
        } => match content.get_mut(*content_index) {
            Some(ContentBlock::Thinking(block)) => block.thinking.push_str(delta),
            _ => put(content, *content_index, thought(delta)),
        },
        AssistantDelta::ThinkingEnd {
            content_index,
            content: whole,
        } => put(content, *content_index, thought(whole)),
        AssistantDelta::ToolCallStart {
            content_index,
            id,
            tool_name,
        } => {
            let begun = ToolCall::new(id.clone(), tool_name.clone(), no_arguments());
            put(content, *content_index, ContentBlock::ToolCall(begun));
        }
        // Arguments mean nothing before they are whole.
        AssistantDelta::ToolCallDelta { .. } => {}
        AssistantDelta::ToolCallEnd {
            content_index,
            tool_call,
        } => put(
            content,
            *content_index,
            ContentBlock::ToolCall(tool_call.clone()),
        ),
    }
}

/// Sets a block; where blocks before it are missing it is the next one.
fn put(content: &mut Vec<ContentBlock>, at: usize, block: ContentBlock) {
    match content.get_mut(at) {
        Some(there) => *there = block,
        None => content.push(block),
    }
}

fn thought(text: &str) -> ContentBlock {
    ContentBlock::Thinking(ThinkingBlock {
        thinking: text.to_owned(),
        ..ThinkingBlock::default()
    })
}

fn no_arguments() -> Arc<RawValue> {
    RawValue::from_string("{}".to_owned())
        .unwrap_or_default()
        .into()
}
