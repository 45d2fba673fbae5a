use std::sync::Arc;

use deed_protocol::{AssistantMessage, ContentBlock, Message, StopReason, Usage, UserContent};

use crate::context::Context;

const CHARS_PER_TOKEN: u64 = 4;
const IMAGE_CHARS: u64 = 4800;

/// How large a context is.
///
/// Units: tokens; of messages alone where no answer tells the size of prompt and tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextEstimate {
    /// All of it.
    pub tokens: u64,
    /// What the last answer reports.
    pub usage_tokens: u64,
    /// What came after that answer, estimated.
    pub trailing_tokens: u64,
}

/// Estimates the size of a context; what an answer reports counts if nothing was summarised or
/// edited since.
pub fn estimate_context(context: &Context) -> ContextEstimate {
    estimate_messages_from(&context.messages(), context.usage_counts_from)
}

/// Estimates the size of messages of which all reports count.
pub fn estimate_messages(messages: &[Arc<Message>]) -> ContextEstimate {
    estimate_messages_from(messages, 0)
}

/// Estimates the size of messages of which the reports before `counts_from` speak of another context.
pub fn estimate_messages_from(messages: &[Arc<Message>], counts_from: usize) -> ContextEstimate {
    let reports = messages.iter().enumerate().skip(counts_from).rev();
    let last = reports
        .filter_map(|(at, message)| Some((at, reported(message.as_assistant()?)?)))
        .next();
    let (usage_tokens, rest) = match last {
        Some((at, tokens)) => (tokens, messages.get(at + 1..).unwrap_or_default()),
        None => (0, messages),
    };
    let trailing_tokens = rest.iter().map(|message| estimate_tokens(message)).sum();
    ContextEstimate {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
    }
}

/// What an answer reports, if it came to an end.
fn reported(answer: &AssistantMessage) -> Option<u64> {
    let failed = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    let tokens = total(&answer.usage);
    (!failed && tokens > 0).then_some(tokens)
}

fn total(usage: &Usage) -> u64 {
    match usage.total_tokens {
        0 => [
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
        ]
        .into_iter()
        .fold(0, u64::saturating_add),
        total => total,
    }
}

/// Estimates the size of a message: a token for every four characters.
///
/// Units: tokens; characters are UTF-16 units, a picture counts 4,800.
///
/// Source: Pi's estimate.
pub fn estimate_tokens(message: &Message) -> u64 {
    let chars = match message {
        Message::User(message) => content_chars(&message.content),
        Message::Custom(message) => content_chars(&message.content),
        Message::Assistant(message) => blocks_chars(&message.content),
        Message::ToolResult(message) => blocks_chars(&message.content),
        Message::System(message) => {
            let values = message.sections.iter().chain(&message.tools_added);
            let values: u64 = values.map(|it| text_chars(&it.to_string())).sum();
            content_chars(&message.content) + values
        }
        Message::BashExecution(message) => {
            text_chars(&message.command) + text_chars(&message.output)
        }
        Message::BranchSummary(message) => text_chars(&message.summary),
        Message::CompactionSummary(message) => text_chars(&message.summary),
        Message::Unknown(_) => 0,
    };
    chars.div_ceil(CHARS_PER_TOKEN)
}

fn content_chars(content: &UserContent) -> u64 {
    match content {
        UserContent::Text(text) => text_chars(text),
        UserContent::Blocks(blocks) => blocks_chars(blocks),
    }
}

fn blocks_chars(blocks: &[ContentBlock]) -> u64 {
    let chars = blocks.iter().map(|block| match block {
        ContentBlock::Text(block) => text_chars(&block.text),
        ContentBlock::Image(_) => IMAGE_CHARS,
        ContentBlock::Thinking(block) => text_chars(&block.thinking),
        ContentBlock::ToolCall(call) => text_chars(&call.name) + text_chars(call.arguments.get()),
        ContentBlock::Unknown(_) => 0,
    });
    chars.sum()
}

fn text_chars(text: &str) -> u64 {
    if text.is_ascii() {
        return text.len() as u64;
    }
    text.chars().map(|c| c.len_utf16() as u64).sum()
}
