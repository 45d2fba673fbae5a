//! Transcripts in the form that providers take.

mod make;
mod property;
mod repair;
mod stay;

pub(crate) use property::any_message;

use deed_models::transcript::{AssistantPart, Part, Unit};

/// Draws units, one line a part.
fn drawn(units: &[Unit<'_>]) -> String {
    let mut lines = Vec::new();
    for unit in units {
        match unit {
            Unit::User(parts) => lines.extend(parts.iter().map(|part| line("user", part))),
            Unit::System(text) => lines.push(format!("system {text:?}")),
            Unit::Assistant(unit) => {
                lines.extend(unit.parts.iter().map(assistant_line));
                for answer in &unit.answers {
                    let head = if answer.is_error { "failed" } else { "result" };
                    let head = format!("{head} {} {}", answer.call_id, answer.tool_name);
                    lines.extend(answer.parts.iter().map(|part| line(&head, part)));
                }
                lines.extend(unit.notes.iter().map(|note| format!("note {note:?}")));
            }
        }
    }
    lines.join("\n")
}

fn line(head: &str, part: &Part<'_>) -> String {
    match part {
        Part::Text(text) => format!("{head} {text:?}"),
        Part::Image { data, mime_type } => format!("{head} <{mime_type} {data}>"),
    }
}

fn assistant_line(part: &AssistantPart<'_>) -> String {
    match part {
        AssistantPart::Text { text, signature } => format!("model {text:?} {signature:?}"),
        AssistantPart::Thinking {
            text,
            signature,
            is_redacted,
        } => format!("thought {text:?} {signature:?} redacted={is_redacted}"),
        AssistantPart::Call(call) => format!(
            "call {} {} {} {} {:?}",
            call.id,
            call.item_id.unwrap_or("-"),
            call.name,
            call.arguments,
            call.signature
        ),
    }
}
