use deed_protocol::{AssistantDelta, ContentBlock};

/// How much of a text comes at once.
const CHUNK_CHARS: usize = 24;

/// Returns what a provider would have sent for a block.
pub(super) fn of(content_index: usize, block: &ContentBlock) -> Vec<AssistantDelta> {
    match block {
        ContentBlock::Text(block) => {
            let mut deltas = vec![AssistantDelta::TextStart { content_index }];
            deltas.extend(chunks(&block.text).map(|delta| AssistantDelta::TextDelta {
                content_index,
                delta,
            }));
            deltas.push(AssistantDelta::TextEnd {
                content_index,
                content: block.text.clone(),
            });
            deltas
        }
        ContentBlock::Thinking(block) => {
            let content = block.thinking.clone();
            let mut deltas = vec![AssistantDelta::ThinkingStart { content_index }];
            deltas.extend(chunks(&content).map(|delta| AssistantDelta::ThinkingDelta {
                content_index,
                delta,
            }));
            deltas.push(AssistantDelta::ThinkingEnd {
                content_index,
                content,
            });
            deltas
        }
        ContentBlock::ToolCall(call) => {
            let (id, tool_name) = (call.id.clone(), call.name.clone());
            let mut deltas = vec![AssistantDelta::ToolCallStart {
                content_index,
                id,
                tool_name,
            }];
            deltas.extend(chunks(call.arguments.get()).map(|delta| {
                AssistantDelta::ToolCallDelta {
                    content_index,
                    delta,
                }
            }));
            let tool_call = call.clone();
            deltas.push(AssistantDelta::ToolCallEnd {
                content_index,
                tool_call,
            });
            deltas
        }
        ContentBlock::Image(_) | ContentBlock::Unknown(_) => Vec::new(),
    }
}

fn chunks(text: &str) -> impl Iterator<Item = String> {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        chars.peek()?;
        Some(chars.by_ref().take(CHUNK_CHARS).collect())
    })
}
