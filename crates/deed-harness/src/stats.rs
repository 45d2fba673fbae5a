use std::sync::Arc;

use deed_protocol::{Message, Usage};

/// What a session has come to.
///
/// Usage that tools report of model calls of their own is apart: it counts for the cost, never for
/// the size of the context.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// Messages of the person.
    pub user_messages: usize,
    /// Answers of the model.
    pub assistant_messages: usize,
    /// Calls that the model made.
    pub tool_calls: usize,
    /// Results that were errors.
    pub tool_errors: usize,
    /// What the model's answers used.
    pub usage: Usage,
    /// What model calls inside tools used.
    pub tool_usage: Usage,
}

impl SessionStats {
    /// Sums a transcript up.
    pub fn of(messages: &[Arc<Message>]) -> Self {
        let mut stats = Self::default();
        for message in messages {
            match Arc::as_ref(message) {
                Message::User(_) => stats.user_messages += 1,
                Message::Assistant(answer) => {
                    stats.assistant_messages += 1;
                    stats.tool_calls += answer.tool_calls().count();
                    stats.usage += &answer.usage;
                }
                Message::ToolResult(result) => {
                    stats.tool_errors += usize::from(result.is_error);
                    if let Some(usage) = &result.usage {
                        stats.tool_usage += usage;
                    }
                }
                _ => {}
            }
        }
        stats
    }
}
