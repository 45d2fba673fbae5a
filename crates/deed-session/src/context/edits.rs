//! Changing what an entry gives to the context.

use std::sync::Arc;

use deed_protocol::{ContentBlock, Message, UserContent};

/// Puts other content into a message; roles that no edit is for stay as they are.
pub(super) fn with_content(message: &Arc<Message>, content: &UserContent) -> Arc<Message> {
    let mut edited = Message::clone(message);
    match &mut edited {
        Message::User(message) => message.content = content.clone(),
        Message::Custom(message) => message.content = content.clone(),
        Message::Assistant(message) => message.content = blocks_of(content),
        Message::ToolResult(message) => message.content = blocks_of(content),
        _ => return message.clone(),
    }
    Arc::new(edited)
}

/// Whether an edit can be for this message.
pub(crate) fn is_editable(message: &Message) -> bool {
    matches!(
        message,
        Message::User(_) | Message::Custom(_) | Message::Assistant(_) | Message::ToolResult(_)
    )
}

pub(crate) fn blocks_of(content: &UserContent) -> Vec<ContentBlock> {
    match content {
        UserContent::Text(text) => vec![ContentBlock::text(text)],
        UserContent::Blocks(blocks) => blocks.clone(),
    }
}
