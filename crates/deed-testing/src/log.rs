use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::{BarrierSink, BoxFuture};
use deed_protocol::{ContentBlock, Event, EventBody, Message, StopReason, UserContent};

/// Writes every event down as one short line.
#[derive(Debug, Default)]
pub struct EventLog {
    lines: Mutex<Vec<String>>,
}

impl EventLog {
    /// Returns all lines so far.
    pub fn text(&self) -> String {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .join("\n")
    }

    /// Adds a line that is no event.
    pub fn note(&self, line: impl Into<String>) {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line.into());
    }
}

impl BarrierSink for EventLog {
    fn name(&self) -> &str {
        "event log"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        if let Some(line) = line_of(&event.body) {
            self.note(line);
        }
        Box::pin(async { Ok(()) })
    }
}

fn line_of(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::AgentStart => "agent start".to_owned(),
        EventBody::AgentEnd { messages, .. } => format!("agent end, {} messages", messages.len()),
        EventBody::TurnStart => "turn start".to_owned(),
        EventBody::TurnEnd { tool_results, .. } => {
            format!("turn end, {} results", tool_results.len())
        }
        EventBody::MessageEnd { message } => format!("message {}", summary(message)),
        EventBody::ToolExecutionStart {
            tool_call_id,
            tool_name,
            ..
        } => {
            format!("start {tool_call_id} {tool_name}")
        }
        EventBody::ToolExecutionUpdate {
            tool_call_id,
            partial_result,
            ..
        } => {
            format!("update {tool_call_id} {:?}", partial_result.joined_text())
        }
        EventBody::ToolExecutionEnd {
            tool_call_id,
            is_error,
            ..
        } => {
            format!(
                "end {tool_call_id}{}",
                if *is_error { " error" } else { "" }
            )
        }
        EventBody::QueueUpdate {
            steering,
            follow_up,
        } => {
            format!("queues {steering:?} {follow_up:?}")
        }
        EventBody::MessageStart { .. } | EventBody::MessageUpdate { .. } => return None,
        other => serde_json::to_string(other).unwrap(),
    })
}

fn summary(message: &Message) -> String {
    match message {
        Message::User(user) => match &user.content {
            UserContent::Text(text) => format!("user {text:?}"),
            UserContent::Blocks(blocks) => format!("user, {} blocks", blocks.len()),
        },
        Message::Assistant(answer) => {
            let calls: Vec<&str> = answer.tool_calls().map(|call| &*call.id).collect();
            let texts: Vec<&str> = answer
                .content
                .iter()
                .filter_map(ContentBlock::as_text)
                .collect();
            let mut line = format!("assistant {:?} calls {calls:?}", texts.join(" "));
            match (&answer.stop_reason, &answer.error_message) {
                (StopReason::Error, Some(error)) => line.push_str(&format!(" error {error:?}")),
                (StopReason::Aborted, _) => line.push_str(" aborted"),
                (StopReason::Length, _) => line.push_str(" length"),
                _ => {}
            }
            line
        }
        Message::ToolResult(result) => {
            let texts: Vec<&str> = result
                .content
                .iter()
                .filter_map(ContentBlock::as_text)
                .collect();
            let failed = if result.is_error { " error" } else { "" };
            format!(
                "result {}{failed} {:?}",
                result.tool_call_id,
                texts.join("|")
            )
        }
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}
