use std::fmt::Write;
use std::sync::Arc;

use deed_protocol::{AssistantMessage, ContentBlock, Message, ToolCall, UserContent};
use serde_json::value::RawValue;

const MAX_CHARS: usize = 2000;

/// Writes messages as a text to be summarised, so that a model reads a record and does not go on
/// with the conversation.
///
/// Shape: a paragraph a message, who speaks in front. Thoughts are left out, calls stand as
/// `name(key=value, …)`, results, outputs and single arguments are cut to 2,000 characters.
pub fn conversation_text(messages: &[Arc<Message>]) -> String {
    let paragraphs: Vec<String> = messages
        .iter()
        .flat_map(|message| paragraphs_of(message))
        .collect();
    paragraphs.join("\n\n")
}

fn paragraphs_of(message: &Message) -> Vec<String> {
    let one = |speaker: &str, text: &str| match text.trim().is_empty() {
        true => Vec::new(),
        false => vec![format!("[{speaker}] {text}")],
    };
    match message {
        Message::User(message) => one("user", &content_text(&message.content)),
        Message::Assistant(answer) => answer_paragraphs(answer),
        Message::ToolResult(result) => {
            let word = if result.is_error { "error" } else { "result" };
            let text = blocks_text(&result.content);
            one(&format!("{word} of {}", result.tool_name), &cut(&text))
        }
        Message::BashExecution(run) if run.exclude_from_context != Some(true) => {
            let text = format!("{}\n{}", run.command, cut(&run.output));
            one("user ran", text.trim_end())
        }
        Message::Custom(message) => {
            let text = content_text(&message.content);
            one(&format!("note from {}", message.custom_type), &text)
        }
        Message::BranchSummary(summary) => one("what another branch did", &summary.summary),
        Message::CompactionSummary(summary) => one("what was before", &summary.summary),
        Message::BashExecution(_) | Message::System(_) | Message::Unknown(_) => Vec::new(),
    }
}

fn answer_paragraphs(answer: &AssistantMessage) -> Vec<String> {
    let text = blocks_text(&answer.content);
    let calls: Vec<String> = answer.tool_calls().map(call_text).collect();
    let mut paragraphs = Vec::new();
    if !text.trim().is_empty() {
        paragraphs.push(format!("[assistant] {text}"));
    }
    if !calls.is_empty() {
        paragraphs.push(format!("[assistant calls] {}", calls.join("; ")));
    }
    paragraphs
}

fn content_text(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => blocks_text(blocks),
    }
}

fn blocks_text(blocks: &[ContentBlock]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text(block) => Some(block.text.as_str()),
            ContentBlock::Image(_) => Some("(picture)"),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

fn call_text(call: &ToolCall) -> String {
    let members: Vec<String> = match serde_json::from_str::<Members>(call.arguments.get()) {
        Ok(Members(members)) => members
            .iter()
            .map(|(name, value)| format!("{name}={}", cut(value.get())))
            .collect(),
        Err(_) => vec![cut(call.arguments.get())],
    };
    format!("{}({})", call.name, members.join(", "))
}

fn cut(text: &str) -> String {
    let Some((at, _)) = text.char_indices().nth(MAX_CHARS) else {
        return text.to_owned();
    };
    let (head, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let mut cut = head.to_owned();
    let left = rest.chars().count();
    write!(cut, "[… {left} more characters]").ok();
    cut
}

/// The members of an object in their order, each value as it was written.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Visitor)
    }
}
